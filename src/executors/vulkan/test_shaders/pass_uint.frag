// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#version 460
layout(location = 0) flat in uvec4 passed;
layout(location = 0) out uvec4 value;
void main() { value = passed; }
