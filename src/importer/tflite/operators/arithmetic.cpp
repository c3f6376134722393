// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums, products and quotients, of numbers and of quantised numbers (docs/spec/import.md#tflite-quantised-operators).
#include <algorithm>
#include <bit>
#include <cmath>

#include "importer/emit/unsigned.hpp"
#include "importer/quant/fixed_point.hpp"
#include "importer/quant/tables.hpp"
#include "importer/tflite/operators.hpp"
#include "importer/tflite/operators/common.hpp"

namespace slipway::importer {
namespace {

void plain(NodeContext& node, Binary op) { node.out(0, activated(node, node.b.binary(op, node.in(0), node.in(1)))); }

// log2 of what the kernels take for a power of two.
std::optional<int> power_of(float scale) {
  const float log2 = std::log(scale) * (1.0F / std::log(2.0F)), rounded = std::round(log2);
  if (std::fabs(log2 - rounded) >= 1e-3F) return std::nullopt;
  return static_cast<int>(rounded);
}

// int16 whose scales are powers of two: the operand with the smaller scale is divided, and the sum saturates.
std::optional<Term> sum_of_powers(NodeContext& node, Binary op) {
  const QuantisedTerm a = quantised_operand(node, 0), c = quantised_operand(node, 1);
  const QuantisedType to = result_type(node);
  if (to.type != FileType::I16 || !node.flag("pot_scale_int16", true)) return std::nullopt;
  const auto of_a = power_of(a.type.scale), of_c = power_of(c.type.scale), of_result = power_of(to.scale);
  if (!of_a || !of_c || !of_result || a.type.zero != 0 || c.type.zero != 0 || to.zero != 0) return std::nullopt;
  const int shift_a = *of_result - *of_a, shift_c = *of_result - *of_c;
  const bool fits = (shift_a == 0 || shift_c == 0) && shift_a >= 0 && shift_c >= 0 && shift_a < 32 && shift_c < 32;
  if (!fits) return std::nullopt;
  Builder& b = node.b;
  const Term sum =
      b.binary(op, divide_by_power(b, b.widen(a.term), shift_a), divide_by_power(b, b.widen(c.term), shift_c));
  const Term limited = b.binary(Binary::Min, b.binary(Binary::Max, sum, -32768), 32767);
  return activated(node, b.narrow(limited, FileType::I16), to);
}

// Both operands on one scale that is twice the larger of theirs, with bits of fraction.
struct Aligned {
  Term a, c;
  double twice;
};

Aligned aligned(NodeContext& node, int bits) {
  const QuantisedTerm a = quantised_operand(node, 0), c = quantised_operand(node, 1);
  const double twice = 2.0 * std::max(a.type.scale, c.type.scale);
  const auto scaled = [&](const QuantisedTerm& x) {
    return rescale(node.b, centred_shifted(node.b, x, bits), FileType::I32,
                   {.by = {multiplier_of(x.type.scale / twice)}, .arithmetic = arithmetic_of(node)});
  };
  return {scaled(a), scaled(c), twice};
}

void quantised_sum(NodeContext& node, Binary op) {
  if (const auto sum = sum_of_powers(node, op)) return out_quantised(node, *sum);
  const QuantisedType to = result_type(node);
  const int bits = to.type == FileType::I16 ? 15 : 20;
  const Aligned operands = aligned(node, bits);
  const Term sum = node.b.binary(op, operands.a, operands.c);
  const double scale = operands.twice / (std::ldexp(1.0, bits) * to.scale);
  const Term made = rescale(node.b, sum, to.type,
                            {.by = {multiplier_of(scale)}, .output_zero = to.zero, .arithmetic = arithmetic_of(node)});
  out_quantised(node, activated(node, made, to));
}

void sum(NodeContext& node, Binary op) { return is_quantised(node) ? quantised_sum(node, op) : plain(node, op); }

// One over a positive number, as a fraction in [2^30, 2^31) and the number of its integer bits less one.
struct Inverse {
  std::int32_t fraction;
  int bits;
};

Inverse inverse_of(std::int32_t x) {
  const int leading = std::countl_zero(static_cast<std::uint32_t>(x));
  const auto rest = static_cast<std::int32_t>((static_cast<std::uint32_t>(x) << leading) - (1U << 31));
  return {inverse_of_one_plus(rest), 31 - leading};
}

}  // namespace

void emit_tflite_ADD(NodeContext& node) { sum(node, Binary::Add); }
void emit_tflite_SUB(NodeContext& node) { sum(node, Binary::Sub); }

void emit_tflite_MUL(NodeContext& node) {
  if (!is_quantised(node)) return plain(node, Binary::Mul);
  const QuantisedTerm a = quantised_operand(node, 0), c = quantised_operand(node, 1);
  const QuantisedType to = result_type(node);
  const Term product = node.b.mul(centred(node.b, a), centred(node.b, c));
  // The kernel multiplies and divides scales as float32.
  const double scale = a.type.scale * c.type.scale / to.scale;
  const Term made = requantise(node.b, product, to, std::span(&scale, 1), arithmetic_of(node));
  out_quantised(node, activated(node, made, to));
}

void emit_tflite_DIV(NodeContext& node) {
  if (!is_quantised(node)) return plain(node, Binary::Div);
  const QuantisedTerm a = quantised_operand(node, 0), c = quantised_operand(node, 1);
  const QuantisedType to = result_type(node);
  const Multiplier by = multiplier_of(a.type.scale / (c.type.scale * to.scale));
  const std::int64_t zero_a = a.type.zero + a.type.moved(), zero_c = c.type.zero + c.type.moved();
  const Term made = by_table(node.b, node.in(0), node.in(1), to.stored, [&](std::int64_t x, std::int64_t y) {
    auto dividend = static_cast<std::int32_t>(x - zero_a), divisor = static_cast<std::int32_t>(y - zero_c);
    if (divisor == 0) return to.zero + to.moved();  // undefined in the format
    if (divisor < 0) dividend = -dividend, divisor = -divisor;
    const Inverse inverse = inverse_of(divisor);
    const int headroom =
        dividend == 0 ? 31 : std::countl_zero(static_cast<std::uint32_t>(dividend < 0 ? ~dividend : dividend)) - 1;
    const std::int32_t quotient =
        high_product(static_cast<std::int32_t>(static_cast<std::uint32_t>(dividend) << headroom), inverse.fraction);
    const int shift = by.exponent - inverse.bits - headroom;
    const std::int32_t scaled = divided_by_power(high_product(quotient, by.mantissa), std::max(-shift, 0));
    return to.zero + to.moved() + scaled;
  });
  if (activation_of(node) == Activation::None) return node.out(0, made);
  out_quantised(node, activated(node, as_signed(node.b, made), to));
}

void emit_tflite_SQUARED_DIFFERENCE(NodeContext& node) {
  Builder& b = node.b;
  if (!is_quantised(node)) {
    const Term difference = b.sub(node.in(0), node.in(1));
    return node.out(0, b.mul(difference, difference));
  }
  constexpr int kBits = 7;
  const QuantisedType to = result_type(node);
  const Aligned operands = aligned(node, kBits);
  const Term difference = b.sub(operands.a, operands.c);
  const double scale = operands.twice * operands.twice / (std::ldexp(1.0, 2 * kBits) * to.scale);
  out_quantised(node,
                rescale(b, b.mul(difference, difference), to.type,
                        {.by = {multiplier_of(scale)}, .output_zero = to.zero, .arithmetic = arithmetic_of(node)}));
}

namespace {

void extreme(NodeContext& node, Binary op) { node.out(0, node.b.binary(op, node.in(0), node.in(1))); }

void compare(NodeContext& node, Binary op, bool inverts = false) {
  Builder& b = node.b;
  Term result;
  if (is_quantised(node) && bits_of(node.in(0).type) == 8) {
    const QuantisedTerm a = quantised_operand(node, 0), c = quantised_operand(node, 1);
    if (same_quantisation(a.type, c.type)) {
      result = b.binary(op, a.term, c.term);
    } else {
      const auto scaled = [&](const QuantisedTerm& x) {
        return rescale(b, centred_shifted(b, x, 8), FileType::I32,
                       {.by = {multiplier_of(x.type.scale)}, .arithmetic = arithmetic_of(node)});
      };
      result = b.binary(op, scaled(a), scaled(c));
    }
  } else {
    result = b.binary(op, node.in(0), node.in(1));
  }
  node.out(0, inverts ? b.unary(Unary::Not, result) : result);
}

}  // namespace

void emit_tflite_MAXIMUM(NodeContext& node) { extreme(node, Binary::Max); }
void emit_tflite_MINIMUM(NodeContext& node) { extreme(node, Binary::Min); }
void emit_tflite_EQUAL(NodeContext& node) { compare(node, Binary::Equal); }
void emit_tflite_NOT_EQUAL(NodeContext& node) { compare(node, Binary::Equal, true); }
void emit_tflite_GREATER(NodeContext& node) { compare(node, Binary::Greater); }
void emit_tflite_GREATER_EQUAL(NodeContext& node) { compare(node, Binary::GreaterEqual); }
void emit_tflite_LESS(NodeContext& node) { compare(node, Binary::Less); }
void emit_tflite_LESS_EQUAL(NodeContext& node) { compare(node, Binary::LessEqual); }

void emit_tflite_ADD_N(NodeContext& node) {
  Term result = node.in(0);
  for (std::size_t i = 1; i < node.inputs(); ++i) result = node.b.add(result, node.in(i));
  node.out(0, std::move(result));
}

}  // namespace slipway::importer
