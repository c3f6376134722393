// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#version 460
// Never ends while x[0] is 0.
layout(set = 0, binding = 0) buffer X { uint x[]; };
void main() {
  while (x[0] == 0) x[1] += 1;
}
