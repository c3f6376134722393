// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The formats that tensors have.
#pragma once

#include <volk.h>

#include <cstdint>

namespace slipway::layer {

// Bytes of an element; 0 for a format that tensors do not have.
constexpr std::uint32_t element_size(VkFormat format) {
  switch (format) {
    case VK_FORMAT_R8_UINT:
    case VK_FORMAT_R8_SINT:
    case VK_FORMAT_R8_BOOL_ARM:
    case VK_FORMAT_R8_SFLOAT_FPENCODING_FLOAT8E4M3_ARM:
    case VK_FORMAT_R8_SFLOAT_FPENCODING_FLOAT8E5M2_ARM:
      return 1;
    case VK_FORMAT_R16_UINT:
    case VK_FORMAT_R16_SINT:
    case VK_FORMAT_R16_SFLOAT:
    case VK_FORMAT_R16_SFLOAT_FPENCODING_BFLOAT16_ARM:
      return 2;
    case VK_FORMAT_R32_UINT:
    case VK_FORMAT_R32_SINT:
    case VK_FORMAT_R32_SFLOAT:
      return 4;
    case VK_FORMAT_R64_UINT:
    case VK_FORMAT_R64_SINT:
    case VK_FORMAT_R64_SFLOAT:
      return 8;
    default:
      return 0;
  }
}

// Formats of the extension, which the driver need not know.
constexpr bool is_new_format(VkFormat format) {
  return format >= VK_FORMAT_R8_BOOL_ARM && format <= VK_FORMAT_R8_SFLOAT_FPENCODING_FLOAT8E5M2_ARM;
}

// Formats whose elements graphs cannot have: 64-bit floats, and 64-bit integers without sign.
constexpr bool is_for_graphs(VkFormat format) { return format != VK_FORMAT_R64_SFLOAT && format != VK_FORMAT_R64_UINT; }

}  // namespace slipway::layer
