// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Normalisations (docs/spec/import.md#matrix-products-convolutions-pooling).
#include "importer/onnx/operators/network/normalisation.hpp"

#include <numeric>

#include "base/format.hpp"
#include "importer/emit/host.hpp"
#include "importer/emit/network/activations.hpp"
#include "importer/emit/network/windows.hpp"
#include "importer/onnx/operators.hpp"

namespace slipway::importer {
namespace {

// A list for the channels, axis 1 of a tensor.
Term along_channels(Builder& b, const Term& list, const Term& x) {
  if (x.rank() < 2 || list.count() != x.shape[1])
    throw Refused(formatted("a parameter of shape {} does not fit the channels of {}", tensor::shape_text(list.shape),
                            tensor::shape_text(x.shape)));
  tensor::Shape shape(x.rank(), 1);
  shape[1] = x.shape[1];
  return b.reshape(b.cast(list, x.type), std::move(shape));
}

bool is_narrow(const Term& x) { return is_real(x.type) && x.type != FileType::F32 && x.type != FileType::F64; }

}  // namespace

std::vector<std::int64_t> axes_from(std::int64_t axis, std::size_t rank) {
  std::vector<std::int64_t> axes(rank - axis_of(axis, rank));
  std::iota(axes.begin(), axes.end(), static_cast<std::int64_t>(axis_of(axis, rank)));
  return axes;
}

Normalised normalised(Builder& b, const Term& x, const std::vector<std::int64_t>& axes, double epsilon) {
  const Term mean = b.reduce(Reduction::Mean, x, axes, true);
  const Term centred = b.sub(x, mean);
  const Term variance = b.reduce(Reduction::Mean, b.mul(centred, centred), axes, true);
  const Term inverse = b.unary(Unary::Rsqrt, b.affine(variance, 1, epsilon));
  return {b.mul(centred, inverse), mean, inverse};
}

Normalised rms_normalised(Builder& b, const Term& x, const std::vector<std::int64_t>& axes, double epsilon) {
  const Term mean = b.reduce(Reduction::Mean, b.mul(x, x), axes, true);
  const Term inverse = b.unary(Unary::Rsqrt, b.affine(mean, 1, epsilon));
  return {b.mul(x, inverse), {}, inverse};
}

Normalised layer_normalised(Builder& b, const Term& x, const Term& scale, const Term* bias, std::int64_t axis,
                            double epsilon, bool by_mean) {
  const std::vector<std::int64_t> axes = axes_from(axis, x.rank());
  const Term wide = is_narrow(x) ? b.cast(x, FileType::F32) : x;
  Normalised made = by_mean ? normalised(b, wide, axes, epsilon) : rms_normalised(b, wide, axes, epsilon);
  made.values = b.mul(b.cast(made.values, scale.type), scale);
  if (bias) made.values = b.add(made.values, *bias);
  made.values = b.cast(made.values, x.type);
  if (made.values.shape != x.shape) throw Refused("the scale or the bias does not fit the tensor");
  return made;
}

void emit_onnx_BatchNormalization(NodeContext& node) {
  const Term& x = node.in(0);
  Builder& b = node.b;
  // Before version 7 is_test is 0 unless it is given, and before version 14 results beside the first mean training.
  if (node.flag("training_mode") || (node.version() < 14 && node.wants(1))) throw Refused("the graph is for training");
  if (node.version() < 9 && !node.flag("spatial", true)) throw Refused("`spatial` is 0");
  const double epsilon = node.real("epsilon", 1e-5F);
  const Term &scale = node.in(1), &shift = node.in(2), &mean = node.in(3), &variance = node.in(4);
  if (scale.known && shift.known && mean.known && variance.known && scale.count() <= kMaxFolded) {
    // In double, rounded once.
    const auto wide = [&](const Term& list) { return b.cast(list, FileType::F64); };
    const Term deviation = b.unary(Unary::Sqrt, b.affine(wide(variance), 1, epsilon));
    const Term factor = b.div(wide(scale), deviation);
    const Term rest = b.sub(wide(shift), b.mul(wide(mean), factor));
    return node.out(0, b.add(b.mul(x, along_channels(b, factor, x)), along_channels(b, rest, x)));
  }
  const Term inverse = b.unary(Unary::Rsqrt, b.affine(along_channels(b, variance, x), 1, epsilon));
  const Term centred = b.sub(x, along_channels(b, mean, x));
  const Term scaled = b.mul(centred, b.mul(inverse, along_channels(b, scale, x)));
  node.out(0, b.add(scaled, along_channels(b, shift, x)));
}

void emit_onnx_InstanceNormalization(NodeContext& node) {
  const Term& x = node.in(0);
  Builder& b = node.b;
  if (x.rank() < 3) throw Refused(formatted("the tensor has rank {}; 3 or more are needed", x.rank()));
  const Term values = normalised(b, x, axes_from(2, x.rank()), node.real("epsilon", 1e-5F)).values;
  const Term scaled = b.mul(values, along_channels(b, node.in(1), x));
  node.out(0, b.add(scaled, along_channels(b, node.in(2), x)));
}

void emit_onnx_GroupNormalization(NodeContext& node) {
  const Term& x = node.in(0);
  Builder& b = node.b;
  const std::int64_t groups = node.integer("num_groups");
  if (x.rank() < 2 || groups < 1 || x.shape[1] % groups != 0)
    throw Refused(formatted("{} groups do not fit the tensor {}", groups, tensor::shape_text(x.shape)));
  const Term wide = is_narrow(x) && node.integer("stash_type", 1) == 1 ? b.cast(x, FileType::F32) : x;
  const Term grouped = b.reshape(wide, {x.shape[0], groups, x.count() / x.shape[0] / groups});
  Term values = normalised(b, grouped, {2}, node.real("epsilon", 1e-5F)).values;
  const Term &scale = node.in(1), &shift = node.in(2);
  if (scale.count() == groups && groups != x.shape[1]) {  // version 18: of groups
    const tensor::Shape line{1, groups, 1};
    values = b.mul(values, b.reshape(b.cast(scale, wide.type), line));
    values = b.add(values, b.reshape(b.cast(shift, wide.type), line));
    return node.out(0, b.cast(b.reshape(values, x.shape), x.type));
  }
  values = b.cast(b.reshape(values, x.shape), x.type);
  node.out(0, b.add(b.mul(values, along_channels(b, scale, x)), along_channels(b, shift, x)));
}

void emit_onnx_LayerNormalization(NodeContext& node) {
  const Term* bias = node.has(2) ? &node.in(2) : nullptr;
  Normalised made = layer_normalised(node.b, node.in(0), node.in(1), bias, node.integer("axis", -1),
                                     node.real("epsilon", 1e-5F), true);
  node.out(0, std::move(made.values));
  node.out(1, std::move(made.mean));
  node.out(2, std::move(made.inverse_deviation));
}

void emit_onnx_RMSNormalization(NodeContext& node) {
  node.out(0, layer_normalised(node.b, node.in(0), node.in(1), nullptr, node.integer("axis", -1),
                               node.real("epsilon", 1e-5F), false)
                  .values);
}

void emit_onnx_MeanVarianceNormalization(NodeContext& node) {
  const Term& x = node.in(0);
  Builder& b = node.b;
  const std::vector<std::int64_t> axes = node.list("axes").value_or(std::vector<std::int64_t>{0, 2, 3});
  const Term mean = b.reduce(Reduction::Mean, x, axes, true);
  const Term squares = b.reduce(Reduction::Mean, b.mul(x, x), axes, true);
  const Term deviation = b.unary(Unary::Sqrt, b.sub(squares, b.mul(mean, mean)));
  node.out(0, b.div(b.sub(x, mean), b.affine(deviation, 1, 1e-9)));
}

void emit_onnx_LRN(NodeContext& node) {
  const Term& x = node.in(0);
  Builder& b = node.b;
  const std::int64_t size = node.integer("size");
  if (x.rank() < 2 || size < 1)
    throw Refused(formatted("a window of {} channels in a tensor of rank {}", size, x.rank()));
  const Term squares = neighbour_sum(b, b.mul(x, x), 1, (size - 1) / 2, size / 2);
  const double alpha = node.real("alpha", 1e-4F) / static_cast<double>(size);
  const Term base = b.affine(squares, alpha, node.real("bias", 1));
  node.out(0, b.mul(x, positive_power(b, base, -node.real("beta", 0.75))));
}

void emit_onnx_LpNormalization(NodeContext& node) {
  const Term& x = node.in(0);
  Builder& b = node.b;
  const std::int64_t axis = node.integer("axis", -1), p = node.integer("p", 2);
  if (p != 1 && p != 2) throw Refused(formatted("`p` is {}; it is 1 or 2", p));
  const Term powers = p == 1 ? b.unary(Unary::Abs, x) : b.mul(x, x);
  const Term sum = b.reduce(Reduction::Sum, powers, {axis}, true);
  const Term norm = p == 1 ? sum : b.unary(Unary::Sqrt, sum);
  // What is 0 stays 0.
  const Term divisor = b.select(b.binary(Binary::Equal, norm, 0), b.number(x.type, 1), norm);
  node.out(0, b.div(x, divisor));
}

}  // namespace slipway::importer
