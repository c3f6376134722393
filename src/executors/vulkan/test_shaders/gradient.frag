// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#version 460
layout(push_constant) uniform Push { float blue; };
layout(set = 0, binding = 0) readonly buffer X { float green; };
layout(location = 0) out vec4 colour;
void main() { colour = vec4(floor(gl_FragCoord.x) / 255, green, blue, 1); }
