// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#version 460
// The middle of a level of an image.
layout(push_constant) uniform Push { float level; };
layout(set = 0, binding = 0) uniform sampler2D image;
layout(set = 0, binding = 1) writeonly buffer X { vec4 x; };
void main() { x = textureLod(image, vec2(0.5), level); }
