// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SOFTMAX and LOG_SOFTMAX over the last dimension.
#include <cmath>

#include "base/format.hpp"
#include "importer/quant/fixed_point.hpp"
#include "importer/quant/tables.hpp"
#include "importer/tflite/operators.hpp"
#include "importer/tflite/operators/common.hpp"

namespace slipway::importer {
namespace {

// exp() is computed of numbers in Q5.26, and their sum in Q12.19.
constexpr int kInputBits = 5, kSumBits = 12;

// What the kernels multiply differences by.
struct DifferenceScale {
  Multiplier by;
  std::int64_t least;  // smaller differences count as exp() = 0
};

DifferenceScale difference_scale(double beta, float scale) {
  const double multiplier = std::min(beta * static_cast<double>(scale) * (1 << (31 - kInputBits)), 2147483647.0);
  const Multiplier by = multiplier_of(multiplier);
  const double radius = std::ldexp(1.0, kInputBits) - 1;
  return {by, -static_cast<std::int64_t>(std::floor(radius * std::ldexp(1.0, 31 - kInputBits - by.exponent)))};
}

// A table [256] of a function of differences from -255 to 0, in the order of 255 + difference.
Term difference_table(Builder& b, const DifferenceScale& scale,
                      const std::function<std::int64_t(std::int32_t)>& function) {
  std::vector<std::int64_t> entries;
  for (std::int32_t difference = -255; difference <= 0; ++difference) {
    const auto shifted = static_cast<std::int32_t>(static_cast<std::uint32_t>(difference) << scale.by.exponent);
    entries.push_back(difference < scale.least ? 0 : function(high_product(shifted, scale.by.mantissa)));
  }
  return b.integers(FileType::I32, {256}, entries);
}

// 8 bits, as the reference kernel does it.
Term softmax_of_8_bits(NodeContext& node, const QuantisedTerm& x, FileType to) {
  Builder& b = node.b;
  const DifferenceScale scale = difference_scale(node.real("beta", 0), x.type.scale);
  const Term wide = b.widen(x.term);
  const Term difference = b.sub(wide, b.reduce(Reduction::Max, wide, {-1}, true));
  const Term index = b.binary(Binary::Add, difference, 255);
  const Term powers = b.rows(difference_table(b, scale, exp_of_negative), index);
  const Term coarse = b.rows(
      difference_table(b, scale, [](std::int32_t value) { return divided_by_power(exp_of_negative(value), kSumBits); }),
      index);
  const Term sum = b.reduce(Reduction::Sum, coarse, {-1}, true);
  const Term leading = b.term(b.add(tosa::Op::CLZ, {b.value(sum)}), FileType::I32);
  // The sum without its first bit is a fraction.
  const Term fraction = b.sub(b.binary(Binary::ShiftLeft, sum, leading), b.number(FileType::I32, -2147483648.0));
  const Term inverse = inverse_of_one_plus(b, fraction);
  const int bits = static_cast<int>(bits_of(to));
  const Term shift = b.binary(Binary::Min, b.sub(b.number(FileType::I32, kSumBits + 31 - bits), leading), 31);
  const Term product = high_product(b, inverse, powers);
  const Term rounded = b.term(b.add(tosa::Op::ARITHMETIC_RIGHT_SHIFT,
                                    {b.value(product), b.value(b.broadcast(shift, product.shape))}, {{"round", {1}}}),
                              FileType::I32);
  const double low = -std::ldexp(1.0, bits - 1);
  const Term moved = b.binary(Binary::Min, b.binary(Binary::Add, rounded, low), -low - 1);
  // What is too small is exactly the minimum.
  return b.narrow(b.select(b.binary(Binary::Less, difference, static_cast<double>(scale.least)),
                           b.number(FileType::I32, low), moved),
                  to);
}

// 16 bits, by two tables that are interpolated.
Term softmax_of_16_bits(NodeContext& node, const QuantisedTerm& x) {
  Builder& b = node.b;
  const double scale = static_cast<double>(x.type.scale) * node.real("beta", 0) / (10.0 / 65535.0);
  const Term wide = b.widen(x.term);
  const Term difference = b.sub(wide, b.reduce(Reduction::Max, wide, {-1}, true));
  const Term scaled =
      rescale(b, difference, FileType::I32, {.by = {multiplier_of(scale)}, .arithmetic = arithmetic_of(node)});
  const auto limited = [&](const Term& of) {
    return b.narrow(b.binary(Binary::Min, b.binary(Binary::Max, of, -32768), 32767), FileType::I16);
  };
  const std::vector<std::int64_t> exps = interpolated_table({.low = -10, .high = 0, .result_low = -1, .result_high = 1},
                                                            [](float value) { return std::exp(value); });
  const std::vector<std::int64_t> inverses = interpolated_table(
      {.low = 0, .high = 1, .result_low = -1, .result_high = 1}, [](float value) { return 1 / (1 + value); });
  const Term powers = b.widen(interpolated(b, limited(b.binary(Binary::Add, scaled, 32767)), exps));
  const Term sum = b.reduce(Reduction::Sum, powers, {-1}, true);
  const Term leading = b.term(b.add(tosa::Op::CLZ, {b.value(sum)}), FileType::I32);
  // sum * 2^(leading - 1) is in [2^30, 2^31); 14 of its bits go.
  const Term shifted = b.binary(Binary::ShiftLeft, sum, b.binary(Binary::Sub, leading, 1));
  const Term rounded =
      b.term(b.add(tosa::Op::ARITHMETIC_RIGHT_SHIFT,
                   {b.value(shifted), b.value(b.number(FileType::I32, 14, shifted.shape))}, {{"round", {1}}}),
             FileType::I32);
  const Term position = limited(b.binary(Binary::Sub, rounded, (1 << 15) + (1 << 16)));
  const Term inverse = b.widen(interpolated(b, position, inverses));
  const Term right = b.sub(b.number(FileType::I32, 31), leading);
  const Term product = b.mul(powers, inverse);
  const Term made = b.term(b.add(tosa::Op::ARITHMETIC_RIGHT_SHIFT,
                                 {b.value(product), b.value(b.broadcast(right, product.shape))}, {{"round", {1}}}),
                           FileType::I32);
  return b.narrow(b.binary(Binary::Min, b.binary(Binary::Max, made, 0), 32767), FileType::I16);
}

}  // namespace

void emit_tflite_SOFTMAX(NodeContext& node) {
  Builder& b = node.b;
  if (!is_quantised(node)) {
    const double beta = node.real("beta", 0);
    const Term& x = node.in(0);
    return node.out(0, b.softmax(beta == 1 ? x : b.binary(Binary::Mul, x, beta), -1));
  }
  const QuantisedTerm x = quantised_operand(node, 0);
  const QuantisedType to = result_type(node);
  if (x.type.type == FileType::I16) return node.out(0, softmax_of_16_bits(node, x));
  out_quantised(node, softmax_of_8_bits(node, x, to.type));
}

void emit_tflite_LOG_SOFTMAX(NodeContext& node) {
  Builder& b = node.b;
  if (!is_quantised(node)) return node.out(0, b.log_softmax(node.in(0), -1));
  const Term real = dequantised(b, node.in(0));
  node.out(0, quantised_from_real(b, b.log_softmax(real, -1), result_type(node)));
}

}  // namespace slipway::importer
