// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#version 460
// Copies the elements of the tensor that a descriptor has when the shader runs, to memory without gaps or from it. The
// descriptor is the record of the tensor (spirv::TensorRecord); its set and binding are replaced in the compiled module.
// A tensor of another shape than the pipeline of the graph expects, and a null descriptor, are left alone.
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 64) in;
// Of the binding; the last one is read.
layout(constant_id = 0) const uint count = 1;
layout(set = 0, binding = 0) uniform Record { uvec4 words[5]; } records[count];
// layer::AfterBindCopy::Pushed
layout(push_constant) uniform Pushed {
  uint64_t memory;  // address
  uint elements;
  uint rank;
  uint size;  // of an element, in bytes
  uint to_tensor;
  uint shape[6];
};
layout(buffer_reference, std430, buffer_reference_align = 1) buffer Bytes { uint8_t value; };
layout(buffer_reference, std430, buffer_reference_align = 2) buffer Halves { uint16_t value; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint value; };
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Longs { uvec2 value; };

uint word(uint index) { return records[count - 1].words[index >> 2][index & 3]; }
uint64_t two_words(uint index) { return uint64_t(word(index)) | (uint64_t(word(index + 1)) << 32); }
uint64_t stride(uint dimension) { return two_words(2 + 2 * dimension); }

void move(uint64_t at_memory, uint64_t at_tensor, uint bytes) {
  uint64_t from = to_tensor != 0 ? at_memory : at_tensor, to = to_tensor != 0 ? at_tensor : at_memory;
  if (bytes == 4) {
    Words(to).value = Words(from).value;
  } else if (bytes == 8) {
    Longs(to).value = Longs(from).value;
  } else if (bytes == 2) {
    Halves(to).value = Halves(from).value;
  } else {
    Bytes(to).value = Bytes(from).value;
  }
}

void main() {
  uint64_t tensor = two_words(0), packed_stride = size;
  if (tensor == 0) return;
  bool packed = true;
  for (uint d = rank; d-- > 0;) {
    if (word(14 + d) != shape[d]) return;
    packed = packed && stride(d) == packed_stride;
    packed_stride *= shape[d];
  }
  uint id = gl_GlobalInvocationID.x, invocations = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
  if (packed) {
    // Several small elements at once.
    uint unit = max(size, 4), units = uint(packed_stride / unit);
    for (uint i = id; i < units; i += invocations) {
      uint64_t offset = uint64_t(i) * unit;
      move(memory + offset, tensor + offset, unit);
    }
    uint64_t rest = uint64_t(units) * unit + uint64_t(id) * size;
    if (rest < packed_stride) move(memory + rest, tensor + rest, size);
    return;
  }
  for (uint i = id; i < elements; i += invocations) {
    uint64_t offset = 0;
    uint index = i;
    for (uint d = rank; d-- > 0;) {
      offset += uint64_t(index % shape[d]) * stride(d);
      index /= shape[d];
    }
    move(memory + uint64_t(i) * size, tensor + offset, size);
  }
}
