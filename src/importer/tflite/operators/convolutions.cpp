// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions and products with weights (docs/spec/import.md#tflite-quantised-operators).
#include <algorithm>
#include <numeric>

#include "base/format.hpp"
#include "importer/emit/host.hpp"
#include "importer/emit/unsigned.hpp"
#include "importer/tflite/operators.hpp"
#include "importer/tflite/operators/common.hpp"
#include "importer/tflite/operators/hybrid.hpp"

namespace slipway::importer {
namespace {

// What computes sums of products of an operand, weights and a bias.
using Product = std::function<Term(const Term& x, const Term& weights, const Term* bias, const ConvolutionForm& form)>;

// The bias of floats with the type of x. Empty: no bias.
std::optional<Term> bias_of(NodeContext& node, std::size_t i) {
  if (!node.has(i)) return std::nullopt;
  return node.in(i);
}

std::vector<double> scales_of(const QuantisedTerm& x, const QuantisedTerm& weights, const QuantisedType& to) {
  std::vector<double> scales;
  const bool single = weights.scales.size() == 1;
  for (const float scale : weights.scales) {
    // With one scale the kernels multiply in float32, with several in double.
    const double product = single && x.type.stored == FileType::U8
                               ? static_cast<double>(x.type.scale * scale)
                               : static_cast<double>(x.type.scale) * static_cast<double>(scale);
    scales.push_back(product / static_cast<double>(to.scale));
  }
  return scales;
}

// `x`, `w`, `bias`: which operands they are; the last one may be absent.
struct WeightedOperands {
  std::size_t x = 0, weights = 1, bias = 2;
};

// Of int8, uint8, and int16 with weights of int8.
Term quantised_product(NodeContext& node, const WeightedOperands& at, bool float_scale, const Product& product,
                       const std::function<Term(const Term&)>& arranged) {
  Builder& b = node.b;
  const QuantisedTerm x = quantised_operand(node, at.x);
  const QuantisedTerm weights = quantised_operand(node, at.weights);
  const QuantisedType to = result_type(node);
  const std::optional<Term> bias = bias_of(node, at.bias);
  std::vector<double> scales = scales_of(x, weights, to);
  if (float_scale && scales.size() == 1)
    scales[0] = static_cast<double>(x.type.scale * weights.scales[0]) / static_cast<double>(to.scale);
  const ConvolutionForm form{.groups = 1, .input_zero = x.type.zero, .weight_zero = weights.type.zero};
  const Term sums = product(x.term, arranged(weights.term), bias ? &*bias : nullptr, form);
  Term made;
  if (x.type.type != FileType::I16) {
    made = requantise(b, sums, to, scales, arithmetic_of(node));
  } else if (bias && bias->type == FileType::I32) {
    made = requantise(b, narrow_wide(b, sums), to, scales, arithmetic_of(node));
  } else {
    std::vector<Multiplier> by;
    for (const double scale : scales) by.push_back(multiplier_of(scale));
    made = rescale_wide(b, sums, to.type, by);
  }
  return activated(node, made, to);
}

Term unchanged(const Term& weights) { return weights; }

}  // namespace

void emit_tflite_CONV_2D(NodeContext& node) {
  Builder& b = node.b;
  const Term& x = node.in(0);
  const Term& weights = node.in(1);
  if (weights.rank() != 4) throw Refused(formatted("the weights have rank {}; it has to be 4", weights.rank()));
  const Windows windows = windows_of(node, x, weights.shape[1], weights.shape[2], true);
  const std::int64_t groups = weights.shape[3] == 0 ? 0 : x.shape[3] / weights.shape[3];
  const Product product = [&](const Term& of, const Term& by, const Term* bias, ConvolutionForm form) {
    form.groups = groups;
    return convolution(b, of, by, bias, windows, form);
  };
  if (is_quantised(node)) return out_quantised(node, quantised_product(node, {}, false, product, unchanged));
  const std::optional<Term> bias = bias_of(node, 2);
  if (is_hybrid(node, 1))
    return node.out(0, activated(node, hybrid_convolution(node, windows, groups, bias ? &*bias : nullptr)));
  node.out(0, activated(node, product(x, weights, bias ? &*bias : nullptr, {})));
}

void emit_tflite_DEPTHWISE_CONV_2D(NodeContext& node) {
  Builder& b = node.b;
  const Term& x = node.in(0);
  const Term& weights = node.in(1);
  if (weights.rank() != 4 || x.rank() != 4) throw Refused("the operands have to have rank 4");
  const std::int64_t channels = x.shape[3], results = weights.shape[3];
  if (channels == 0 || results % channels != 0)
    throw Refused(formatted("{} channels do not divide the {} of the weights", channels, results));
  const Windows windows = windows_of(node, x, weights.shape[1], weights.shape[2], true);
  const Product product = [&](const Term& of, const Term& by, const Term* bias, const ConvolutionForm& form) {
    return depthwise(b, of, by, bias, windows, form);
  };
  const auto arranged = [&](const Term& of) {
    return b.reshape(of, {of.shape[1], of.shape[2], channels, results / channels});
  };
  if (is_quantised(node)) return out_quantised(node, quantised_product(node, {}, false, product, arranged));
  const std::optional<Term> bias = bias_of(node, 2);
  if (is_hybrid(node, 1)) return node.out(0, activated(node, hybrid_depthwise(node, windows, bias ? &*bias : nullptr)));
  node.out(0, activated(node, product(x, arranged(weights), bias ? &*bias : nullptr, {})));
}

namespace {

// The forward convolution goes from `extents` to x; its padding is cropped from what the inputs add up to.
Windows transposed_windows(const NodeContext& node, const Term& x, const Term& weights, tensor::ShapeView extents,
                           std::span<const std::string_view> strides, std::span<const std::string_view> dilations) {
  const std::size_t rank = strides.size();
  Windows windows = windows_of(
      tensor::Shape(weights.shape.begin() + 1, weights.shape.begin() + 1 + static_cast<std::ptrdiff_t>(rank)));
  for (std::size_t d = 0; d < rank; ++d) {
    windows.stride[d] = node.integer(strides[d], 1);
    if (!dilations.empty()) windows.dilation[d] = node.integer(dilations[d], 1);
    if (windows.stride[d] < 1 || windows.dilation[d] < 1) throw Refused("strides and dilations are at least 1");
  }
  set_padding(windows, extents, padding_of(node));
  for (std::size_t d = 0; d < rank; ++d) {
    const std::int64_t whole = (x.shape[1 + d] - 1) * windows.stride[d] + windows.reach(d);
    windows.after[d] = whole - extents[d] - windows.before[d];
  }
  return windows;
}

constexpr std::array<std::string_view, 2> kStrides2{"stride_h", "stride_w"};
constexpr std::array<std::string_view, 3> kStrides3{"stride_d", "stride_h", "stride_w"};
constexpr std::array<std::string_view, 3> kDilations3{"dilation_d_factor", "dilation_h_factor", "dilation_w_factor"};

}  // namespace

void emit_tflite_TRANSPOSE_CONV(NodeContext& node) {
  Builder& b = node.b;
  const std::vector<std::int64_t> shape = node.integers(0, "output_shape");
  const Term& weights = node.in(1);
  const Term& x = node.in(2);
  if (shape.size() != 4 || weights.rank() != 4 || x.rank() != 4) throw Refused("the operands have to have rank 4");
  const Windows windows = transposed_windows(node, x, weights, std::span(shape).subspan(1, 2), kStrides2, {});
  const Product product = [&](const Term& of, const Term& by, const Term* bias, const ConvolutionForm& form) {
    return transposed_convolution(b, of, by, bias, windows, form);
  };
  if (is_quantised(x)) {
    const WeightedOperands at{.x = 2, .weights = 1, .bias = 3};
    return out_quantised(node, quantised_product(node, at, false, product, unchanged));
  }
  const std::optional<Term> bias = bias_of(node, 3);
  node.out(0, activated(node, product(x, weights, bias ? &*bias : nullptr, {})));
}

void emit_tflite_CONV_3D(NodeContext& node) {
  Builder& b = node.b;
  const Term& x = node.in(0);
  const Term& weights = node.in(1);
  if (weights.rank() != 5 || x.rank() != 5) throw Refused("the operands have to have rank 5");
  Windows windows = windows_of({weights.shape[0], weights.shape[1], weights.shape[2]});
  for (std::size_t d = 0; d < 3; ++d) {
    windows.stride[d] = node.integer(kStrides3[d], 1);
    windows.dilation[d] = node.integer(kDilations3[d], 1);
    if (windows.stride[d] < 1 || windows.dilation[d] < 1) throw Refused("strides and dilations are at least 1");
  }
  set_padding(windows, std::span(x.shape).subspan(1, 3), padding_of(node));
  const std::optional<Term> bias = bias_of(node, 2);
  const ConvolutionForm form{.groups = weights.shape[3] == 0 ? 0 : x.shape[4] / weights.shape[3]};
  const Term arranged = b.transpose(weights, {4, 0, 1, 2, 3});
  node.out(0, activated(node, convolution(b, x, arranged, bias ? &*bias : nullptr, windows, form)));
}

void emit_tflite_CONV_3D_TRANSPOSE(NodeContext& node) {
  Builder& b = node.b;
  const std::vector<std::int64_t> shape = node.integers(0, "output_shape");
  const Term& x = node.in(2);
  if (shape.size() != 5 || node.in(1).rank() != 5 || x.rank() != 5) throw Refused("the operands have to have rank 5");
  // The weights are [D, H, W, O, I].
  const Term weights = b.transpose(node.in(1), {3, 0, 1, 2, 4});
  const Windows windows = transposed_windows(node, x, weights, std::span(shape).subspan(1, 3), kStrides3, kDilations3);
  const std::optional<Term> bias = bias_of(node, 3);
  node.out(0, activated(node, transposed_convolution(b, x, weights, bias ? &*bias : nullptr, windows)));
}

void emit_tflite_FULLY_CONNECTED(NodeContext& node) {
  Builder& b = node.b;
  if (node.integer("weights_format", 0) != 0) throw Refused("shuffled weights are not supported");
  const Term& x = node.in(0);
  const Term& weights = node.in(1);
  if (weights.rank() != 2) throw Refused(formatted("the weights have rank {}; it has to be 2", weights.rank()));
  const std::int64_t outputs = weights.shape[0], inputs = weights.shape[1];
  if (inputs == 0 || x.count() % inputs != 0)
    throw Refused(formatted("{} elements are not divided by {} inputs", x.count(), inputs));
  const std::int64_t rows = x.count() / inputs;
  tensor::Shape shape{rows, outputs};
  if (node.flag("keep_num_dims")) {
    if (x.extent(-1) != inputs) throw Refused("the last dimension is not that of the weights");
    shape = x.shape;
    shape.back() = outputs;
  }
  std::optional<Term> bias = bias_of(node, 2);
  if (is_hybrid(node, 1))
    return node.out(0, b.reshape(activated(node, hybrid_linear(node, rows, bias ? &*bias : nullptr)), shape));
  if (!is_quantised(node)) {
    const Term made = b.linear(b.reshape(x, {rows, inputs}), weights, bias ? &*bias : nullptr);
    return node.out(0, b.reshape(activated(node, made), shape));
  }
  const Product product = [&](const Term& of, const Term& by, const Term* bias_term, const ConvolutionForm& form) {
    return convolution(b, b.reshape(of, {rows, 1, 1, inputs}), b.reshape(by, {outputs, 1, 1, inputs}), bias_term,
                       windows_of({1, 1}), form);
  };
  out_quantised(node, b.reshape(quantised_product(node, {}, true, product, unchanged), shape));
}

namespace {

Term adjoint(Builder& b, const Term& x, bool transposes) {
  if (!transposes) return x;
  std::vector<std::int64_t> permutation(x.rank());
  std::iota(permutation.begin(), permutation.end(), 0);
  std::swap(permutation[x.rank() - 1], permutation[x.rank() - 2]);
  return b.transpose(x, std::move(permutation));
}

// [batch, rows, columns] of quantised tensors, with the same batches.
Term quantised_matmul(NodeContext& node, const QuantisedTerm& x, const QuantisedTerm& y) {
  Builder& b = node.b;
  const QuantisedType to = result_type(node);
  const Term& a = x.term;
  const Term& c = y.term;
  const tensor::Shape batch =
      broadcast_shape(std::span(a.shape).first(a.rank() - 2), std::span(c.shape).first(c.rank() - 2));
  const auto merged = [&](const Term& of) {
    tensor::Shape full = batch;
    full.insert(full.end(), {of.extent(-2), of.extent(-1)});
    return b.reshape(b.broadcast(of, full), {product_of(batch), of.extent(-2), of.extent(-1)});
  };
  const bool is_wide = x.type.type == FileType::I16;
  const Term left = merged(a), right = merged(c);
  tosa::Attributes attributes{{"A_zp", {x.type.zero}}, {"B_zp", {y.type.zero}}};
  const tosa::ValueId made = b.add(tosa::Op::MATMUL, {b.value(left), b.value(right)}, std::move(attributes),
                                   is_wide ? tosa::DataType::I48 : tosa::DataType::I32);
  const double scale = static_cast<double>(x.type.scale * y.type.scale) / static_cast<double>(to.scale);
  tensor::Shape shape = batch;
  shape.insert(shape.end(), {a.extent(-2), c.extent(-1)});
  if (!is_wide)
    return b.reshape(requantise(b, b.term(made, FileType::I32), to, std::span(&scale, 1), arithmetic_of(node)), shape);
  const Multiplier by = multiplier_of(scale);
  return b.reshape(rescale_wide(b, b.term(made, FileType::I64), to.type, std::span(&by, 1)), shape);
}

}  // namespace

void emit_tflite_BATCH_MATMUL(NodeContext& node) {
  Builder& b = node.b;
  const bool left = node.flag("adj_x"), right = node.flag("adj_y");
  if (node.in(0).rank() < 2 || node.in(1).rank() < 2) throw Refused("the operands have to have rank 2 or more");
  if (is_hybrid(node, 1)) return node.out(0, hybrid_matmul(node, adjoint(b, node.in(0), left), right));
  if (!is_quantised(node)) return node.out(0, b.matmul(adjoint(b, node.in(0), left), adjoint(b, node.in(1), right)));
  QuantisedTerm x = quantised_operand(node, 0), y = quantised_operand(node, 1);
  x.term = adjoint(b, x.term, left);
  y.term = adjoint(b, y.term, right);
  out_quantised(node, quantised_matmul(node, x, y));
}

}  // namespace slipway::importer
