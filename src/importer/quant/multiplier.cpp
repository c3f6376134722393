// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/quant/multiplier.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace slipway::importer {

Multiplier multiplier_of(double scale) {
  if (scale == 0) return {};
  int exponent = 0;
  const double fraction = std::frexp(scale, &exponent);
  auto mantissa = static_cast<std::int64_t>(std::round(std::ldexp(fraction, 31)));
  if (mantissa == std::int64_t{1} << 31) {
    mantissa /= 2;
    ++exponent;
  }
  if (exponent < -31) return {};
  return {static_cast<std::int32_t>(mantissa), exponent};
}

std::int32_t high_product(std::int32_t a, std::int32_t b) {
  constexpr std::int32_t kMinInt32 = std::numeric_limits<std::int32_t>::min();
  if (a == kMinInt32 && b == kMinInt32) return std::numeric_limits<std::int32_t>::max();
  return static_cast<std::int32_t>((std::int64_t{a} * b + (std::int64_t{1} << 30)) >> 31);
}

std::int32_t divided_by_power(std::int32_t value, int exponent) {
  if (exponent == 0) return value;
  if (exponent > 31) return (value >> (exponent & 31)) + (value > (value < 0 ? 0 : -1) ? 1 : 0);
  const std::int64_t half = std::int64_t{1} << (exponent - 1);
  return static_cast<std::int32_t>((value + half - (value < 0 ? 1 : 0)) >> exponent);
}

std::int32_t multiplied(std::int32_t value, const Multiplier& by, Arithmetic arithmetic) {
  if (arithmetic == Arithmetic::Single) {
    const int shift = 31 - by.exponent;
    return static_cast<std::int32_t>((std::int64_t{value} * by.mantissa + (std::int64_t{1} << (shift - 1))) >> shift);
  }
  const auto shifted = static_cast<std::int32_t>(static_cast<std::uint32_t>(value) << std::max(by.exponent, 0));
  return divided_by_power(high_product(shifted, by.mantissa), std::max(-by.exponent, 0));
}

}  // namespace slipway::importer
