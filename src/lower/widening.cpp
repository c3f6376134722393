#include "lower/widening.hpp"

#include "lower/families/contraction.hpp"
#include "lower/families/windows.hpp"

namespace slipway::lower {
namespace {

// The zero point of an operator that reads the value at its own place, without a border or another order of its rows.
std::optional<std::int64_t> zero_of_reader(const tosa::Graph& graph, const std::vector<bool>& stored,
                                           const tosa::Node& reader, const DeviceFacts& device) {
  if (reader.op == tosa::Op::DEPTHWISE_CONV2D && is_vector_window(graph, stored, reader, device))
    return reader.attributes.integer("input_zp");
  const auto contraction = contraction_of(graph, reader);
  return contraction && contraction->same_border ? std::optional(contraction->a_zero) : std::nullopt;
}

}  // namespace

Widening plan_widening(const tosa::Graph& graph, const std::vector<bool>& stored, const DeviceFacts& device) {
  Widening widened(graph.values.size());
  if (!device.addresses || !device.lanes) return widened;
  for (const tosa::Node& node : graph.nodes) {
    if (node.inputs.empty()) continue;
    const tosa::Value& value = graph[node.inputs[0]];
    if (value.kind != tosa::ValueKind::Result || value.type.data != tosa::DataType::I8 ||
        !stored[index(node.inputs[0])] || widened[index(node.inputs[0])])
      continue;
    widened[index(node.inputs[0])] = zero_of_reader(graph, stored, node, device);
  }
  for (const tosa::ValueId output : graph.outputs) widened[index(output)].reset();
  return widened;
}

}  // namespace slipway::lower
