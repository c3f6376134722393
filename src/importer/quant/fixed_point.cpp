// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/quant/fixed_point.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace slipway::importer {
namespace {

constexpr std::int32_t kMaxInt32 = std::numeric_limits<std::int32_t>::max();

// A number in [-1, 1) as Q0.31.
std::int32_t fraction_of(double value) { return static_cast<std::int32_t>(std::round(std::ldexp(value, 31))); }

// 48/17 and -32/17 as Q2.29: the line that approximates 1/x on [1/2, 1] best.
const std::int32_t kInverseStart = static_cast<std::int32_t>(std::round(std::ldexp(48.0 / 17, 29)));
const std::int32_t kInverseSlope = static_cast<std::int32_t>(std::round(std::ldexp(-32.0 / 17, 29)));
constexpr std::int32_t kOneIn2 = 1 << 29, kOneIn3 = 1 << 28, kOneAndHalfIn3 = (1 << 28) + (1 << 27);
constexpr int kSteps = 3, kRootSteps = 5;

// exp(x) for Q0.31 in [-1/4, 0): Taylor's polynomial around -1/8.
std::int32_t exp_of_quarter(std::int32_t a) {
  const std::int32_t middle = fraction_of(std::exp(-1.0 / 8)), third = fraction_of(1.0 / 3);
  const std::int32_t x = a + (1 << 28);
  const std::int32_t x2 = high_product(x, x), x3 = high_product(x2, x), x4 = high_product(x2, x2);
  const std::int32_t sum = high_product(divided_by_power(x4, 2) + x3, third) + x2;
  return middle + high_product(middle, x + divided_by_power(sum, 1));
}

}  // namespace

std::int32_t exp_of_negative(std::int32_t x) {
  if (x == 0) return kMaxInt32;
  constexpr std::int32_t kQuarter = 1 << 24;
  const std::int32_t part = (x & (kQuarter - 1)) - kQuarter;
  std::int32_t result = exp_of_quarter(part * 32);
  const std::int32_t rest = part - x;
  for (int power = -2; power <= 4; ++power) {
    if (rest & (1 << (26 + power))) result = high_product(result, fraction_of(std::exp(-std::ldexp(1.0, power))));
  }
  return result;
}

std::int32_t inverse_of_one_plus(std::int32_t x) {
  const std::int32_t half = (x >> 1) + (1 << 30);
  std::int32_t result = kInverseStart + high_product(half, kInverseSlope);
  for (int i = 0; i < kSteps; ++i) {
    const std::int32_t error = kOneIn2 - high_product(half, result);
    result += high_product(result, error) * 4;
  }
  return result > kMaxInt32 / 2 ? kMaxInt32 : result * 2;
}

namespace {

// Arithmetic of 16 bits: sums wrap, products are those of fractions.
struct Short {
  std::int16_t raw = 0;

  friend Short operator+(Short a, Short b) { return {static_cast<std::int16_t>(a.raw + b.raw)}; }
  friend Short operator-(Short a, Short b) { return {static_cast<std::int16_t>(a.raw - b.raw)}; }
  friend Short operator*(Short a, Short b) {
    const std::int32_t product = a.raw * b.raw, nudge = product >= 0 ? 1 << 14 : 1 - (1 << 14);
    return saturated((product + nudge) / (1 << 15));
  }
  static Short saturated(std::int32_t value) { return {static_cast<std::int16_t>(std::clamp(value, -0x8000, 0x7fff))}; }
  // With `integer_bits` bits before the point.
  static Short of(double value, int integer_bits = 0) {
    return saturated(static_cast<std::int32_t>(std::round(std::ldexp(value, 15 - integer_bits))));
  }
  // x * 2^exponent, rounded or saturated.
  Short times_power(int exponent) const {
    return saturated(exponent < 0 ? divided_by_power(raw, -exponent) : std::int32_t{raw} * (1 << exponent));
  }
};

constexpr Short kAlmostOne{0x7fff};

Short short_exp_of_quarter(Short a) {
  const Short middle = Short::of(std::exp(-1.0 / 8)), third = Short::of(1.0 / 3);
  const Short x = a + Short::of(1.0 / 8), x2 = x * x, x3 = x2 * x, x4 = x2 * x2;
  const Short sum = ((x4.times_power(-2) + x3) * third + x2).times_power(-1);
  return Short::saturated(middle.raw + (middle * (x + sum)).raw);
}

// exp(x) for x up to 0.
Short short_exp_of_negative(Short x, int integer_bits) {
  if (x.raw == 0) return kAlmostOne;
  const int fraction_bits = 15 - integer_bits, quarter = 1 << (fraction_bits - 2);
  const Short part{static_cast<std::int16_t>((x.raw & (quarter - 1)) - quarter)};
  Short result = short_exp_of_quarter(part.times_power(integer_bits));
  const int rest = (part - x).raw;
  for (int power = -2; power <= 4 && power < integer_bits; ++power) {
    if (rest & (1 << (fraction_bits + power))) result = result * Short::of(std::exp(-std::ldexp(1.0, power)));
  }
  return integer_bits > 5 && x.raw < -(32 << fraction_bits) ? Short{} : result;
}

// 1 / (1 + x) as Q2.13 after steps of Newton, times 2.
Short twice_inverse_of_one_plus(Short x) {
  const Short half{static_cast<std::int16_t>((x.raw + kAlmostOne.raw + 1) / 2)};
  Short result = Short::of(48.0 / 17, 2) + half * Short::of(-32.0 / 17, 2);
  for (int i = 0; i < kSteps; ++i) result = result + (result * (Short::of(1, 2) - half * result)).times_power(2);
  return result;
}

}  // namespace

std::int16_t logistic_of_16_bits(std::int16_t x) {
  if (x == 0) return 1 << 14;
  const Short magnitude{static_cast<std::int16_t>(x < 0 ? x : -x)};
  // A Q1.14 with the bits of a Q2.13 is half of it.
  const Short positive = twice_inverse_of_one_plus(short_exp_of_negative(magnitude, 3)).times_power(1);
  return x > 0 ? positive.raw : (kAlmostOne - positive).raw;
}

std::int16_t tanh_of_16_bits(std::int16_t x, int integer_bits) {
  if (x == 0) return 0;
  const Short magnitude{static_cast<std::int16_t>(x < 0 ? x : -x)};
  // exp(-2 |x|): the same bits with one more before the point.
  const Short power = short_exp_of_negative(magnitude, integer_bits + 1);
  const Short result = (twice_inverse_of_one_plus(power) - Short::of(1, 2)).times_power(2);
  return x < 0 ? static_cast<std::int16_t>(-result.raw) : result.raw;
}

Term high_product(Builder& b, const Term& x, const Term& y) {
  const std::size_t rank = std::max(x.rank(), y.rank());
  return b.term(b.add(tosa::Op::MUL, {b.value(b.with_rank(x, rank)), b.value(b.with_rank(y, rank))}, {{"shift", {31}}}),
                FileType::I32);
}

Term inverse_of_one_plus(Builder& b, const Term& x) {
  const auto number = [&](std::int32_t value) { return b.number(FileType::I32, value); };
  const Term half = b.add(b.binary(Binary::ShiftRight, x, 1), number(1 << 30));
  Term result = b.add(number(kInverseStart), high_product(b, half, number(kInverseSlope)));
  for (int i = 0; i < kSteps; ++i) {
    const Term error = b.sub(number(kOneIn2), high_product(b, half, result));
    result = b.add(result, b.binary(Binary::ShiftLeft, high_product(b, result, error), 2));
  }
  const Term is_one = b.binary(Binary::Greater, result, number(kMaxInt32 / 2));
  return b.select(is_one, number(kMaxInt32), b.binary(Binary::ShiftLeft, result, 1));
}

Multiplier inverse_square_root(std::int32_t x) {
  if (x <= 1) return {.mantissa = kMaxInt32, .exponent = 0};
  int shift = 11;
  while (x >= 1 << 29) {
    x /= 4;
    ++shift;
  }
  const int pairs = (std::countl_zero(static_cast<std::uint32_t>(x)) - 1) / 2 - 1;
  shift -= pairs;
  const std::int32_t input = x << (2 * pairs) >> 1, half = divided_by_power(input, 1);
  std::int32_t root = kOneIn3;
  for (int i = 0; i < kRootSteps; ++i) {
    const std::int32_t cube = high_product(high_product(root, root), root) * 64;
    root = (high_product(kOneAndHalfIn3, root) - high_product(half, cube)) * 8;
  }
  root = high_product(root, fraction_of(std::sqrt(2.0) / 2));
  return shift < 0 ? Multiplier{.mantissa = root << -shift, .exponent = 0}
                   : Multiplier{.mantissa = root, .exponent = -shift};
}

InverseRoots inverse_square_root(Builder& b, const Term& x) {
  const auto number = [&](std::int32_t value) { return b.number(FileType::I32, value); };
  const Term is_large = b.binary(Binary::GreaterEqual, x, number(1 << 29));
  const Term positive = b.binary(Binary::Max, x, number(2));
  const Term smaller = b.select(is_large, b.binary(Binary::ShiftRight, positive, 2), positive);
  const Term leading = b.term(b.add(tosa::Op::CLZ, {b.value(smaller)}), FileType::I32);
  const Term pairs = b.binary(Binary::Sub, b.binary(Binary::ShiftRight, b.binary(Binary::Sub, leading, 1), 1), 1);
  const Term shift = b.sub(b.select(is_large, number(12), number(11)), pairs);
  const Term input =
      b.binary(Binary::ShiftRight, b.binary(Binary::ShiftLeft, smaller, b.binary(Binary::ShiftLeft, pairs, 1)), 1);
  const Term half = b.binary(Binary::ShiftRight, b.binary(Binary::Add, input, 1), 1);
  Term root = b.broadcast(number(kOneIn3), x.shape);
  for (int i = 0; i < kRootSteps; ++i) {
    const Term cube = b.binary(Binary::ShiftLeft, high_product(b, high_product(b, root, root), root), 6);
    root = b.binary(Binary::ShiftLeft,
                    b.sub(high_product(b, number(kOneAndHalfIn3), root), high_product(b, half, cube)), 3);
  }
  root = high_product(b, root, number(fraction_of(std::sqrt(2.0) / 2)));
  const Term up = b.binary(Binary::Max, b.unary(Unary::Neg, shift), number(0));
  const Term is_one = b.binary(Binary::LessEqual, x, number(1));
  return {b.select(is_one, number(kMaxInt32), b.binary(Binary::ShiftLeft, root, up)),
          b.select(is_one, number(0), b.binary(Binary::Max, shift, number(0)))};
}

}  // namespace slipway::importer
