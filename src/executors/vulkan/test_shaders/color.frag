// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#version 460
layout(location = 0) in vec4 shade;
layout(location = 0) out vec4 color;
void main() { color = shade; }
