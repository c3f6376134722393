// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#version 460
layout(location = 0) flat in vec4 passed;
layout(location = 0) out vec4 value;
void main() { value = passed; }
