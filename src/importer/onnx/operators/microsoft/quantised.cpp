// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quantised operators of com.microsoft (docs/spec/import.md#operators-of-commicrosoft).
#include "importer/quant/half_even.hpp"

#include "base/format.hpp"
#include "importer/onnx/operators.hpp"
#include "importer/onnx/operators/network/products.hpp"
#include "importer/onnx/operators/quantised/products.hpp"

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

// By the scale and the zero point at `first`; the type is that of the first operand.
Term quantised_result(const NodeContext& node, const Term& x, std::size_t first) {
  Builder& b = node.b;
  std::optional<Term> zero;
  if (node.has(first + 1)) zero = one_number(b, node.in(first + 1), "zero_point");
  const FileType type = node.in(0).type;
  const Term ratio = rounding_quotient(b, x, one_number(b, node.in(first), "scale"), type);
  return quantised_to_even(b, ratio, type, zero ? &*zero : nullptr);
}

void of_two(NodeContext& node, Binary op) {
  node.out(0, quantised_result(node, node.b.binary(op, dequantised(node, 0), dequantised(node, 3)), 6));
}

}  // namespace

void emit_microsoft_QLinearAdd(NodeContext& node) { of_two(node, Binary::Add); }
void emit_microsoft_QLinearMul(NodeContext& node) { of_two(node, Binary::Mul); }

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
