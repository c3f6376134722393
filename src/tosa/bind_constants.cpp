// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tosa/bind_constants.hpp"

#include "base/checked.hpp"
#include "base/format.hpp"

namespace slipway::tosa {

void bind_constants(Graph& graph, const std::function<std::optional<Bytes>(std::uint32_t)>& data_of,
                    Diagnostics& diagnostics) {
  for (Constant& constant : graph.constants) {
    if (!constant.graph_constant) continue;
    const TensorType& type = graph[constant.value].type;
    const std::optional<Bytes> data = data_of(*constant.graph_constant);
    const Size size = tensor::byte_count(type.shape, storage_of(type.data));
    if (!data) {
      diagnostics.error(
          DiagnosticKind::UnknownReference, {},
          formatted("graph constant {} of `{}` is bound to no data", *constant.graph_constant, graph.name));
    } else if (size != data->size()) {
      diagnostics.error(DiagnosticKind::FileMismatch, {},
                        formatted("graph constant {} of `{}` is {} and gets {} bytes", *constant.graph_constant,
                                  graph.name, text_of(type), data->size()));
    } else {
      constant.data = *data;
    }
  }
}

}  // namespace slipway::tosa
