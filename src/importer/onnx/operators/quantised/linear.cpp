// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear (docs/spec/import.md#onnx-quantised-operators).
#include "importer/quant/half_even.hpp"

#include "base/format.hpp"
#include "importer/emit/host.hpp"
#include "importer/emit/small_types.hpp"
#include "importer/onnx/operators.hpp"
#include "importer/onnx/parameters.hpp"

namespace slipway::importer {
namespace {

// How a scale or a zero point belongs to a tensor: one for all, one for each index of an axis, or one for each block.
struct Granularity {
  std::int64_t axis = 1, block = 0;
};

// A scale or a zero point with a shape that broadcasts to that of x.
Term per_element(Builder& b, const Term& parameter, const Term& x, const Granularity& of) {
  if (parameter.count() == 1) return b.reshape(parameter, {});
  const std::size_t axis = axis_of(of.axis, x.rank());
  if (of.block == 0) {
    if (parameter.rank() != 1 || parameter.count() != x.shape[axis])
      throw Refused(
          formatted("{} scales do not fit axis {} of {}", parameter.count(), axis, tensor::shape_text(x.shape)));
    tensor::Shape line(x.rank(), 1);
    line[axis] = x.shape[axis];
    return b.reshape(parameter, std::move(line));
  }
  const std::int64_t extent = x.shape[axis];
  tensor::Shape expected = x.shape;
  expected[axis] = (extent + of.block - 1) / of.block;
  if (of.block < 0 || parameter.shape != expected)
    throw Refused(
        formatted("scales of shape {} do not fit blocks of {}", tensor::shape_text(parameter.shape), of.block));
  const std::span<const std::int64_t> dimensions = parameter.shape;
  const std::int64_t outer = product_of(dimensions.first(axis + 1)), inner = product_of(dimensions.subspan(axis + 1));
  const Term repeated = b.tile(b.reshape(parameter, {outer, 1, inner}), {1, of.block, 1});
  tensor::Shape whole = parameter.shape;
  whole[axis] *= of.block;
  return b.slice_axis(b.reshape(repeated, std::move(whole)), static_cast<std::int64_t>(axis), 0, extent);
}

Granularity granularity(const NodeContext& node) {
  return {.axis = node.integer("axis", 1), .block = node.integer("block_size", 0)};
}

// x / scale, as float32, rounded to the type of the division.
Term divided(Builder& b, const Term& x, const Term& scale, FileType precision, FileType type) {
  const Term left = b.cast(b.cast(x, precision), FileType::F32),
             right = b.cast(b.cast(scale, precision), FileType::F32);
  if (is_integer(type) && (precision == FileType::F32 || precision == FileType::F64))
    return rounding_quotient(b, left, right, type);
  // A quotient of two narrow floats in float32 has enough digits to be rounded once more.
  return b.cast(b.cast(b.div(left, right), precision), FileType::F32);
}

}  // namespace

void emit_onnx_QuantizeLinear(NodeContext& node) {
  Builder& b = node.b;
  const Term& x = node.in(0);
  const Granularity of = granularity(node);
  const Term scale = per_element(b, node.in(1), x, of);
  FileType type = type_attribute(node, "output_dtype", FileType::U8);
  if (node.has(2)) type = node.in(2).type;
  const FileType precision = type_attribute(node, "precision", node.in(1).type);
  if (!is_real(precision)) throw Refused("`precision` is not a type of floats");
  const Term ratio = divided(b, x, scale, precision, type);
  // The zero point of floats is 0.
  if (!is_integer(type)) return node.out(0, convert(b, ratio, type, {.saturate = node.flag("saturate", true)}));
  std::optional<Term> zero_point;
  if (node.has(2)) zero_point = per_element(b, node.in(2), x, of);
  node.out(0, quantised_to_even(b, ratio, type, zero_point ? &*zero_point : nullptr));
}

void emit_onnx_DequantizeLinear(NodeContext& node) {
  Builder& b = node.b;
  const Term& x = node.in(0);
  const Granularity of = granularity(node);
  const Term scale = per_element(b, node.in(1), x, of);
  std::optional<Term> zero_point;
  if (node.has(2) && is_integer(x.type)) zero_point = per_element(b, node.in(2), x, of);
  const Term numbers = is_coded(x.type) ? convert(b, x, FileType::F32) : x;
  const Term made = b.mul(centred_real(b, numbers, zero_point ? &*zero_point : nullptr), b.cast(scale, FileType::F32));
  node.out(0, b.cast(made, type_attribute(node, "output_dtype", node.in(1).type)));
}

void emit_onnx_DynamicQuantizeLinear(NodeContext& node) {
  DynamicallyQuantised made = dynamically_quantised(node.b, node.in(0));
  node.out(0, std::move(made.numbers));
  node.out(1, std::move(made.scale));
  node.out(2, std::move(made.zero_point));
}

}  // namespace slipway::importer
