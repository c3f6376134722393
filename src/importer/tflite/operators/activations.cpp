// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Activation functions.
#include <algorithm>
#include <array>
#include <cmath>

#include "importer/quant/fixed_point.hpp"
#include "importer/quant/tables.hpp"
#include "importer/tflite/operators.hpp"
#include "importer/tflite/operators/common.hpp"

namespace slipway::importer {
namespace {

// Clamps; quantised ones may have another scale than their operand.
void clamped(NodeContext& node, double low, double high) {
  if (!is_quantised(node)) {
    const Term& x = node.in(0);
    if (is_real(x.type)) return node.out(0, node.b.clamp(x, low, high));
    const Term above = node.b.binary(Binary::Max, x, low);
    return node.out(0, std::isinf(high) ? above : node.b.binary(Binary::Min, above, high));
  }
  const QuantisedTerm x = quantised_operand(node, 0);
  const QuantisedType to = result_type(node);
  const auto stored = [&](double limit) {
    if (std::isinf(limit)) return static_cast<double>(to.high());
    const double number = static_cast<double>(to.zero) + std::round(static_cast<float>(limit) / to.scale);
    return std::clamp(number, static_cast<double>(to.low()), static_cast<double>(to.high()));
  };
  Term scaled = x.term;
  if (!same_quantisation(x.type, to)) {
    scaled = rescale(node.b, x.term, to.type,
                     {.by = {multiplier_of(static_cast<double>(x.type.scale / to.scale))},
                      .input_zero = x.type.zero,
                      .output_zero = to.zero,
                      .arithmetic = arithmetic_of(node)});
  }
  out_quantised(node, node.b.clamp(scaled, stored(low), stored(high)));
}

// sigmoid(i / 24) of TensorFlow Lite as a fraction of 16 bits: its table has been made with a slightly smaller divisor
// and differs from the nearest numbers at some places.
std::vector<std::int64_t> sigmoid_table() {
  constexpr int kEntries = 256;
  constexpr double kDivisor = 23.999;
  std::vector<std::int64_t> table(kEntries);
  for (int i = 0; i < kEntries; ++i)
    table[static_cast<std::size_t>(i)] =
        static_cast<std::int64_t>(std::floor(65536 / (1 + std::exp(-i / kDivisor)) + 0.5));
  for (const std::size_t higher : {4, 255}) ++table[higher];
  for (const std::size_t lower : {65, 69, 71, 117, 163, 174}) --table[lower];
  return table;
}

// How an int16 operand becomes a position in the table: value * factor / 2^shift.
struct Position {
  std::int32_t factor;
  int shift;
};

// Scales of 2^-12 and, up to `most`, some powers of two above it need no multiplication.
Position position_of(float scale, int most) {
  const float log2 = std::log(scale) * (1.0F / std::log(2.0F)), rounded = std::round(log2);
  const int above = static_cast<int>(rounded) + 12;
  if (std::fabs(log2 - rounded) < 1e-3F && above >= 0 && above <= most) return {.factor = 3 << above, .shift = 0};
  double multiplier = static_cast<double>(scale) * 4096.0 * 3.0;
  int shift = 0;
  while (multiplier <= 32767.0 / 2.0 && shift <= 30) {
    ++shift;
    multiplier *= 2;
  }
  return {.factor = static_cast<std::int32_t>(multiplier), .shift = shift};
}

std::int64_t positioned(const Position& at, std::int64_t x) {
  const std::int64_t half = at.shift > 0 ? std::int64_t{1} << (at.shift - 1) : 0;
  return static_cast<std::int32_t>((x * at.factor + half)) >> at.shift;
}

void logistic_of_16_bits(NodeContext& node) {
  const std::vector<std::int64_t> table = sigmoid_table();
  const Position at = position_of(node.in(0).quantization->scale(), 0);
  node.out(0, by_table(node.b, node.in(0), FileType::I16, [&](std::int64_t x) {
             const std::int64_t position = positioned(at, x), magnitude = std::abs(position), entry = magnitude >> 9;
             std::int64_t made = 0x7fff << 10;
             if (entry < 255) {
               const auto i = static_cast<std::size_t>(entry);
               made = (table[i] << 9) + (magnitude & 511) * (table[i + 1] - table[i]);
             }
             made = position >= 0 ? made + 512 : (1 << 25) - made + 511;
             return made >> 10;
           }));
}

void tanh_of_16_bits(NodeContext& node) {
  const std::vector<std::int64_t> table = sigmoid_table();
  const Position at = position_of(node.in(0).quantization->scale(), 1);
  node.out(0, by_table(node.b, node.in(0), FileType::I16, [&](std::int64_t x) {
             const std::int64_t position = positioned(at, x), magnitude = std::abs(position), entry = magnitude >> 8;
             std::int64_t made = 0xffff << 8;
             if (entry < 255) {
               const auto i = static_cast<std::size_t>(entry);
               made = (table[i] << 8) + (magnitude & 255) * (table[i + 1] - table[i]);
             }
             made = position >= 0 ? made - (1 << 23) + 128 : -made + (1 << 23) + 127;
             return made >> 8;
           }));
}

}  // namespace

void emit_tflite_RELU(NodeContext& node) { clamped(node, 0, INFINITY); }
void emit_tflite_RELU_N1_TO_1(NodeContext& node) { clamped(node, -1, 1); }
void emit_tflite_RELU6(NodeContext& node) { clamped(node, 0, 6); }
void emit_tflite_RELU_0_TO_1(NodeContext& node) { clamped(node, 0, 1); }

void emit_tflite_LOGISTIC(NodeContext& node) {
  if (!is_quantised(node)) return node.out(0, node.b.unary(Unary::Sigmoid, node.in(0)));
  if (node.in(0).type == FileType::I16) return logistic_of_16_bits(node);
  out_by_function(node, [](float x) { return 1.0F / (1.0F + std::exp(-x)); });
}

void emit_tflite_TANH(NodeContext& node) {
  if (!is_quantised(node)) return node.out(0, node.b.unary(Unary::Tanh, node.in(0)));
  if (node.in(0).type == FileType::I16) return tanh_of_16_bits(node);
  out_by_function(node, [](float x) { return std::tanh(x); });
}

void emit_tflite_LEAKY_RELU(NodeContext& node) {
  Builder& b = node.b;
  const auto alpha = static_cast<float>(node.real("alpha", 0));
  const Term& x = node.in(0);
  if (!is_quantised(node))
    return node.out(0, b.select(b.binary(Binary::Greater, x, 0), x, b.binary(Binary::Mul, x, alpha)));
  const QuantisedType from = quantised_type(x.type, x.quantization.get()), to = result_type(node);
  const Multiplier above = multiplier_of(static_cast<double>(from.scale / to.scale));
  const Multiplier below = multiplier_of(static_cast<double>(from.scale * alpha / to.scale));
  const Arithmetic arithmetic = arithmetic_of(node);
  node.out(0, by_table(b, x, to.stored, [&](std::int64_t stored) {
             const auto value = static_cast<std::int32_t>(stored - from.zero - from.moved());
             return multiplied(value, value >= 0 ? above : below, arithmetic) + to.zero + to.moved();
           }));
}

void emit_tflite_PRELU(NodeContext& node) {
  Builder& b = node.b;
  if (!is_quantised(node)) {
    const Term& x = node.in(0);
    return node.out(0, b.select(b.binary(Binary::GreaterEqual, x, 0), x, b.mul(x, node.in(1))));
  }
  const QuantisedTerm x = quantised_operand(node, 0), alpha = quantised_operand(node, 1);
  const QuantisedType to = result_type(node);
  const Term value = centred(b, x);
  const auto scaled = [&](const Term& of, float scale) {
    return rescale(b, of, FileType::I32, {.by = {multiplier_of(scale)}, .arithmetic = arithmetic_of(node)});
  };
  const Term above = scaled(value, x.type.scale / to.scale);
  const Term below = scaled(b.mul(value, centred(b, alpha)), x.type.scale * alpha.type.scale / to.scale);
  const Term chosen = b.select(b.binary(Binary::GreaterEqual, value, 0), above, below);
  const Term moved = b.binary(Binary::Add, chosen, static_cast<double>(to.zero));
  const Term limited = b.binary(Binary::Min, b.binary(Binary::Max, moved, static_cast<double>(to.low())),
                                static_cast<double>(to.high()));
  out_quantised(node, b.narrow(limited, to.type));
}

namespace {

// --- HARD_SWISH in 16 bits -------------------------------------------------------------------------------------------

std::int16_t high_product_16(std::int16_t a, std::int16_t b) {
  if (a == INT16_MIN && b == INT16_MIN) return INT16_MAX;
  return static_cast<std::int16_t>((std::int32_t{a} * b + (1 << 14)) >> 15);
}

// The upper half of a multiplier.
struct SmallMultiplier {
  std::int16_t mantissa;
  int exponent;
};

SmallMultiplier small_multiplier_of(double scale) {
  const Multiplier made = multiplier_of(scale);
  const bool saturates = made.mantissa >= INT32_MAX - (1 << 15);
  return {saturates ? std::int16_t{INT16_MAX} : static_cast<std::int16_t>((made.mantissa + (1 << 15)) >> 16),
          made.exponent};
}

std::int16_t saturated(std::int64_t value) {
  return static_cast<std::int16_t>(std::clamp<std::int64_t>(value, INT16_MIN, INT16_MAX));
}

std::int64_t hard_swish(std::int64_t centred_value, const SmallMultiplier& result, const SmallMultiplier& relu) {
  const auto fine = static_cast<std::int16_t>(centred_value * 128);
  const std::int16_t on_result = high_product_16(fine, result.mantissa);
  std::int16_t gate = fine;
  if (relu.exponent > 0) gate = saturated(std::int64_t{gate} << (relu.exponent - 1));
  gate = high_product_16(gate, relu.mantissa);
  if (relu.exponent > 0) gate = saturated(std::int64_t{gate} * 2);
  if (relu.exponent < 0) gate = static_cast<std::int16_t>(divided_by_power(gate, -relu.exponent));
  gate = static_cast<std::int16_t>((gate + (1 << 15)) >> 1);
  const bool overflows = gate == INT16_MIN && on_result == INT16_MIN;
  const auto product = static_cast<std::int16_t>(overflows ? INT16_MAX : std::int32_t{gate} * on_result / (1 << 15));
  return divided_by_power(product, std::max(-result.exponent, 0));
}

}  // namespace

void emit_tflite_HARD_SWISH(NodeContext& node) {
  Builder& b = node.b;
  const Term& x = node.in(0);
  if (!is_quantised(node)) {
    const Term gate = b.clamp(b.binary(Binary::Add, x, 3), 0, 6);
    return node.out(0, b.binary(Binary::Div, b.mul(x, gate), 6));
  }
  const QuantisedType from = quantised_type(x.type, x.quantization.get()), to = result_type(node);
  const float fine = (1.0F / 128.0F) * from.scale;
  const SmallMultiplier result = small_multiplier_of(static_cast<double>(fine / to.scale));
  const SmallMultiplier relu = small_multiplier_of(static_cast<double>(fine / (3.0F / 32768.0F)));
  node.out(0, by_table(b, x, to.stored, [&](std::int64_t stored) {
             return hard_swish(stored - from.zero - from.moved(), result, relu) + to.zero + to.moved();
           }));
}

}  // namespace slipway::importer
