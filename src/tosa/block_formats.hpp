// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The formats of the elements of block-scaled tensors (OCP microscaling formats 1.0).
#pragma once

#include <utility>

#include "tosa/data_type.hpp"

namespace slipway::tosa {

struct BlockFormat {
  int mantissa_bits;
  int min_exponent;  // of normal numbers
  int max_exponent;  // of the largest number
  double max;
};

constexpr BlockFormat block_format(DataType type) {
  switch (type) {
    case DataType::F8E4M3:
      return {3, -6, 8, 448};
    case DataType::F8E5M2:
      return {2, -14, 15, 57344};
    case DataType::F4E2M1:
      return {1, 0, 2, 6};
    case DataType::F6E2M3:
      return {3, 0, 2, 7.5};
    case DataType::F6E3M2:
      return {2, -2, 4, 28};
    case DataType::MXI8:  // a fixed point with 6 bits after it
      return {6, 0, 0, 127.0 / 64};
    default:
      std::unreachable();
  }
}

// Of the exponents of 32-bit floats, and of E8M0.
inline constexpr int kMinExponent = -126, kMinScaleExponent = -127;
inline constexpr double kMinNormal = 0x1p-126;

}  // namespace slipway::tosa
