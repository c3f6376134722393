// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#version 460
#extension GL_ARM_tensors : require
layout(vertices = 3) out;
layout(set = 0, binding = 0) uniform tensorARM<int, 1> seen;
void main() {
  int before;
  tensorReadARM(seen, uint[](6), before);
  tensorWriteARM(seen, uint[](1), before + 20);
  gl_TessLevelInner[0] = 1;
  for (int i = 0; i < 3; ++i) gl_TessLevelOuter[i] = 1;
  gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
}
