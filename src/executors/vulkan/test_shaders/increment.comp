// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#version 460
layout(set = 0, binding = 0) buffer X { uint x[]; };
void main() { x[gl_GlobalInvocationID.x] += 1; }
