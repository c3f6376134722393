// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#version 450
// y = a * x + y
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer X { float x[]; };
layout(set = 0, binding = 1) buffer Y { float y[]; };
layout(push_constant) uniform P { uint count; float a; } p;
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < p.count) y[i] = p.a * x[i] + y[i];
}
