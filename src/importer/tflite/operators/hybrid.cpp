// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/tflite/operators/hybrid.hpp"

#include <numeric>

#include "base/format.hpp"
#include "importer/emit/host.hpp"

namespace slipway::importer {
namespace {

// Rows of floats as int8 numbers: real = scale * (stored - zero).
struct QuantisedRows {
  Term stored;
  Term scale;  // of each row, with the rank of the rows
  Term zero;   // float32; no shape and no value: 0
  bool moves = false;
};

// The last `dimensions` dimensions make a row.
QuantisedRows quantise_rows(Builder& b, const Term& x, std::size_t dimensions, bool asymmetric) {
  std::vector<std::int64_t> axes(dimensions);
  std::iota(axes.begin(), axes.end(), -static_cast<std::int64_t>(dimensions));
  const Term one = b.number(FileType::F32, 1), none = b.number(FileType::F32, 0);
  const auto stored = [&](const Term& numbers, double low) { return b.cast(b.clamp(numbers, low, 127), FileType::I8); };
  if (!asymmetric) {
    const Term range = b.reduce(Reduction::Max, b.unary(Unary::Abs, x), axes, true);
    const Term is_zero = b.binary(Binary::Equal, range, 0);
    const Term safe = b.select(is_zero, one, range);
    const Term factor = b.div(b.number(FileType::F32, 127), safe);
    const Term scale = b.select(is_zero, one, b.binary(Binary::Div, safe, 127));
    return {stored(b.unary(Unary::RoundAway, b.mul(x, factor)), -127), scale, none};
  }
  const Term low = b.binary(Binary::Min, b.reduce(Reduction::Min, x, axes, true), 0);
  const Term high = b.binary(Binary::Max, b.reduce(Reduction::Max, x, axes, true), 0);
  const Term is_zero = b.binary(Binary::Equal, low, high);
  const Term scale = b.select(is_zero, one, b.binary(Binary::Div, b.sub(high, low), 255));
  // Of the two numbers that the ends of the range suggest, that with the smaller error; then it becomes whole.
  const Term by_low = b.div(low, scale), by_high = b.div(high, scale);
  const Term error_low = b.binary(Binary::Add, b.unary(Unary::Abs, by_low), 128);
  const Term error_high = b.binary(Binary::Add, b.unary(Unary::Abs, by_high), 127);
  const Term chosen =
      b.select(b.binary(Binary::Less, error_low, error_high), b.sub(b.number(FileType::F32, -128), by_low),
               b.sub(b.number(FileType::F32, 127), by_high));
  const Term zero = b.select(is_zero, none, b.clamp(b.unary(Unary::RoundAway, chosen), -128, 127));
  const Term factor = b.unary(Unary::Reciprocal, scale);
  return {stored(b.unary(Unary::RoundAway, b.add(zero, b.mul(x, factor))), -128), scale, zero, true};
}

const Quantization& weights_quantization(NodeContext& node, std::size_t i) {
  const Term& weights = node.in(i);
  if (!weights.quantization || weights.quantization->scales.empty()) throw Refused("the weights have no scale");
  return *weights.quantization;
}

// One scale, or one for each output, along the last dimension.
Term scales_term(const Quantization& of) {
  const std::vector<double> scales(of.scales.begin(), of.scales.end());
  const tensor::Shape shape =
      scales.size() == 1 ? tensor::Shape{} : tensor::Shape{static_cast<std::int64_t>(scales.size())};
  return known_term(array_of(FileType::F32, shape, std::span<const double>(scales)));
}

using RowProduct = std::function<Term(const Term& x, const Term& weights)>;

// Sums of int8 products scaled to floats, plus the bias.
Term hybrid_product(NodeContext& node, const Term& x, const Term& weights, std::size_t dimensions, bool asymmetric,
                    const Term* bias, const RowProduct& product) {
  Builder& b = node.b;
  const QuantisedRows rows = quantise_rows(b, x, dimensions, asymmetric);
  Term sums = b.cast(product(rows.stored, weights), FileType::F32);
  if (rows.moves) {
    // The zero point of a row takes part in all of its products.
    const Term ones = b.number(FileType::I8, 1, rows.stored.shape);
    const Term totals = b.cast(product(b.term(b.value(ones), FileType::I8), weights), FileType::F32);
    sums = b.sub(sums, b.mul(rows.zero, totals));
  }
  const Term scaled = b.mul(sums, b.mul(rows.scale, scales_term(weights_quantization(node, 1))));
  return bias ? b.add(scaled, *bias) : scaled;
}

// int8 weights; uint8 ones were symmetric in old files.
Term weights_of(NodeContext& node) {
  const QuantisedTerm weights = quantised_operand(node, 1);
  if (weights.term.type != FileType::I8 || weights.type.zero != 0)
    throw Refused("hybrid weights have to be int8 without a zero point");
  return weights.term;
}

}  // namespace

bool is_hybrid(const NodeContext& node, std::size_t weights) {
  return is_real(node.in(0).type) && is_quantised(node.in(weights));
}

Term hybrid_linear(NodeContext& node, std::int64_t rows, const Term* bias) {
  Builder& b = node.b;
  const Term weights = weights_of(node);
  const std::int64_t outputs = weights.shape[0], inputs = weights.shape[1];
  return hybrid_product(node, b.reshape(node.in(0), {rows, inputs}), weights, 1,
                        node.flag("asymmetric_quantize_inputs"), bias, [&](const Term& x, const Term& w) {
                          const Term made =
                              convolution(b, b.reshape(x, {rows, 1, 1, inputs}), b.reshape(w, {outputs, 1, 1, inputs}),
                                          nullptr, windows_of({1, 1}));
                          return b.reshape(made, {rows, outputs});
                        });
}

Term hybrid_convolution(NodeContext& node, const Windows& windows, std::int64_t groups, const Term* bias) {
  Builder& b = node.b;
  // Each image is a row, which has a zero point if the weights have a scale for each channel.
  return hybrid_product(
      node, node.in(0), weights_of(node), 3, weights_quantization(node, 1).scales.size() > 1, bias,
      [&](const Term& x, const Term& w) { return convolution(b, x, w, nullptr, windows, {.groups = groups}); });
}

Term hybrid_depthwise(NodeContext& node, const Windows& windows, const Term* bias) {
  Builder& b = node.b;
  const std::int64_t channels = node.in(0).shape[3];
  return hybrid_product(node, node.in(0), weights_of(node), 3, weights_quantization(node, 1).scales.size() > 1, bias,
                        [&](const Term& x, const Term& w) {
                          return depthwise(b, x,
                                           b.reshape(w, {w.shape[1], w.shape[2], channels, w.shape[3] / channels}),
                                           nullptr, windows);
                        });
}

Term hybrid_matmul(NodeContext& node, const Term& x, bool transposes) {
  Builder& b = node.b;
  Term weights = weights_of(node);
  if (weights.rank() != 2)
    throw Refused("hybrid products of matrices with several matrices of weights are not supported");
  if (!transposes) weights = b.transpose(weights, {1, 0});
  const std::int64_t outputs = weights.shape[0], inputs = weights.shape[1], rows = x.count() / inputs;
  tensor::Shape shape = x.shape;
  shape.back() = outputs;
  const Term made = hybrid_product(
      node, b.reshape(x, {rows, inputs}), weights, 1, node.flag("asymmetric_quantize_inputs"), nullptr,
      [&](const Term& of, const Term& w) {
        const Term sums = convolution(b, b.reshape(of, {rows, 1, 1, inputs}), b.reshape(w, {outputs, 1, 1, inputs}),
                                      nullptr, windows_of({1, 1}));
        return b.reshape(sums, {rows, outputs});
      });
  return b.reshape(made, shape);
}

}  // namespace slipway::importer
