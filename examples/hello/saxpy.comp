// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#version 460
layout(local_size_x_id = 0) in;

layout(push_constant) uniform Parameters { float a; };
layout(set = 0, binding = 0) readonly buffer X { float x[]; };
layout(set = 0, binding = 1) buffer Y { float y[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < y.length()) y[i] = a * x[i] + y[i];
}
