// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Properties of a float type for the error bounds (docs/spec/tosa.md#data-types).
#pragma once

#include <cmath>

#include "tosa/data_type.hpp"

namespace slipway::reference {

struct Precision {
  int fraction_bits;
  double min_normal, max;

  double min_subnormal() const { return std::ldexp(min_normal, -fraction_bits); }
};

constexpr Precision precision_of(tosa::DataType type) {
  switch (type) {
    case tosa::DataType::F16:
      return {10, 0x1p-14, 65504};
    case tosa::DataType::BF16:
      return {7, 0x1p-126, 0x1p128 - 0x1p120};
    case tosa::DataType::F8E4M3:
      return {3, 0x1p-6, 448};
    case tosa::DataType::F8E5M2:
      return {2, 0x1p-14, 57344};
    default:
      return {23, 0x1p-126, 0x1p128 - 0x1p104};
  }
}

}  // namespace slipway::reference
