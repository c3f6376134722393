// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions, and indices of extremes.
#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "base/format.hpp"
#include "importer/emit/indexing/sorting.hpp"
#include "importer/emit/unsigned.hpp"
#include "importer/quant/fixed_point.hpp"
#include "importer/tflite/operators.hpp"
#include "importer/tflite/operators/common.hpp"

namespace slipway::importer {
namespace {

std::vector<std::int64_t> axes_of(const NodeContext& node) {
  std::set<std::int64_t> axes;
  for (const std::int64_t axis : node.integers(1, "axis"))
    axes.insert(static_cast<std::int64_t>(axis_of(axis, node.in(0).rank())));
  return {axes.begin(), axes.end()};
}

void reduced(NodeContext& node, Reduction op) {
  node.out(0, node.b.reduce(op, node.in(0), axes_of(node), node.flag("keep_dims")));
}

// MEAN and SUM of quantised numbers: one scaling of a sum.
void quantised_total(NodeContext& node, bool is_mean) {
  Builder& b = node.b;
  const QuantisedTerm x = quantised_operand(node, 0);
  const QuantisedType to = result_type(node);
  const std::vector<std::int64_t> axes = axes_of(node);
  std::int64_t count = 1;
  for (const std::int64_t axis : axes) count *= x.term.extent(axis);
  if (count == 0) throw Refused("a quantised tensor without elements is reduced");
  Multiplier by = multiplier_of(static_cast<double>(x.type.scale) / static_cast<double>(to.scale));
  if (is_mean) {
    int shift = std::bit_width(static_cast<std::uint64_t>(count)) - 1;
    shift = std::min({shift, 32, 31 + by.exponent});
    by.mantissa = static_cast<std::int32_t>((std::int64_t{by.mantissa} << shift) / count);
    by.exponent -= shift;
  }
  const Term sum = b.reduce(Reduction::Sum, b.widen(x.term), axes, node.flag("keep_dims"));
  const Term moved = b.binary(Binary::Sub, sum, static_cast<double>(x.type.zero * count));
  out_quantised(node,
                rescale(b, moved, to.type, {.by = {by}, .output_zero = to.zero, .arithmetic = arithmetic_of(node)}));
}

// Each product is scaled, so that it does not overflow.
void quantised_chain(NodeContext& node) {
  Builder& b = node.b;
  const QuantisedTerm x = quantised_operand(node, 0);
  const QuantisedType to = result_type(node);
  const std::vector<std::int64_t> axes = axes_of(node);
  std::vector<std::int64_t> order = axes;
  tensor::Shape kept;
  std::int64_t count = 1;
  for (std::int64_t d = 0; d < static_cast<std::int64_t>(x.term.rank()); ++d) {
    if (std::ranges::contains(axes, d)) {
      count *= x.term.extent(d);
      if (node.flag("keep_dims")) kept.push_back(1);
    } else {
      order.push_back(d);
      kept.push_back(x.term.extent(d));
    }
  }
  constexpr std::int64_t kMaxFactors = 64;
  if (count > kMaxFactors) throw Refused(formatted("a product of {} quantised numbers is too long", count));
  const double scale =
      std::pow(static_cast<double>(x.type.scale), static_cast<double>(count)) / static_cast<double>(to.scale);
  const Multiplier by = multiplier_of(std::pow(scale, 1.0 / static_cast<double>(count)));
  const Term rows = b.reshape(b.transpose(centred(b, x), order), {count, x.term.count() / count});
  // product * number * multiplier has 64 bits, which MUL with a shift has inside: the last two are one factor.
  const double reduced = by.mantissa < 0x7fff0000 ? (by.mantissa + (1 << 15)) >> 16 : 0x7fff;
  const std::int64_t shift = 15 - by.exponent;
  if (shift < 1 || shift > 62) throw Refused("the scales of the product are too far apart");
  const auto multiply = [&](const Term& x_of, const Term& y_of) {
    return b.term(b.add(tosa::Op::MUL, {b.value(x_of), b.value(y_of)}, {{"shift", {shift}}}), FileType::I32);
  };
  const Term factors = b.binary(Binary::Mul, rows, reduced);
  Term product = b.slice_axis(rows, 0, 0, 1);
  for (std::int64_t i = 1; i < count; ++i) product = multiply(product, b.slice_axis(factors, 0, i, 1));
  product = multiply(product, b.number(FileType::I32, reduced, {1, 1}));
  const Term moved = b.binary(Binary::Add, product, static_cast<double>(to.zero));
  const Term limited = b.binary(Binary::Min, b.binary(Binary::Max, moved, static_cast<double>(to.low())),
                                static_cast<double>(to.high()));
  out_quantised(node, b.narrow(b.reshape(limited, kept), to.type));
}

// By the square root of the sum of squares, with a scale of 1/128.
void quantised_l2_normalization(NodeContext& node) {
  Builder& b = node.b;
  const QuantisedTerm x = quantised_operand(node, 0);
  const Term value = centred(b, x);
  const InverseRoots roots = inverse_square_root(b, b.reduce(Reduction::Sum, b.mul(value, value), {-1}, true));
  // value * root * 2^(7 - shift): to the left before the product, or to the right after it.
  const Term excess = b.sub(b.number(FileType::I32, 7), roots.shift);
  const Term zero = b.number(FileType::I32, 0);
  const Term left = b.binary(Binary::Max, excess, zero),
             right = b.binary(Binary::Max, b.unary(Unary::Neg, excess), zero);
  const Term product = high_product(b, b.binary(Binary::ShiftLeft, value, left), roots.mantissa);
  const Term rounded = divide_by_powers(b, product, right);
  const Term limited = b.binary(Binary::Min, b.binary(Binary::Max, rounded, -128), 127);
  out_quantised(node, b.narrow(limited, FileType::I8));
}

void extreme_position(NodeContext& node, bool largest) {
  const std::int64_t axis = single_integer(node, 1, "axis");
  const Term index = extreme_index(node.b, as_signed(node.b, node.in(0)), axis, largest, false);
  node.out(0, node.b.cast(index, type_named(node, "output_type", FileType::I32)));
}

}  // namespace

void emit_tflite_MEAN(NodeContext& node) {
  return is_quantised(node) ? quantised_total(node, true) : reduced(node, Reduction::Mean);
}
void emit_tflite_SUM(NodeContext& node) {
  return is_quantised(node) ? quantised_total(node, false) : reduced(node, Reduction::Sum);
}
void emit_tflite_REDUCE_PROD(NodeContext& node) {
  return is_quantised(node) ? quantised_chain(node) : reduced(node, Reduction::Product);
}
void emit_tflite_REDUCE_MAX(NodeContext& node) { reduced(node, Reduction::Max); }
void emit_tflite_REDUCE_MIN(NodeContext& node) { reduced(node, Reduction::Min); }
void emit_tflite_REDUCE_ANY(NodeContext& node) { reduced(node, Reduction::Any); }
void emit_tflite_REDUCE_ALL(NodeContext& node) { reduced(node, Reduction::All); }

void emit_tflite_ARG_MAX(NodeContext& node) { extreme_position(node, true); }
void emit_tflite_ARG_MIN(NodeContext& node) { extreme_position(node, false); }

void emit_tflite_CUMSUM(NodeContext& node) {
  node.out(0, node.b.cumsum(node.in(0), single_integer(node, 1, "axis"), node.flag("exclusive"), node.flag("reverse")));
}

void emit_tflite_TOPK_V2(NodeContext& node) {
  const Term& x = node.in(0);
  const Sorted sorted = top_k(node.b, as_signed(node.b, x), -1, single_integer(node, 1, "k"), true);
  if (node.wants(0)) node.out(0, from_signed(node.b, sorted.values, x.type));
  if (node.wants(1)) node.out(1, node.b.cast(sorted.indices, node.result(1).type));
}

void emit_tflite_L2_NORMALIZATION(NodeContext& node) {
  Builder& b = node.b;
  if (is_quantised(node)) return quantised_l2_normalization(node);
  const Term& x = node.in(0);
  const Term root = b.unary(Unary::Sqrt, b.reduce(Reduction::Sum, b.mul(x, x), {-1}, true));
  node.out(0, activated(node, b.div(x, b.binary(Binary::Max, root, 1e-6))));
}

void emit_tflite_LOCAL_RESPONSE_NORMALIZATION(NodeContext& node) {
  Builder& b = node.b;
  const Term& x = node.in(0);
  if (x.rank() != 4) throw Refused("the tensor has to have rank 4");
  const std::int64_t radius = node.integer("radius", 0);
  if (radius < 0) throw Refused("the radius is below 0");
  // The channels are a dimension of windows.
  const Term squares = b.reshape(b.mul(x, x), {x.count() / x.shape[3], x.shape[3], 1});
  Windows windows = windows_of({2 * radius + 1});
  windows.before = windows.after = {radius};
  const Term sums = b.reshape(sum_pool(b, squares, windows), x.shape);
  const Term base = b.affine(sums, node.real("alpha", 0), node.real("bias", 0));
  node.out(0, b.mul(x, b.binary(Binary::Pow, base, -node.real("beta", 0))));
}

}  // namespace slipway::importer
