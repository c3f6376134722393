// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// QUANTIZE, DEQUANTIZE and FAKE_QUANT (docs/spec/import.md#quantise-and-dequantise).
#include <cmath>

#include "base/format.hpp"
#include "importer/emit/unsigned.hpp"
#include "importer/tflite/operators.hpp"
#include "importer/tflite/operators/common.hpp"

namespace slipway::importer {

void emit_tflite_DEQUANTIZE(NodeContext& node) {
  const Term& x = node.in(0);
  if (is_real(x.type)) return node.out(0, node.b.cast(x, FileType::F32));
  if (!x.quantization || x.quantization->scales.empty()) throw Refused("its operand has no quantisation");
  node.out(0, dequantised(node.b, x));
}

namespace {

// One scale for each index of a dimension.
void quantise_per_axis(NodeContext& node, const Quantization& to) {
  Builder& b = node.b;
  const Term& x = node.in(0);
  tensor::Shape line(x.rank(), 1);
  line[axis_of(to.axis, x.rank())] = static_cast<std::int64_t>(to.scales.size());
  const std::vector<double> scales(to.scales.begin(), to.scales.end());
  std::vector<std::int64_t> zeros = to.zero_points;
  zeros.resize(scales.size(), zeros.empty() ? 0 : zeros[0]);
  const QuantisedType type = quantised_type(node.result(0).type, &to);
  for (std::int64_t& zero : zeros) zero -= type.moved();
  const Term divided = b.div(x, known_term(array_of(FileType::F32, line, std::span<const double>(scales))));
  const Term whole = b.cast(b.clamp(b.unary(Unary::RoundAway, divided), -(1 << 24), 1 << 24), FileType::I32);
  const Term moved = b.add(whole, b.integers(FileType::I32, line, zeros));
  const Term limited = b.binary(Binary::Min, b.binary(Binary::Max, moved, static_cast<double>(type.low())),
                                static_cast<double>(type.high()));
  out_quantised(node, b.narrow(limited, type.type));
}

}  // namespace

void emit_tflite_QUANTIZE(NodeContext& node) {
  Builder& b = node.b;
  const Term& x = node.in(0);
  const NetValue& result = node.result(0);
  if (is_real(x.type)) {
    if (result.quantization && result.quantization->scales.size() > 1)
      return quantise_per_axis(node, *result.quantization);
    return node.out(0, quantised_from_real(b, x, result_type(node)));
  }
  const QuantisedTerm from = quantised_operand(node, 0);
  const QuantisedType to = result_type(node);
  if (same_quantisation(from.type, to)) return out_quantised(node, from.term);
  const double scale = static_cast<double>(from.type.scale) / static_cast<double>(to.scale);
  // Numbers that do not change but for their zero point are exact in any arithmetic.
  const Scaling how{.by = {multiplier_of(scale)},
                    .input_zero = from.type.zero,
                    .output_zero = to.zero,
                    .arithmetic = arithmetic_of(node)};
  if (from.type.type == FileType::I8 || from.type.zero == 0)
    return out_quantised(node, rescale(b, from.term, to.type, how));
  const Term moved = b.binary(Binary::Sub, b.widen(from.term), static_cast<double>(from.type.zero));
  out_quantised(node, rescale(b, moved, to.type, {.by = how.by, .output_zero = to.zero, .arithmetic = how.arithmetic}));
}

void emit_tflite_FAKE_QUANT(NodeContext& node) {
  Builder& b = node.b;
  const auto low = static_cast<float>(node.real("min", 0)), high = static_cast<float>(node.real("max", 0));
  const std::int64_t bits = node.integer("num_bits", 8);
  if (bits < 2 || bits > 16 || !(low <= 0) || !(high >= 0) || low == high)
    throw Refused(formatted("its range of {} bits has to contain 0", bits));
  const auto least = static_cast<float>(node.flag("narrow_range") ? 1 : 0);
  const auto most = static_cast<float>((std::int64_t{1} << bits) - 1);
  // The range moves so that 0 is one of its numbers.
  const float scale = (high - low) / (most - least), from_low = least - low / scale;
  const float zero = from_low < least ? least : from_low > most ? most : std::round(from_low);
  const float nudged_low = (least - zero) * scale, nudged_high = (most - zero) * scale;
  const Term limited = b.clamp(node.in(0), static_cast<double>(nudged_low), static_cast<double>(nudged_high));
  const Term steps = b.binary(Binary::Mul, b.binary(Binary::Sub, limited, static_cast<double>(nudged_low)),
                              static_cast<double>(1.0F / scale));
  const Term whole = b.unary(Unary::RoundAway, steps);
  node.out(0, b.affine(whole, static_cast<double>(scale), static_cast<double>(nudged_low)));
}

}  // namespace slipway::importer
