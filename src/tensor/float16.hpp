// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C++ types of 16- and 8-bit float elements. All convert from and to double explicitly, with one rounding to
// nearest even.
//
// clang has no std::float16_t and std::bfloat16_t. Only this header uses the names of the compilers for them.
#pragma once

#include <cstdint>

#include "tensor/small_float.hpp"

namespace slipway::tensor {

using Float16 = _Float16;
using BFloat16 = __bf16;

struct Float8E4M3 {
  std::uint8_t bits = 0;

  Float8E4M3() = default;
  explicit Float8E4M3(double value) : bits(static_cast<std::uint8_t>(encode_float(kE4M3, value))) {}
  explicit operator double() const { return decode_float(kE4M3, bits); }
};

struct Float8E5M2 {
  std::uint8_t bits = 0;

  Float8E5M2() = default;
  explicit Float8E5M2(double value) : bits(static_cast<std::uint8_t>(encode_float(kE5M2, value))) {}
  explicit operator double() const { return decode_float(kE5M2, bits); }
};

}  // namespace slipway::tensor
