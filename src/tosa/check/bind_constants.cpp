// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tosa/check/bind_constants.hpp"

#include "base/checked.hpp"
#include "base/format.hpp"
#include "tosa/check/bound_shapes.hpp"

namespace slipway::tosa {

void bind_constants(Graph& graph, const std::function<std::optional<BoundConstant>(std::uint32_t)>& data_of,
                    Diagnostics& diagnostics) {
  for (Constant& constant : graph.constants) {
    if (!constant.graph_constant) continue;
    const std::string name = formatted("graph constant {} of `{}`", *constant.graph_constant, graph.name);
    const std::optional<BoundConstant> bound = data_of(*constant.graph_constant);
    if (!bound) {
      diagnostics.error(DiagnosticKind::UnknownReference, {}, name + " is bound to no data");
      continue;
    }
    if (bound->shape && !bind_shape(graph, constant.value, *bound->shape, name, {}, diagnostics)) continue;
    const TensorType& type = graph[constant.value].type;
    if (tensor::byte_count(type.shape, storage_of(type.data)) != bound->data.size()) {
      diagnostics.error(DiagnosticKind::FileMismatch, {},
                        formatted("{} is {} and gets {} bytes", name, text_of(type), bound->data.size()));
    } else {
      constant.data = bound->data;
    }
  }
}

}  // namespace slipway::tosa
