// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#version 460
// Optical flow by block matching, as the motion engine does it (docs/spec/vgf.md#motion-engine-instructions).
//
// Every cell of the output grid has a block of the template image. The search covers rings around the hint, or around
// zero displacement, for the displacement at which the search image differs least from the block: by the sum of
// absolute differences of the luma of each pixel, in 256 steps. Pixels outside an image are black.
layout(local_size_x = 8, local_size_y = 8) in;
layout(constant_id = 0) const int kGrid = 1;    // pixels of a cell
layout(constant_id = 1) const int kBlock = 8;   // pixels compared, per side
layout(constant_id = 2) const int kComponents = 3;
layout(push_constant) uniform Pushed { int radius; };  // rings
layout(set = 0, binding = 0) uniform sampler2D search;
layout(set = 0, binding = 1) uniform sampler2D pattern;
layout(set = 0, binding = 2, rg16f) writeonly uniform image2D flow;
#ifdef HINT
layout(set = 0, binding = 3) uniform sampler2D hint;
#endif
#ifdef COST
layout(set = 0, binding = 4, r16ui) writeonly uniform uimage2D cost;
#endif

int luma(vec4 color) {
  float value = kComponents == 1 ? color.r : dot(color.rgb, vec3(0.299, 0.587, 0.114));
  return int(clamp(value, 0.0, 1.0) * 255.0 + 0.5);
}

int searched(ivec2 at) {
  ivec2 size = textureSize(search, 0);
  if (any(lessThan(at, ivec2(0))) || any(greaterThanEqual(at, size))) return 0;
  return luma(texelFetch(search, at, 0));
}

int wanted(ivec2 at) {
  ivec2 size = textureSize(pattern, 0);
  if (any(lessThan(at, ivec2(0))) || any(greaterThanEqual(at, size))) return 0;
  return luma(texelFetch(pattern, at, 0));
}

ivec2 corner;
int least = 0x7fffffff;
ivec2 best = ivec2(0);

void look(ivec2 by) {
  int sum = 0;
  for (int y = 0; y < kBlock; ++y) {
    for (int x = 0; x < kBlock; ++x) sum += abs(searched(corner + ivec2(x, y) + by) - wanted(corner + ivec2(x, y)));
    if (sum >= least) return;
  }
  least = sum;
  best = by;
}

void main() {
  ivec2 cell = ivec2(gl_GlobalInvocationID.xy);
  if (any(greaterThanEqual(cell, imageSize(flow)))) return;
  corner = cell * kGrid - (kBlock - kGrid) / 2;
  ivec2 center = ivec2(0);
#ifdef HINT
  center = ivec2(roundEven(texelFetch(hint, cell, 0).xy));
#endif
  look(center);
  for (int ring = 1; ring <= radius; ++ring) {
    for (int i = -ring; i < ring; ++i) look(center + ivec2(i, ring));
    for (int i = -ring; i < ring; ++i) look(center + ivec2(ring, -i));
    for (int i = -ring; i < ring; ++i) look(center + ivec2(-i, -ring));
    for (int i = -ring; i < ring; ++i) look(center + ivec2(-ring, i));
  }
  imageStore(flow, cell, vec4(best, 0, 0));
#ifdef COST
  imageStore(cost, cell, uvec4(min(least, 65535)));
#endif
}
