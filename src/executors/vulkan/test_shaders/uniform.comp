// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#version 460
layout(set = 0, binding = 0) uniform U { uvec4 u; };
layout(set = 0, binding = 1) writeonly buffer X { uvec4 x; };
void main() { x = u * 2; }
