// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#version 450
// Computes the mean of each 2 x 2 window of a group of four channels, times a weight per channel.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) readonly buffer Ifm { vec4 ifm[]; };
layout(set = 0, binding = 1) readonly buffer Wts { vec4 wts; };
layout(set = 0, binding = 2) writeonly buffer Ofm { vec4 ofm[]; };
layout(push_constant) uniform Shape { uint width, height; } shape;  // of the input
void main() {
  uint columns = shape.width / 2, i = gl_GlobalInvocationID.x;
  if (i >= columns * (shape.height / 2)) return;
  uint at = i / columns * 2 * shape.width + i % columns * 2;
  ofm[i] = (ifm[at] + ifm[at + 1] + ifm[at + shape.width] + ifm[at + shape.width + 1]) * 0.25 * wts;
}
