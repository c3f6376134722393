// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes edges as grey values. Replaces the module `to_picture` of the model, which has no code.
#version 460
#extension GL_ARM_tensors : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0) uniform tensorARM<int8_t, 4> edges;
layout(set = 0, binding = 1, rgba8) writeonly uniform image2D picture;

void main() {
  ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  int8_t value;
  tensorReadARM(edges, uint[](0, at.y, at.x, 0), value);
  imageStore(picture, at, vec4(vec3(int(value) + 128) / 255.0, 1.0));
}
