// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#version 460
layout(location = 0) in vec3 position;
layout(location = 1) in vec4 color;
layout(location = 0) out vec4 shade;
void main() { gl_Position = vec4(position, 1); gl_PointSize = 1; shade = color; }
