// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/tflite/operators/common.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/format.hpp"

namespace slipway::importer {
namespace {

struct Limits {
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
};

// Of what the function lets through.
Limits limits_of(Activation activation) {
  switch (activation) {
    case Activation::Relu:
      return {.low = 0};
    case Activation::ReluN1To1:
      return {.low = -1, .high = 1};
    case Activation::Relu6:
      return {.low = 0, .high = 6};
    default:
      return {};
  }
}

}  // namespace

Arithmetic arithmetic_of(const NodeContext& node) {
  const Arithmetic chosen = node.options().arithmetic;
  return chosen == Arithmetic::OfFormat ? Arithmetic::Double : chosen;
}

bool is_quantised(const NodeContext& node) { return is_quantised(node.in(0)); }

QuantisedType result_type(const NodeContext& node, std::size_t i) {
  const NetValue& result = node.result(i);
  return quantised_type(result.type, result.quantization.get());
}

QuantisedTerm quantised_operand(NodeContext& node, std::size_t i) { return quantised(node.b, node.in(i)); }

bool same_quantisation(const QuantisedType& a, const QuantisedType& b) {
  return a.scale == b.scale && a.zero == b.zero && a.type == b.type;
}

void out_quantised(NodeContext& node, const Term& x, std::size_t i) {
  node.out(i, stored_bits(node.b, x, result_type(node, i)));
}

void out_by_function(NodeContext& node, const RealFunction& function) {
  const Term& x = node.in(0);
  node.out(0, by_real_table(node.b, x, quantised_type(x.type, x.quantization.get()), result_type(node), function));
}

Activation activation_of(const NodeContext& node) {
  const std::int64_t number = node.integer("fused_activation_function", 0);
  if (number < 0 || number > static_cast<std::int64_t>(Activation::Tanh))
    throw Refused(formatted("the activation {} is not supported", number));
  return static_cast<Activation>(number);
}

Term activated(NodeContext& node, const Term& x) {
  const Activation activation = activation_of(node);
  if (activation == Activation::None) return x;
  if (activation == Activation::Tanh) return node.b.unary(Unary::Tanh, x);
  const Limits limits = limits_of(activation);
  if (is_real(x.type)) return node.b.clamp(x, limits.low, limits.high);
  const Term above = node.b.binary(Binary::Max, x, limits.low);
  return std::isinf(limits.high) ? above : node.b.binary(Binary::Min, above, limits.high);
}

Term activated(NodeContext& node, const Term& x, const QuantisedType& type) {
  const Activation activation = activation_of(node);
  if (activation == Activation::None) return x;
  if (activation == Activation::Tanh) throw Refused("the activation tanh of quantised tensors is not supported");
  const Limits limits = limits_of(activation);
  const auto stored = [&](double limit, std::int64_t otherwise) {
    if (std::isinf(limit)) return otherwise;
    const double number = std::round(static_cast<float>(limit) / type.scale) + static_cast<double>(type.zero);
    return static_cast<std::int64_t>(
        std::clamp(number, static_cast<double>(type.low()), static_cast<double>(type.high())));
  };
  const std::int64_t low = stored(limits.low, type.low()), high = stored(limits.high, type.high());
  if (low == type.low() && high == type.high()) return x;
  return node.b.clamp(x, static_cast<double>(low), static_cast<double>(high));
}

Padding padding_of(const NodeContext& node) {
  return node.integer("padding", 0) == 0 ? Padding::SameUpper : Padding::Valid;
}

Windows windows_of(const NodeContext& node, const Term& x, std::int64_t height, std::int64_t width, bool dilates) {
  if (x.rank() != 4) throw Refused(formatted("the tensor has rank {}; it has to be 4", x.rank()));
  Windows windows = windows_of({height, width});
  windows.stride = {node.integer("stride_h", 1), node.integer("stride_w", 1)};
  if (dilates) windows.dilation = {node.integer("dilation_h_factor", 1), node.integer("dilation_w_factor", 1)};
  for (std::size_t d = 0; d < 2; ++d) {
    if (windows.stride[d] < 1 || windows.dilation[d] < 1 || windows.kernel[d] < 1)
      throw Refused("windows, strides and dilations are at least 1");
  }
  set_padding(windows, std::span(x.shape).subspan(1, 2), padding_of(node));
  return windows;
}

std::int64_t single_integer(const NodeContext& node, std::size_t i, std::string_view what) {
  const std::vector<std::int64_t> values = node.integers(i, what);
  if (values.size() != 1) throw Refused(formatted("`{}` has {} elements; it has to have one", what, values.size()));
  return values.front();
}

FileType type_named(const NodeContext& node, std::string_view name, FileType otherwise) {
  const FileType type = file_type_of_tflite(node.integer(name, info_of(otherwise).tflite));
  if (type == FileType::Unknown) throw Refused(formatted("`{}` is not a type", name));
  return type;
}

}  // namespace slipway::importer
