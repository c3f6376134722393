// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/tflite/operators/hybrid.hpp"

#include <numeric>

#include "importer/emit/host.hpp"

namespace slipway::importer {

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

namespace {

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

// int8 weights; uint8 ones were symmetric in old files.
Term weights_of(NodeContext& node, std::size_t i) {
  const QuantisedTerm weights = quantised_operand(node, i);
  if (weights.term.type != FileType::I8 || weights.type.zero != 0)
    throw Refused("hybrid weights have to be int8 without a zero point");
  return weights.term;
}

using RowProduct = std::function<Term(const Term& x, const Term& weights)>;

// Sums of int8 products scaled to floats, plus the bias.
Term hybrid_product(NodeContext& node, const QuantisedRows& rows, std::size_t weights, const Term* bias,
                    const RowProduct& product) {
  Builder& b = node.b;
  const Term of_weights = weights_of(node, weights);
  Term sums = b.cast(product(rows.stored, of_weights), FileType::F32);
  if (rows.moves) {
    // The zero point of a row takes part in all of its products.
    const Term ones = b.number(FileType::I8, 1, rows.stored.shape);
    const Term totals = b.cast(product(b.term(b.value(ones), FileType::I8), of_weights), FileType::F32);
    sums = b.sub(sums, b.mul(rows.zero, totals));
  }
  const Term scaled = b.mul(sums, b.mul(rows.scale, scales_term(weights_quantization(node, weights))));
  return bias ? b.add(scaled, *bias) : scaled;
}

// [rows, inputs] by [outputs, inputs].
Term row_products(Builder& b, const Term& x, const Term& weights) {
  const std::int64_t rows = x.extent(0), inputs = x.extent(1), outputs = weights.extent(0);
  const Term made = convolution(b, b.reshape(x, {rows, 1, 1, inputs}), b.reshape(weights, {outputs, 1, 1, inputs}),
                                nullptr, windows_of({1, 1}));
  return b.reshape(made, {rows, outputs});
}

}  // namespace

bool is_hybrid(const NodeContext& node, std::size_t weights) {
  return is_real(node.in(0).type) && is_quantised(node.in(weights));
}

Term hybrid_linear(NodeContext& node, const QuantisedRows& rows, std::size_t weights, const Term* bias) {
  return hybrid_product(node, rows, weights, bias,
                        [&](const Term& x, const Term& w) { return row_products(node.b, x, w); });
}

Term hybrid_linear(NodeContext& node, std::int64_t rows, const Term* bias) {
  const std::int64_t inputs = weights_of(node, 1).extent(1);
  const Term x = node.b.reshape(node.in(0), {rows, inputs});
  return hybrid_linear(node, quantise_rows(node.b, x, 1, node.flag("asymmetric_quantize_inputs")), 1, bias);
}

Term hybrid_convolution(NodeContext& node, const Windows& windows, std::int64_t groups, const Term* bias) {
  Builder& b = node.b;
  // Each image is a row, which has a zero point if the weights have a scale for each channel.
  const bool moves = weights_quantization(node, 1).scales.size() > 1;
  return hybrid_product(node, quantise_rows(b, node.in(0), 3, moves), 1, bias, [&](const Term& x, const Term& w) {
    return convolution(b, x, w, nullptr, windows, {.groups = groups});
  });
}

Term hybrid_depthwise(NodeContext& node, const Windows& windows, const Term* bias) {
  Builder& b = node.b;
  const std::int64_t channels = node.in(0).extent(3);
  const bool moves = weights_quantization(node, 1).scales.size() > 1;
  return hybrid_product(node, quantise_rows(b, node.in(0), 3, moves), 1, bias, [&](const Term& x, const Term& w) {
    return depthwise(b, x, b.reshape(w, {w.extent(1), w.extent(2), channels, w.extent(3) / channels}), nullptr,
                     windows);
  });
}

Term hybrid_matmul(NodeContext& node, const Term& x, bool transposes) {
  Builder& b = node.b;
  const Term weights = weights_of(node, 1);
  if (weights.rank() != 2)
    throw Refused("hybrid products of matrices with several matrices of weights are not supported");
  const std::int64_t outputs = weights.shape[transposes ? 0 : 1], inputs = weights.shape[transposes ? 1 : 0];
  tensor::Shape shape = x.shape;
  shape.back() = outputs;
  const QuantisedRows rows =
      quantise_rows(b, b.reshape(x, {x.count() / inputs, inputs}), 1, node.flag("asymmetric_quantize_inputs"));
  const Term made = hybrid_product(node, rows, 1, nullptr, [&](const Term& of, const Term& w) {
    return row_products(b, of, transposes ? w : b.transpose(w, {1, 0}));
  });
  return b.reshape(made, shape);
}

}  // namespace slipway::importer
