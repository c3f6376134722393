// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Narrow floats, described by their fields: [sign] exponent mantissa, with subnormals, as in IEEE 754.
//
//   decode_float(kE4M3, 0x7e) == 448.0        encode_float(kE4M3, 449.0) == 0x7e
//
// One pair of functions serves FP8 (OCP 8-bit floating point 1.0) and the unsigned 10- and 11-bit floats of B10G11R11
// formats (Vulkan, "Unsigned 11-Bit and 10-Bit Floating-Point Numbers").
#pragma once

#include <cstdint>

namespace slipway::tensor {

struct FloatLayout {
  int exponent_bits;
  int mantissa_bits;
  bool has_sign = true;
  // If true, the highest exponent encodes infinities and NaNs; if false, only the pattern of all ones is a NaN.
  bool has_infinity = true;
};

inline constexpr FloatLayout kE4M3{4, 3, true, false};
inline constexpr FloatLayout kE5M2{5, 2};
inline constexpr FloatLayout kF16{5, 10};
inline constexpr FloatLayout kBF16{8, 7};
inline constexpr FloatLayout kUnsigned11{5, 6, false};
inline constexpr FloatLayout kUnsigned10{5, 5, false};

// Exact. Bits above those of the layout are ignored.
double decode_float(FloatLayout layout, std::uint32_t bits);

// Rounds to nearest, ties to even. A value that rounds beyond the largest becomes infinity, or NaN if there is
// no infinity. Without a sign, negative values become zero.
std::uint32_t encode_float(FloatLayout layout, double value);

double largest_value(FloatLayout layout);

}  // namespace slipway::tensor
