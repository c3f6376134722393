// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tosa/vulkan_format.hpp"

#include <utility>

namespace slipway::tosa {

vk::Format tensor_format(DataType type, bool is_unsigned) {
  using enum DataType;
  switch (type) {
    case Bool:
      return vk::Format::R8_BOOL_ARM;
    case I4:
    case I8:
      return is_unsigned ? vk::Format::R8_UINT : vk::Format::R8_SINT;
    case I16:
      return is_unsigned ? vk::Format::R16_UINT : vk::Format::R16_SINT;
    case I32:
      return is_unsigned ? vk::Format::R32_UINT : vk::Format::R32_SINT;
    case I48:
      return vk::Format::R64_SINT;
    case F16:
      return vk::Format::R16_SFLOAT;
    case BF16:
      return vk::Format::R16_SFLOAT_FPENCODING_BFLOAT16_ARM;
    case F32:
      return vk::Format::R32_SFLOAT;
    case F8E4M3:
      return vk::Format::R8_SFLOAT_FPENCODING_FLOAT8E4M3_ARM;
    case F8E5M2:
      return vk::Format::R8_SFLOAT_FPENCODING_FLOAT8E5M2_ARM;
    default:  // block-scaled types, which no file with formats has
      break;
  }
  std::unreachable();
}

bool is_stored_as(DataType type, tensor::ElementType given) {
  using enum tensor::ElementType;
  const tensor::ElementType stored = storage_of(type);
  switch (given) {
    case U8:
      return stored == I8;
    case U16:
      return stored == I16;
    case U32:
      return stored == I32;
    case U64:
      return stored == I64;
    default:
      return stored == given;
  }
}

}  // namespace slipway::tosa
