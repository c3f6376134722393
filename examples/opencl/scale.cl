// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// clang --target=spirv64 -O1 -cl-std=CL3.0 -c scale.cl -o scale.spv
kernel void scale(global const uint* x, global uint* y, uint factor) {
  size_t i = get_global_id(0);
  y[i] = x[i] * factor;
}
