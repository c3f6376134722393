// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tensor/small_float.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace slipway::tensor {
namespace {

std::uint32_t low_mask(int bits) { return (1u << bits) - 1; }
int bias_of(FloatLayout layout) { return (1 << (layout.exponent_bits - 1)) - 1; }

// Patterns without the sign bit.
std::uint32_t largest_bits(FloatLayout layout) {
  const std::uint32_t all = low_mask(layout.exponent_bits + layout.mantissa_bits);
  if (!layout.has_nan) return all;
  return layout.has_infinity ? (low_mask(layout.exponent_bits) << layout.mantissa_bits) - 1 : all - 1;
}

std::uint32_t infinity_bits(FloatLayout layout) { return largest_bits(layout) + (layout.has_nan ? 1 : 0); }

std::uint32_t nan_bits(FloatLayout layout) {
  return layout.has_infinity ? infinity_bits(layout) | 1u << (layout.mantissa_bits - 1) : infinity_bits(layout);
}

}  // namespace

double decode_float(FloatLayout layout, std::uint32_t bits) {
  const int sign_shift = layout.exponent_bits + layout.mantissa_bits;
  const std::uint32_t magnitude = bits & low_mask(sign_shift);
  const double sign = layout.has_sign && (bits >> sign_shift & 1) ? -1.0 : 1.0;
  if (magnitude > largest_bits(layout)) {
    const bool infinite = layout.has_infinity && magnitude == infinity_bits(layout);
    return std::copysign(infinite ? HUGE_VAL : std::numeric_limits<double>::quiet_NaN(), sign);
  }
  const int exponent = static_cast<int>(magnitude >> layout.mantissa_bits);
  std::uint32_t mantissa = magnitude & low_mask(layout.mantissa_bits);
  if (exponent != 0) mantissa |= 1u << layout.mantissa_bits;
  return sign * std::ldexp(mantissa, std::max(exponent, 1) - bias_of(layout) - layout.mantissa_bits);
}

std::uint32_t encode_float(FloatLayout layout, double value) {
  if (std::isnan(value)) return nan_bits(layout);
  std::uint32_t sign = 0;
  if (std::signbit(value)) {
    if (!layout.has_sign) return 0;
    sign = 1u << (layout.exponent_bits + layout.mantissa_bits);
  }
  const double magnitude = std::fabs(value);
  if (magnitude == 0) return sign;
  const std::uint32_t overflow = sign | infinity_bits(layout);
  if (magnitude >= 2 * largest_value(layout)) return overflow;

  // The unit of the last place at this magnitude; subnormals share that of the smallest normal.
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  const int lowest = 1 - bias_of(layout);
  exponent = std::max(exponent - 1, lowest);
  const auto units = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(magnitude, layout.mantissa_bits - exponent)));
  // The leading one of a normal number adds the 1 by which the exponent field is larger; so does a carry of the
  // rounding.
  const std::uint32_t bits = (static_cast<std::uint32_t>(exponent - lowest) << layout.mantissa_bits) + units;
  return bits > largest_bits(layout) ? overflow : sign | bits;
}

namespace {

constexpr std::uint8_t kScaleNan = 0xff;
constexpr int kScaleBias = 127;

}  // namespace

double decode_scale(std::uint8_t bits) {
  return bits == kScaleNan ? std::numeric_limits<double>::quiet_NaN() : std::ldexp(1.0, bits - kScaleBias);
}

std::uint8_t encode_scale(double value) {
  if (!(value > 0) || std::isinf(value)) return kScaleNan;
  const double exponent = std::nearbyint(std::log2(value)) + kScaleBias;
  return exponent >= kScaleNan ? kScaleNan : static_cast<std::uint8_t>(std::max(exponent, 0.0));
}

std::int8_t encode_mx_int8(double value) {
  if (std::isnan(value)) return 0;
  return static_cast<std::int8_t>(std::clamp(std::nearbyint(value * 64), -128.0, 127.0));
}

double largest_value(FloatLayout layout) { return decode_float(layout, largest_bits(layout)); }

}  // namespace slipway::tensor
