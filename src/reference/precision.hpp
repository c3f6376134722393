// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Properties of a float type for the error bounds (docs/spec/tosa.md#data-types).
#pragma once

#include <cmath>

#include "tosa/block_formats.hpp"

namespace slipway::reference {

struct Precision {
  int fraction_bits;
  double min_normal, max;

  double min_subnormal() const { return std::ldexp(min_normal, -fraction_bits); }
};

inline Precision precision_of(tosa::DataType type) {
  switch (type) {
    case tosa::DataType::F16:
      return {10, 0x1p-14, 65504};
    case tosa::DataType::BF16:
      return {7, 0x1p-126, 0x1p128 - 0x1p120};
    case tosa::DataType::F8E4M3:
      return {3, 0x1p-6, 448};
    case tosa::DataType::F8E5M2:
      return {2, 0x1p-14, 57344};
    case tosa::DataType::F4E2M1:
    case tosa::DataType::F6E2M3:
    case tosa::DataType::F6E3M2:
    case tosa::DataType::MXI8: {
      const tosa::BlockFormat format = tosa::block_format(type);
      return {format.mantissa_bits, std::ldexp(1.0, format.min_exponent), format.max};
    }
    default:
      return {23, 0x1p-126, 0x1p128 - 0x1p104};
  }
}

}  // namespace slipway::reference
