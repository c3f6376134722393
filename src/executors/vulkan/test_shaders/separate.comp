// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#version 460
// A texel through a separate image and sampler.
layout(set = 0, binding = 0) uniform texture2D image;
layout(set = 0, binding = 1) uniform sampler way;
layout(set = 0, binding = 2) writeonly buffer X { vec4 x; };
void main() { x = textureLod(sampler2D(image, way), vec2(-1, 0.5), 0); }
