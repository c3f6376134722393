// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#version 460
layout(location = 0) in vec4 shade;
layout(location = 0) out vec4 first;
layout(location = 1) out vec4 second;
void main() { first = shade; second = shade.wzyx; }
