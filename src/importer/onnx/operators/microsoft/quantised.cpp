// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quantised operators of com.microsoft (docs/spec/import.md#operators-of-commicrosoft).
#include <cmath>
#include <functional>

#include "base/format.hpp"
#include "importer/emit/host.hpp"
#include "importer/emit/network/activations.hpp"
#include "importer/emit/network/windows.hpp"
#include "importer/emit/unsigned.hpp"
#include "importer/onnx/operators.hpp"
#include "importer/onnx/operators/network/normalisation.hpp"
#include "importer/onnx/operators/network/products.hpp"
#include "importer/onnx/operators/network/window_attributes.hpp"
#include "importer/onnx/operators/quantised/products.hpp"
#include "importer/quant/half_even.hpp"
#include "importer/quant/tables.hpp"

namespace slipway::importer {
namespace {

Term one_number(Builder& b, const Term& x, std::string_view what) {
  if (x.count() != 1) throw Refused(formatted("`{}` has {} elements; one is supported", what, x.count()));
  return b.reshape(x, {});
}

// The operand at `first`, with its scale and its zero point after it, as float32.
Term dequantised(const NodeContext& node, std::size_t first) {
  Builder& b = node.b;
  std::optional<Term> zero;
  if (node.has(first + 2)) zero = one_number(b, node.in(first + 2), "zero_point");
  return b.mul(centred_real(b, node.in(first), zero ? &*zero : nullptr), one_number(b, node.in(first + 1), "scale"));
}

// By the scale and the zero point at `first`.
Term quantised_result(const NodeContext& node, const Term& x, std::size_t first, FileType type) {
  Builder& b = node.b;
  std::optional<Term> zero;
  if (node.has(first + 1)) zero = one_number(b, node.in(first + 1), "zero_point");
  const Term ratio = rounding_quotient(b, x, one_number(b, node.in(first), "scale"), type);
  return quantised_to_even(b, ratio, type, zero ? &*zero : nullptr);
}

void of_two(NodeContext& node, Binary op) {
  const Term made = node.b.binary(op, dequantised(node, 0), dequantised(node, 3));
  node.out(0, quantised_result(node, made, 6, node.in(0).type));
}

// A function of the first operand; its scale and zero point are followed by those of the result.
template <class Function>
void of_one(NodeContext& node, Function function) {
  node.out(0, quantised_result(node, function(dequantised(node, 0)), 3, node.in(0).type));
}

// The same with the channels first, if the attribute channels_last says that they are last.
template <class Function>
void of_images(NodeContext& node, Function function) {
  const bool is_last = node.flag("channels_last");
  of_one(node, [&](const Term& x) {
    const Term made = function(is_last ? channels_first(node.b, x) : x);
    return is_last ? channels_last(node.b, made) : made;
  });
}

// A function of the first operand by a table of its 256 results, if all scales are known.
void by_table_of(NodeContext& node, const std::function<float(float)>& function,
                 const std::function<Term(const Term&)>& block) {
  const Term& x = node.in(0);
  const auto known = [&](std::size_t i) { return !node.has(i) || (node.in(i).known && node.in(i).count() == 1); };
  const bool is_8 = x.type == FileType::U8 || x.type == FileType::I8;
  if (!is_8 || !known(1) || !known(2) || !known(3) || !known(4)) return of_one(node, block);
  const auto scale = [&](std::size_t i) { return static_cast<float>(node.in(i).known->real(0)); };
  const auto zero = [&](std::size_t i) { return node.has(i) ? node.in(i).known->integer(0) : 0; };
  const float from = scale(1), to = scale(3);
  const std::int64_t from_zero = zero(2), to_zero = zero(4);
  node.out(0, by_table(node.b, x, x.type, [&](std::int64_t stored) {
             const float real = from * static_cast<float>(stored - from_zero);
             return integer_of(std::nearbyint(function(real) / to)) + to_zero;
           }));
}

}  // namespace

void emit_microsoft_QLinearAdd(NodeContext& node) { of_two(node, Binary::Add); }
void emit_microsoft_QLinearMul(NodeContext& node) { of_two(node, Binary::Mul); }

void emit_microsoft_QLinearSigmoid(NodeContext& node) {
  by_table_of(
      node, [](float x) { return 1 / (1 + std::exp(-x)); },
      [&](const Term& x) { return node.b.unary(Unary::Sigmoid, x); });
}

void emit_microsoft_QLinearLeakyRelu(NodeContext& node) {
  const auto alpha = static_cast<float>(node.real("alpha", 0.01F));
  by_table_of(
      node, [alpha](float x) { return x >= 0 ? x : alpha * x; },
      [&](const Term& x) { return leaky_relu(node.b, x, alpha); });
}

void emit_microsoft_QLinearSoftmax(NodeContext& node) {
  of_one(node, [&](const Term& x) {
    const std::int64_t axis = node.integer("axis", -1);
    if (node.integer("opset", 13) >= 13) return node.b.softmax(x, axis);
    // Before version 13 of Softmax the tensor is a matrix, whose rows begin at the axis.
    const std::span<const std::int64_t> dimensions = x.shape;
    const std::size_t at = axis_of(axis, x.rank());
    const tensor::Shape rows{product_of(dimensions.first(at)), product_of(dimensions.subspan(at))};
    return node.b.reshape(node.b.softmax(node.b.reshape(x, rows), 1), x.shape);
  });
}

void emit_microsoft_QLinearAveragePool(NodeContext& node) {
  of_images(node, [&](const Term& x) { return onnx_average_pool(node, x); });
}

void emit_microsoft_QLinearGlobalAveragePool(NodeContext& node) {
  of_images(node, [&](const Term& x) { return node.b.reduce(Reduction::Mean, x, axes_from(2, x.rank()), true); });
}

void emit_microsoft_QLinearConcat(NodeContext& node) {
  std::vector<Term> parts;
  for (std::size_t i = 2; i < node.inputs(); i += 3) parts.push_back(dequantised(node, i));
  const Term joined = node.b.concat(parts, node.integer("axis"));
  node.out(0, quantised_result(node, joined, 0, node.in(2).type));
}

void emit_microsoft_QLinearWhere(NodeContext& node) {
  const Term chosen = node.b.select(node.in(0), dequantised(node, 1), dequantised(node, 4));
  node.out(0, quantised_result(node, chosen, 7, node.in(1).type));
}

void emit_microsoft_QuantizeLinear(NodeContext& node) { emit_onnx_QuantizeLinear(node); }
void emit_microsoft_DequantizeLinear(NodeContext& node) { emit_onnx_DequantizeLinear(node); }

namespace {

// Sums of int32 as floats by the scale of A and those of the columns of B, with a bias.
Term scaled_sums(Builder& b, const Term& sums, const Term& a_scale, const Term& b_scale, const Term* bias) {
  const Term made = b.mul(b.cast(sums, FileType::F32), b.mul(a_scale, b_scale));
  return bias ? b.add(made, *bias) : made;
}

}  // namespace

void emit_microsoft_MatMulIntegerToFloat(NodeContext& node) {
  const Term &a = node.in(0), &weights = node.in(1);
  const Term sums = integer_matmul(node, a, weights, zero_points(node, 4, "a_zero_point", a),
                                   zero_points(node, 5, "b_zero_point", weights));
  node.out(0, scaled_sums(node.b, sums, node.in(2), node.in(3), node.has(6) ? &node.in(6) : nullptr));
}

void emit_microsoft_DynamicQuantizeMatMul(NodeContext& node) {
  Builder& b = node.b;
  const Term& weights = node.in(1);
  const DynamicallyQuantised a = dynamically_quantised(b, node.in(0));
  // The zero point of A is computed: what it adds to each column is subtracted.
  const Term signed_a = as_signed(b, a.numbers), zero = b.binary(Binary::Sub, b.widen(a.zero_point), 128);
  const std::vector<std::int64_t> zeros = zero_points(node, 3, "b_zero_point", weights);
  const Term sums = integer_matmul(node, signed_a, weights, {0}, zeros);
  tensor::Shape line(weights.rank(), 1);
  line.back() = static_cast<std::int64_t>(zeros.size());
  const Term centred = b.sub(b.widen(as_signed(b, weights)), b.integers(FileType::I32, line, zeros));
  const Term columns = b.reduce(Reduction::Sum, centred, {-2}, true);
  const Term rest = b.sub(sums, b.mul(columns, zero));
  node.out(0, scaled_sums(b, rest, a.scale, node.in(2), node.has(4) ? &node.in(4) : nullptr));
}

void emit_microsoft_QGemm(NodeContext& node) {
  Builder& b = node.b;
  const Term a = node.flag("transA") ? swapped(b, node.in(0)) : node.in(0);
  const Term weights = node.flag("transB") ? swapped(b, node.in(3)) : node.in(3);
  Term sums = integer_matmul(node, a, weights, zero_points(node, 2, "a_zero_point", a),
                             zero_points(node, 5, "b_zero_point", weights));
  if (node.has(6)) sums = b.add(sums, node.in(6));
  // One scale, or one for each column.
  const Term scale = b.affine(b.mul(node.in(1), node.in(4)), node.real("alpha", 1), 0);
  if (!node.has(7)) return node.out(0, b.mul(b.cast(sums, FileType::F32), scale));
  const Term* zero = node.has(8) ? &node.in(8) : nullptr;
  const FileType type = zero ? zero->type : node.in(0).type;
  node.out(0, requantised(b, sums, b.div(scale, node.in(7)), type, zero));
}

}  // namespace slipway::importer
