// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#version 460
layout(location = 0) in uvec4 value;
layout(location = 0) flat out uvec4 passed;
void main() { gl_Position = vec4(vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4 - 1, 0, 1); passed = value; }
