// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions, sums along an axis, and order (docs/spec/import.md#reductions-and-order).
#include <cmath>
#include <limits>
#include <numeric>

#include "base/format.hpp"
#include "importer/emit/indexing/sorting.hpp"
#include "importer/onnx/operators.hpp"
#include "importer/onnx/parameters.hpp"

namespace slipway::importer {
namespace {

struct Axes {
  std::vector<std::int64_t> list;
  bool keep = true;
};

// `since`: the version from which on the axes are an operand.
Axes reduced_axes(NodeContext& node, std::int64_t since) {
  Axes made{.list = list_parameter(node, "axes", 1, since).value_or(std::vector<std::int64_t>()),
            .keep = node.flag("keepdims", true)};
  if (!made.list.empty() || (node.version() >= since && node.flag("noop_with_empty_axes"))) return made;
  made.list.resize(node.in(0).rank());
  std::iota(made.list.begin(), made.list.end(), 0);
  return made;
}

void reduce(NodeContext& node, Reduction op, std::int64_t since = 18) {
  const Axes axes = reduced_axes(node, since);
  node.out(0, node.b.reduce(op, node.in(0), axes.list, axes.keep));
}

Term sum_of_squares(NodeContext& node, const Term& x) {
  const Axes axes = reduced_axes(node, 18);
  return node.b.reduce(Reduction::Sum, node.b.mul(x, x), axes.list, axes.keep);
}

// A function of floats, of tensors that may have integers.
Term in_floats(Builder& b, Unary op, const Term& x) {
  if (is_real(x.type)) return b.unary(op, x);
  return b.cast(b.unary(op, b.cast(x, FileType::F32)), x.type);
}

}  // namespace

void emit_onnx_ReduceSum(NodeContext& node) { reduce(node, Reduction::Sum, 13); }
void emit_onnx_ReduceMax(NodeContext& node) { reduce(node, Reduction::Max); }
void emit_onnx_ReduceMin(NodeContext& node) { reduce(node, Reduction::Min); }
void emit_onnx_ReduceProd(NodeContext& node) { reduce(node, Reduction::Product); }
void emit_onnx_ReduceMean(NodeContext& node) { reduce(node, Reduction::Mean); }

void emit_onnx_ReduceL1(NodeContext& node) {
  const Axes axes = reduced_axes(node, 18);
  node.out(0, node.b.reduce(Reduction::Sum, node.b.unary(Unary::Abs, node.in(0)), axes.list, axes.keep));
}

void emit_onnx_ReduceL2(NodeContext& node) {
  node.out(0, in_floats(node.b, Unary::Sqrt, sum_of_squares(node, node.in(0))));
}

void emit_onnx_ReduceSumSquare(NodeContext& node) { node.out(0, sum_of_squares(node, node.in(0))); }

void emit_onnx_ReduceLogSum(NodeContext& node) {
  const Axes axes = reduced_axes(node, 18);
  node.out(0, in_floats(node.b, Unary::Log, node.b.reduce(Reduction::Sum, node.in(0), axes.list, axes.keep)));
}

void emit_onnx_ReduceLogSumExp(NodeContext& node) {
  Builder& b = node.b;
  const FileType type = node.in(0).type;
  const Term x = is_real(type) ? node.in(0) : b.cast(node.in(0), FileType::F32);
  const Axes axes = reduced_axes(node, 18);
  const Term maximum = b.reduce(Reduction::Max, x, axes.list, true);
  // An infinite maximum is not subtracted: the differences would be NaN.
  const Term is_finite = b.binary(Binary::Less, b.unary(Unary::Abs, maximum), std::numeric_limits<double>::infinity());
  const Term shift = b.select(is_finite, maximum, b.number(x.type, 0));
  const Term powers = b.unary(Unary::Exp, b.sub(x, shift));
  const Term logarithm = b.unary(Unary::Log, b.reduce(Reduction::Sum, powers, axes.list, true));
  const Term sum = b.add(logarithm, shift);
  // The axes go by a reduction of one element each.
  node.out(0, b.cast(axes.keep ? sum : b.reduce(Reduction::Sum, sum, axes.list, false), type));
}

namespace {

void extreme(NodeContext& node, bool largest) {
  const Term& x = node.in(0);
  const std::int64_t axis = node.integer("axis", 0);
  const Term index = extreme_index(node.b, x, axis, largest, node.flag("select_last_index"));
  tensor::Shape kept = x.shape;
  kept[axis_of(axis, x.rank())] = 1;
  const Term shaped = node.flag("keepdims", true) ? node.b.reshape(index, kept) : index;
  node.out(0, node.b.cast(shaped, FileType::I64));
}

}  // namespace

void emit_onnx_ArgMax(NodeContext& node) { extreme(node, true); }
void emit_onnx_ArgMin(NodeContext& node) { extreme(node, false); }

void emit_onnx_TopK(NodeContext& node) {
  const std::int64_t count = node.version() < 10 ? node.integer("k") : integer_operand(node, 1, "K");
  const Sorted found = top_k(node.b, node.in(0), node.integer("axis", -1), count, node.flag("largest", true));
  node.out(0, found.values);
  node.out(1, node.b.cast(found.indices, FileType::I64));
}

void emit_onnx_CumSum(NodeContext& node) {
  const std::int64_t axis = integer_operand(node, 1, "axis");
  node.out(0, node.b.cumsum(node.in(0), axis, node.flag("exclusive"), node.flag("reverse")));
}

void emit_onnx_CumProd(NodeContext& node) {
  Builder& b = node.b;
  const FileType type = node.in(0).type;
  const std::int64_t axis = integer_operand(node, 1, "axis");
  const bool reversed = node.flag("reverse");
  const Term x = reversed ? b.reverse(node.in(0), axis) : node.in(0);
  const std::int64_t extent = x.extent(axis);
  if (extent == 0) return node.out(0, x);
  // Each element times that at a distance before it; the distance doubles.
  const auto delayed = [&](const Term& of, std::int64_t by) {
    tensor::Shape before(of.rank(), 0);
    before[axis_of(axis, of.rank())] = by;
    return b.pad(b.slice_axis(of, axis, 0, extent - by), before, tensor::Shape(of.rank(), 0), b.number(of.type, 1));
  };
  Term product = is_real(type) ? b.computable(x) : b.widen(x);
  if (node.flag("exclusive")) product = delayed(product, 1);
  for (std::int64_t distance = 1; distance < extent; distance *= 2)
    product = b.mul(product, delayed(product, distance));
  product = is_real(type) ? b.cast(product, type) : b.narrow(product, type);
  node.out(0, reversed ? b.reverse(product, axis) : product);
}

}  // namespace slipway::importer
