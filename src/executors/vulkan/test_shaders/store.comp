// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#version 460
layout(set = 0, binding = 0, rgba8) uniform writeonly image2D image;
void main() { imageStore(image, ivec2(gl_GlobalInvocationID.xy), vec4(vec2(gl_GlobalInvocationID.xy) / 255, 0, 1)); }
