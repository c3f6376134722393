// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C++ types of float elements of 16 bits and less. All convert from and to double explicitly, with one rounding to
// nearest even.
//
// clang has no std::float16_t and std::bfloat16_t. Only this header uses the names of the compilers for them.
#pragma once

#include <cstdint>

#include "tensor/small_float.hpp"

namespace slipway::tensor {

using Float16 = _Float16;
using BFloat16 = __bf16;

// In the low bits of a byte.
template <FloatLayout kLayout>
struct ByteFloat {
  std::uint8_t bits = 0;

  ByteFloat() = default;
  explicit ByteFloat(double value) : bits(static_cast<std::uint8_t>(encode_float(kLayout, value))) {}
  explicit operator double() const { return decode_float(kLayout, bits); }
};
using Float8E4M3 = ByteFloat<kE4M3>;
using Float8E5M2 = ByteFloat<kE5M2>;
using Float4E2M1 = ByteFloat<kE2M1>;
using Float6E2M3 = ByteFloat<kE2M3>;
using Float6E3M2 = ByteFloat<kE3M2>;

// A power of two, or NaN: the scale of a block (OCP microscaling formats 1.0).
struct Float8E8M0 {
  std::uint8_t bits = 0;

  Float8E8M0() = default;
  // The nearest power of two by exponent. NaN for values that are not positive or are too large.
  explicit Float8E8M0(double value) : bits(encode_scale(value)) {}
  explicit operator double() const { return decode_scale(bits); }
};

// A multiple of 1/64 (OCP microscaling formats 1.0, INT8).
struct MxInt8 {
  std::int8_t bits = 0;

  MxInt8() = default;
  explicit MxInt8(double value) : bits(encode_mx_int8(value)) {}
  explicit operator double() const { return bits / 64.0; }
};

}  // namespace slipway::tensor
