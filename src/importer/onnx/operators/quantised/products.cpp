// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions and products of matrices of integers (docs/spec/import.md#onnx-quantised-operators).
#include <algorithm>

#include "base/format.hpp"
#include "importer/emit/host.hpp"
#include "importer/emit/unsigned.hpp"
#include "importer/onnx/operators.hpp"
#include "importer/onnx/operators/network/products.hpp"
#include "importer/onnx/operators/network/window_attributes.hpp"
#include "importer/onnx/operators/quantised/products.hpp"
#include "importer/quant/half_even.hpp"

namespace slipway::importer {

std::vector<std::int64_t> zero_points(const NodeContext& node, std::size_t operand, std::string_view what,
                                      const Term& x) {
  if (!node.has(operand)) return {-signed_offset(x.type)};
  std::vector<std::int64_t> values = node.integers(operand, what);
  for (std::int64_t& value : values) value -= signed_offset(x.type);
  if (values.empty()) throw Refused(formatted("`{}` has no elements", what));
  if (std::ranges::all_of(values, [&](std::int64_t each) { return each == values.front(); }))
    values.erase(values.begin() + 1, values.end());
  return values;
}

namespace {

// x [N, C, spatial...] with weights of several zero points: what a zero point of 0 adds is subtracted afterwards.
Term convolution_by_channel(const NodeContext& node, const Term& x, const Term& weights, const Term* bias,
                            std::int64_t x_zero, const std::vector<std::int64_t>& weight_zeros) {
  Builder& b = node.b;
  const std::int64_t outputs = weights.shape[0], groups = node.integer("group", 1);
  if (static_cast<std::int64_t>(weight_zeros.size()) != outputs)
    throw Refused(formatted("there are {} zero points for {} output channels", weight_zeros.size(), outputs));
  const Term made = onnx_convolution(node, x, weights, bias, {.input_zero = x_zero, .weight_zero = 0});
  // The sums of the windows, for each group.
  tensor::Shape shape = weights.shape;
  shape[0] = groups;
  const Term sums =
      onnx_convolution(node, x, b.number(FileType::I8, 1, shape), nullptr, {.input_zero = x_zero, .weight_zero = 0});
  std::vector<std::int64_t> group_of;
  for (std::int64_t o = 0; o < outputs; ++o) group_of.push_back(o / (outputs / groups));
  const Term by_output = groups == 1 ? sums : b.take(sums, 1, b.integers(FileType::I32, {outputs}, group_of), true);
  tensor::Shape line(x.rank(), 1);
  line[1] = outputs;
  return b.sub(made, b.mul(by_output, b.integers(FileType::I32, line, weight_zeros)));
}

// Refused: x is neither int8 nor uint8.
void check_int8(const Term& x) {
  if (x.type != FileType::I8 && x.type != FileType::U8)
    throw Refused(formatted("products of {} are not supported", name_of(x.type)));
}

}  // namespace

Term integer_convolution(const NodeContext& node, const Term& x, const Term& weights, const Term* bias,
                         const std::vector<std::int64_t>& x_zeros, const std::vector<std::int64_t>& weight_zeros) {
  Builder& b = node.b;
  check_int8(x);
  check_int8(weights);
  if (x_zeros.size() != 1) throw Refused("the operand has several zero points");
  const Term left = as_signed(b, x), right = as_signed(b, weights);
  if (weight_zeros.size() > 1) return convolution_by_channel(node, left, right, bias, x_zeros[0], weight_zeros);
  return onnx_convolution(node, left, right, bias, {.input_zero = x_zeros[0], .weight_zero = weight_zeros[0]});
}

Term integer_matmul(const NodeContext& node, const Term& a, const Term& weights,
                    const std::vector<std::int64_t>& a_zeros, const std::vector<std::int64_t>& weight_zeros) {
  Builder& b = node.b;
  check_int8(a);
  check_int8(weights);
  const Term left = as_signed(b, a), right = as_signed(b, weights);
  if (a_zeros.size() == 1 && weight_zeros.size() == 1) return b.matmul_int8(left, right, a_zeros[0], weight_zeros[0]);
  if (a.rank() < 2 || weights.rank() < 2) throw Refused("vectors have several zero points");
  // (A - a)(B - w) = AB - a * sums of columns of B - sums of rows of A * w + K * a * w
  const auto zeros = [&](const std::vector<std::int64_t>& list, std::int64_t extent, bool is_row) {
    const auto count = static_cast<std::int64_t>(list.size());
    if (count != 1 && count != extent)
      throw Refused(formatted("there are {} zero points for {} rows or columns", count, extent));
    return b.integers(FileType::I32, is_row ? tensor::Shape{count, 1} : tensor::Shape{1, count}, list);
  };
  const Term of_a = zeros(a_zeros, a.extent(-2), true), of_weights = zeros(weight_zeros, weights.extent(-1), false);
  const Term rows = b.reduce(Reduction::Sum, b.widen(left), {-1}, true);
  const Term columns = b.reduce(Reduction::Sum, b.widen(right), {-2}, true);
  const Term product = b.matmul_int8(left, right, 0, 0);
  const Term both = b.binary(Binary::Mul, b.mul(of_a, of_weights), static_cast<double>(a.extent(-1)));
  return b.add(b.sub(b.sub(product, b.mul(of_a, columns)), b.mul(rows, of_weights)), both);
}

Term requantised(Builder& b, const Term& sums, const Term& scale, FileType type, const Term* zero_point) {
  return quantised_to_even(b, b.mul(b.cast(sums, FileType::F32), scale), type, zero_point);
}

void emit_onnx_ConvInteger(NodeContext& node) {
  const Term &x = node.in(0), &weights = node.in(1);
  node.out(0, integer_convolution(node, x, weights, nullptr, zero_points(node, 2, "x_zero_point", x),
                                  zero_points(node, 3, "w_zero_point", weights)));
}

void emit_onnx_MatMulInteger(NodeContext& node) {
  const Term &a = node.in(0), &weights = node.in(1);
  node.out(0, integer_matmul(node, a, weights, zero_points(node, 2, "a_zero_point", a),
                             zero_points(node, 3, "b_zero_point", weights)));
}

void emit_onnx_QLinearConv(NodeContext& node) {
  Builder& b = node.b;
  const Term &x = node.in(0), &weights = node.in(3);
  const Term* bias = node.has(8) ? &node.in(8) : nullptr;
  const Term sums = integer_convolution(node, x, weights, bias, zero_points(node, 2, "x_zero_point", x),
                                        zero_points(node, 5, "w_zero_point", weights));
  Term scale = b.div(b.mul(node.in(1), node.in(4)), node.in(6));
  if (scale.count() > 1) {
    tensor::Shape line(sums.rank(), 1);
    line[1] = scale.count();
    scale = b.reshape(scale, std::move(line));
  }
  node.out(0, requantised(b, sums, b.cast(scale, FileType::F32), node.in(7).type, &node.in(7)));
}

void emit_onnx_QLinearMatMul(NodeContext& node) {
  Builder& b = node.b;
  const Term &a = node.in(0), &weights = node.in(3);
  const Term sums = integer_matmul(node, a, weights, zero_points(node, 2, "a_zero_point", a),
                                   zero_points(node, 5, "b_zero_point", weights));
  // A scale of each row of A, or of each column of B.
  Term of_a = node.in(1);
  if (of_a.rank() == 1 && of_a.count() > 1) of_a = b.reshape(of_a, {of_a.count(), 1});
  const Term scale =
      b.div(b.mul(b.cast(of_a, FileType::F32), b.cast(node.in(4), FileType::F32)), b.cast(node.in(6), FileType::F32));
  node.out(0, requantised(b, sums, scale, node.in(7).type, &node.in(7)));
}

}  // namespace slipway::importer
