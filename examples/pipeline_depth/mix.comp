// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#version 450
// Enough arithmetic to keep a device busy for a while: y[i] is x[i] after `rounds` rounds of a hash.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer X { uint x[]; };
layout(set = 0, binding = 1) writeonly buffer Y { uint y[]; };
layout(push_constant) uniform P { uint rounds; } p;
void main() {
  uint i = gl_GlobalInvocationID.x, value = x[i];
  for (uint r = 0; r < p.rounds; ++r) value = value * 747796405u + 2891336453u;
  y[i] = value;
}
