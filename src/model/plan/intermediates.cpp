// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/plan/intermediates.hpp"

#include <algorithm>

namespace slipway::model {

std::vector<StoredValue> stored_values(const tosa::Graph& graph, const lower::KernelProgram& program) {
  std::vector<StoredValue> values;
  for (const lower::ProgramDispatch& dispatch : program.dispatches) {
    if (dispatch.nodes.empty()) continue;  // a copy, or operands in another order
    const lower::ProgramBuffer& buffer = program.buffers[dispatch.buffers.back()];
    const tosa::TensorType& type = graph[buffer.value].type;
    const bool is_result = std::ranges::contains(graph.nodes[dispatch.nodes.back()].outputs, buffer.value);
    const bool is_stored = buffer.kind == lower::BufferKind::Intermediate || buffer.kind == lower::BufferKind::Output;
    if (!is_result || !is_stored || buffer.size != tensor::byte_count(type.shape, tosa::storage_of(type.data)))
      continue;
    // The last of several dispatches completes a value.
    std::erase_if(values, [&](const StoredValue& earlier) { return earlier.value == buffer.value; });
    values.push_back({buffer.value, program.kernels[dispatch.kernel].name});
  }
  return values;
}

void expose_intermediates(std::span<const StoredValue> values, tosa::Graph& graph, lower::KernelProgram& program) {
  for (const StoredValue& stored : values) {
    const tosa::TensorType& type = graph[stored.value].type;
    const auto size = tensor::byte_count(type.shape, tosa::storage_of(type.data));
    for (const lower::ProgramDispatch& dispatch : program.dispatches) {
      lower::ProgramBuffer& buffer = program.buffers[dispatch.buffers.back()];
      if (dispatch.nodes.empty() || buffer.kind != lower::BufferKind::Intermediate || buffer.value != stored.value ||
          buffer.size != size)
        continue;
      buffer.kind = lower::BufferKind::Output;
      buffer.index = static_cast<std::uint32_t>(graph.outputs.size());
      graph.outputs.push_back(stored.value);
      break;
    }
  }
}

}  // namespace slipway::model
