// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convert/file/formats.hpp"

#include <algorithm>

namespace slipway::convert {

std::vector<bool> unsigned_values(const tosa::Graph& graph) {
  std::vector<bool> found(graph.values.size()), signed_use(graph.values.size());
  for (const tosa::Node& node : graph.nodes) {
    const bool unsigned_input = node.op == tosa::Op::RESCALE && node.attributes.flag("input_unsigned");
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const std::size_t value = index(node.inputs[i]);
      const bool constant = graph.values[value].kind == tosa::ValueKind::Constant;
      if (unsigned_input && (i == 0 || !constant))
        found[value] = true;
      else
        signed_use[value] = true;
    }
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    const tosa::ValueKind kind = graph.values[i].kind;
    if (kind == tosa::ValueKind::Result || (kind == tosa::ValueKind::Constant && signed_use[i])) found[i] = false;
  }
  for (const tosa::ValueId output : graph.outputs) {
    const tosa::Node* producer = graph.producer(output);
    if (producer && producer->op == tosa::Op::RESCALE && producer->attributes.flag("output_unsigned"))
      found[index(output)] = true;
  }
  return found;
}

}  // namespace slipway::convert
