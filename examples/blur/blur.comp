// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#version 460
layout(local_size_x = 8, local_size_y = 8) in;

layout(set = 0, binding = 0) uniform sampler2D from;
layout(set = 0, binding = 1, rgba8) writeonly uniform image2D to;

// Binomial weights: 1 6 15 20 15 6 1, over 64.
const float weights[4] = float[](20.0, 15.0, 6.0, 1.0);

void main() {
  ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  vec2 size = vec2(imageSize(to));
  vec4 sum = vec4(0.0);
  for (int i = -3; i <= 3; ++i) {
    sum += weights[abs(i)] / 64.0 * textureLod(from, (vec2(at + i * DIRECTION) + 0.5) / size, 0.0);
  }
  imageStore(to, at, sum);
}
