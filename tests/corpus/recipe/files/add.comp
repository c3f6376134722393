#version 450
layout(local_size_x = 16) in;
layout(constant_id = 3) const uint factor = 1;
layout(set = 0, binding = 0) readonly buffer X { float x[]; };
layout(set = 0, binding = 1) writeonly buffer Y { float y[]; };
layout(push_constant) uniform P { uint count; float step; ivec4 more; } p;
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < p.count) y[i] = x[i] * factor + p.step + p.more.x;
}
