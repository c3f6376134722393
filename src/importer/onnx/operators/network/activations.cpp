// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Activation functions (docs/spec/import.md#elementwise).
#include "importer/emit/network/activations.hpp"

#include <cmath>
#include <limits>

#include "base/format.hpp"
#include "importer/emit/host.hpp"
#include "importer/onnx/operators.hpp"

namespace slipway::importer {

void emit_onnx_Relu(NodeContext& node) { node.out(0, relu(node.b, node.in(0))); }

void emit_onnx_LeakyRelu(NodeContext& node) { node.out(0, leaky_relu(node.b, node.in(0), node.real("alpha", 0.01F))); }

void emit_onnx_PRelu(NodeContext& node) {
  const Term& x = node.in(0);
  Term slope = node.in(1);
  Builder& b = node.b;
  // Before version 7 a slope [C] is of channels; afterwards it is broadcast from the right.
  if (node.version() < 7 && slope.rank() == 1 && slope.count() > 1 && x.rank() > 2) {
    tensor::Shape shape(x.rank() - 1, 1);
    shape[0] = slope.count();
    slope = b.reshape(slope, std::move(shape));
  }
  if (broadcast_shape(x.shape, slope.shape) != x.shape) throw Refused("the slope does not fit the tensor");
  node.out(0, b.select(b.binary(Binary::Less, x, 0), b.mul(x, slope), x));
}

void emit_onnx_Elu(NodeContext& node) { node.out(0, elu(node.b, node.in(0), node.real("alpha", 1))); }

void emit_onnx_Selu(NodeContext& node) {
  // The defaults of version 1 have fewer digits.
  const double alpha = node.version() < 6 ? 1.6732F : 1.67326319217681884765625;
  const double gamma = node.version() < 6 ? 1.0507F : 1.05070102214813232421875;
  node.out(0, selu(node.b, node.in(0), node.real("alpha", alpha), node.real("gamma", gamma)));
}

void emit_onnx_Celu(NodeContext& node) { node.out(0, celu(node.b, node.in(0), node.real("alpha", 1))); }

void emit_onnx_ThresholdedRelu(NodeContext& node) {
  node.out(0, thresholded_relu(node.b, node.in(0), node.real("alpha", 1)));
}

void emit_onnx_Shrink(NodeContext& node) {
  node.out(0, shrink(node.b, node.in(0), node.real("bias", 0), node.real("lambd", 0.5)));
}

void emit_onnx_HardSigmoid(NodeContext& node) {
  node.out(0, hard_sigmoid(node.b, node.in(0), node.real("alpha", 0.2F), node.real("beta", 0.5)));
}

void emit_onnx_HardSwish(NodeContext& node) { node.out(0, hard_swish(node.b, node.in(0))); }
void emit_onnx_Softsign(NodeContext& node) { node.out(0, softsign(node.b, node.in(0))); }
void emit_onnx_Mish(NodeContext& node) { node.out(0, mish(node.b, node.in(0))); }
void emit_onnx_Swish(NodeContext& node) { node.out(0, swish(node.b, node.in(0), node.real("alpha", 1))); }

void emit_onnx_Gelu(NodeContext& node) {
  const std::string approximation = node.text("approximate", "none");
  if (approximation != "none" && approximation != "tanh")
    throw Refused(formatted("`approximate` is `{}`", approximation));
  node.out(0, approximation == "tanh" ? gelu_tanh(node.b, node.in(0)) : gelu(node.b, node.in(0)));
}

namespace {

// Before version 13 these operators see a matrix, whose rows begin at the axis.
Term as_rows(const NodeContext& node, const Term& x, std::int64_t axis) {
  const std::size_t at = axis < 0 ? axis_of(axis, x.rank()) : static_cast<std::size_t>(axis);
  if (at > x.rank()) throw Refused(formatted("the axis {} is out of range for a tensor of rank {}", axis, x.rank()));
  const std::span<const std::int64_t> dimensions = x.shape;
  return node.b.reshape(x, {product_of(dimensions.first(at)), product_of(dimensions.subspan(at))});
}

// Calls `apply` with the tensor and the axis of the version.
template <class Apply>
void along_axis(NodeContext& node, Apply apply) {
  const Term& x = node.in(0);
  if (x.count() == 0) return node.out(0, x);
  if (node.version() >= 13) {
    if (x.rank() == 0) return node.out(0, node.b.reshape(apply(node.b.reshape(x, {1}), 0), {}));
    return node.out(0, apply(x, node.integer("axis", -1)));
  }
  node.out(0, node.b.reshape(apply(as_rows(node, x, node.integer("axis", 1)), 1), x.shape));
}

}  // namespace

void emit_onnx_Softmax(NodeContext& node) {
  along_axis(node, [&](const Term& x, std::int64_t axis) { return node.b.softmax(x, axis); });
}

void emit_onnx_LogSoftmax(NodeContext& node) {
  along_axis(node, [&](const Term& x, std::int64_t axis) { return node.b.log_softmax(x, axis); });
}

void emit_onnx_Hardmax(NodeContext& node) {
  Builder& b = node.b;
  along_axis(node, [&](const Term& x, std::int64_t axis) {
    tensor::Shape line(x.rank(), 1);
    line[axis_of(axis, x.rank())] = x.extent(axis);
    const Term positions = b.reshape(b.arange(FileType::I32, 0, x.extent(axis)), line);
    const Term largest = b.unsqueeze(b.argmax(x, axis), axis);
    return b.cast(b.binary(Binary::Equal, positions, largest), x.type);
  });
}

namespace {

// A limit of Clip: its number if it is known, and within what graphs compute with.
std::optional<double> known_limit(const Term& limit) {
  if (!limit.known || limit.count() != 1) return std::nullopt;
  if (is_real(limit.type)) return limit.known->real(0);
  const auto value = static_cast<double>(limit.known->integer(0));
  return std::clamp(value, std::ldexp(-1, 31), std::ldexp(1, 31) - 1);
}

}  // namespace

void emit_onnx_Clip(NodeContext& node) {
  const Term& x = node.in(0);
  Builder& b = node.b;
  const bool by_attributes = node.version() < 11;
  const double infinity = std::numeric_limits<double>::infinity();
  const bool has_low = by_attributes ? node.has("min") : node.has(1);
  const bool has_high = by_attributes ? node.has("max") : node.has(2);
  const auto number = [&](std::string_view name, std::size_t operand) {
    return by_attributes ? std::optional(node.real(name, 0)) : known_limit(node.in(operand));
  };
  const std::optional<double> low = has_low ? number("min", 1) : -infinity;
  const std::optional<double> high = has_high ? number("max", 2) : infinity;
  if (low && high && is_real(x.type)) return node.out(0, b.clamp(x, *low, *high));
  Term made = x;
  if (has_low) made = b.binary(Binary::Max, made, low ? b.number(x.type, *low) : node.in(1));
  if (has_high) made = b.binary(Binary::Min, made, high ? b.number(x.type, *high) : node.in(2));
  node.out(0, b.reshape(made, x.shape));
}

void emit_onnx_Dropout(NodeContext& node) {
  const Term& x = node.in(0);
  Builder& b = node.b;
  if (node.version() >= 12) {
    const bool trains = node.has(2) && node.known(2, "training_mode").integer(0) != 0;
    const double ratio = node.has(1) && trains ? node.known(1, "ratio").real(0) : 0.5;
    if (trains && ratio != 0) throw Refused("it drops elements at random: training_mode is 1");
  }
  node.out(0, x);
  const FileType mask = node.version() >= 10 ? FileType::Bool : x.type;
  if (node.wants(1)) node.out(1, b.broadcast(b.number(mask, 1), x.shape));
}

}  // namespace slipway::importer
