// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#version 460
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer X { int x[]; };
layout(set = 0, binding = 1) readonly buffer Y { int y[]; };
layout(set = 0, binding = 2) buffer Z { int z[]; };
layout(push_constant) uniform P { int a, b, c; };
void main() {
  uvec3 group = gl_WorkGroupID;
  uint i = ((group.z * gl_NumWorkGroups.y + group.y) * gl_NumWorkGroups.x + group.x) * 64 + gl_LocalInvocationID.x;
  z[i] = a * x[i] + b * y[i] + c;
}
