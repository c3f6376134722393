// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#version 460
// c = a * scale + b + offset
layout(local_size_x = 4) in;
layout(constant_id = 7) const float scale = 1;
layout(push_constant) uniform Push { float offset; };
layout(set = 0, binding = 0) readonly buffer A { float a[]; };
layout(set = 0, binding = 1) readonly buffer B { float b[]; };
layout(set = 1, binding = 0) writeonly buffer C { float c[]; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  c[i] = a[i] * scale + b[i] + offset;
}
