// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Narrow floats, described by their fields: [sign] exponent mantissa, with subnormals, as in IEEE 754.
//
//   decode_float(kE4M3, 0x7e) == 448.0        encode_float(kE4M3, 449.0) == 0x7e
//
// One pair of functions serves FP8 (OCP 8-bit floating point 1.0), the elements of OCP microscaling formats 1.0 and the
// unsigned 10- and 11-bit floats of B10G11R11 formats (Vulkan, "Unsigned 11-Bit and 10-Bit Floating-Point Numbers").
#pragma once

#include <cstdint>

namespace slipway::tensor {

struct FloatLayout {
  int exponent_bits;
  int mantissa_bits;
  bool has_sign = true;
  // If true, the highest exponent encodes infinities and NaNs; if false, only the pattern of all ones is a NaN.
  bool has_infinity = true;
  // If false, all patterns are numbers.
  bool has_nan = true;
};

inline constexpr FloatLayout kE4M3{4, 3, true, false};
inline constexpr FloatLayout kE5M2{5, 2};
inline constexpr FloatLayout kE2M1{2, 1, true, false, false};
inline constexpr FloatLayout kE2M3{2, 3, true, false, false};
inline constexpr FloatLayout kE3M2{3, 2, true, false, false};
inline constexpr FloatLayout kF16{5, 10};
inline constexpr FloatLayout kBF16{8, 7};
inline constexpr FloatLayout kUnsigned11{5, 6, false};
inline constexpr FloatLayout kUnsigned10{5, 5, false};

// Exact. Bits above those of the layout are ignored.
double decode_float(FloatLayout layout, std::uint32_t bits);

// Rounds to nearest, ties to even. A value that rounds beyond the largest becomes infinity, or NaN if there is
// no infinity; without a NaN, it and NaN become the largest. Without a sign, negative values become zero.
std::uint32_t encode_float(FloatLayout layout, double value);

double largest_value(FloatLayout layout);

// E8M0: 2^(bits - 127), or NaN.
double decode_scale(std::uint8_t bits);
std::uint8_t encode_scale(double value);
// To a multiple of 1/64 of 8 bits, saturated; NaN becomes 0.
std::int8_t encode_mx_int8(double value);

}  // namespace slipway::tensor
