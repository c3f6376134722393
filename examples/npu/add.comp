// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#version 450
// Does what the NPU kernel of this example would do: ofm = ifm + wts, for each 32-bit word.
layout(local_size_x = 16) in;
layout(set = 0, binding = 0, std430) readonly buffer Ifm { uint ifm[]; };
layout(set = 0, binding = 1, std430) readonly buffer Wts { uint wts[]; };
layout(set = 0, binding = 2, std430) writeonly buffer Ofm { uint ofm[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < ofm.length()) ofm[i] = ifm[i] + wts[i];
}
