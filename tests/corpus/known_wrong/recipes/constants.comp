// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Z { uint z[]; };
layout(push_constant) uniform P { int64_t wide; uint64_t large; double exact; float near; uint most; };
void main() {
  uvec2 w = unpack32(uint64_t(wide)), l = unpack32(large), e = unpackDouble2x32(exact);
  z[0] = w.x; z[1] = w.y; z[2] = l.x; z[3] = l.y; z[4] = e.x; z[5] = e.y; z[6] = floatBitsToUint(near); z[7] = most;
}
