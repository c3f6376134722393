// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/plan/widening.hpp"

#include "base/format.hpp"
#include "lower/strategies/contraction/contraction.hpp"
#include "lower/strategies/windows/window_match.hpp"
#include "tosa/text.hpp"

namespace slipway::lower {
namespace {

// The zero point of an operator that reads the stored value in place, without a copy with a border.
std::optional<std::int64_t> zero_of_reader(const tosa::Graph& graph, const std::vector<bool>& stored,
                                           const tosa::Node& reader, const DeviceFacts& device) {
  if (reader.op == tosa::Op::DEPTHWISE_CONV2D && is_vector_window(graph, stored, reader, device))
    return reader.attributes.integer("input_zp");
  const auto contraction = contraction_of(graph, reader);
  if (!contraction || !contraction->same_border || multiplies_bytes(graph, stored, *contraction, device))
    return std::nullopt;
  return contraction->a_zero;
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
    widened[index(node.inputs[0])] = zero_of_reader(graph, stored, node, device);
  }
  for (const tosa::ValueId output : graph.outputs) widened[index(output)].reset();
  return widened;
}

std::string print_widening(const tosa::Graph& graph, const Widening& widened) {
  const std::vector<std::string> names = tosa::value_names(graph);
  std::string text;
  for (std::size_t value = 0; value < widened.size(); ++value) {
    if (widened[value]) text += formatted("{} as floats, minus zero point {}\n", names[value], *widened[value]);
  }
  return text;
}

}  // namespace slipway::lower
