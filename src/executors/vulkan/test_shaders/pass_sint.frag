// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#version 460
layout(location = 0) flat in ivec4 passed;
layout(location = 0) out ivec4 value;
void main() { value = passed; }
