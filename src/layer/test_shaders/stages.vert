// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#version 460
#extension GL_ARM_tensors : require
layout(set = 0, binding = 0) uniform tensorARM<int, 1> seen;
void main() {
  tensorWriteARM(seen, uint[](0), 10);
  gl_Position = vec4(gl_VertexIndex % 2, gl_VertexIndex / 2, 0, 1);
}
