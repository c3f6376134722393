// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
layout(local_size_x = 4) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint words[]; };
layout(push_constant) uniform Addresses { Words from; uint scale; Words to; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  to.words[i] += from.words[i] * scale;
}
