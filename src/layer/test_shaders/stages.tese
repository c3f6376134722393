// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#version 460
#extension GL_ARM_tensors : require
layout(triangles) in;
layout(set = 0, binding = 0) uniform tensorARM<int, 1> seen;
void main() {
  tensorWriteARM(seen, uint[](2), 30);
  gl_Position = gl_in[0].gl_Position * gl_TessCoord.x + gl_in[1].gl_Position * gl_TessCoord.y +
                gl_in[2].gl_Position * gl_TessCoord.z;
}
