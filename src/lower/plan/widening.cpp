// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/plan/widening.hpp"

#include "base/format.hpp"
#include "lower/strategies/contraction/contraction.hpp"
#include "lower/strategies/windows/window_match.hpp"
#include "tosa/text.hpp"

namespace slipway::lower {
namespace {

// What an operator wants that reads the stored value in place, without a copy with a border.
std::optional<Widened> wanted_by(const tosa::Graph& graph, const std::vector<bool>& stored, const tosa::Node& reader,
                                 const DeviceFacts& device) {
  if (reader.op == tosa::Op::DEPTHWISE_CONV2D && is_vector_window(graph, stored, reader, device))
    return Widened{.zero = reader.attributes.integer("input_zp")};
  const auto contraction = contraction_of(graph, reader);
  if (!contraction || !contraction->same_border) return std::nullopt;
  const Factors factors = factors_of(graph, stored, *contraction, device);
  if (factors == Factors::Bytes) return std::nullopt;
  return Widened{contraction->a_zero, type_of(factors)};
}

}  // namespace

Widening plan_widening(const tosa::Graph& graph, const std::vector<bool>& stored, const DeviceFacts& device) {
  Widening widened(graph.values.size());
  if (!device.addresses || !device.lanes) return widened;
  for (const tosa::Node& node : graph.nodes) {
    if (node.inputs.empty()) continue;
    const tosa::Value& value = graph[node.inputs[0]];
    // Small floats as 32-bit ones: without it, every reader would convert a copy.
    const bool small_float =
        device.native_vectors && tosa::is_float(value.type.data) && value.type.data != tosa::DataType::F32;
    if (value.kind != tosa::ValueKind::Result || (value.type.data != tosa::DataType::I8 && !small_float) ||
        !stored[index(node.inputs[0])] || widened[index(node.inputs[0])])
      continue;
    widened[index(node.inputs[0])] = wanted_by(graph, stored, node, device);
  }
  for (const tosa::ValueId output : graph.outputs) widened[index(output)].reset();
  return widened;
}

std::string print_widening(const tosa::Graph& graph, const Widening& widened) {
  const std::vector<std::string> names = tosa::value_names(graph);
  std::string text;
  for (std::size_t value = 0; value < widened.size(); ++value) {
    if (widened[value])
      text += formatted("{} as {}, minus zero point {}\n", names[value], tensor::name_of(widened[value]->type),
                        widened[value]->zero);
  }
  return text;
}

}  // namespace slipway::lower
