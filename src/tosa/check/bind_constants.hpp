// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Binds data to the graph constants of a graph.
#pragma once

#include <functional>
#include <optional>

#include "base/diagnostic.hpp"
#include "tosa/graph.hpp"

namespace slipway::tosa {

struct BoundConstant {
  // Also without a shape: that of the module.
  BoundConstant(Bytes bytes, std::optional<tensor::Shape> given = std::nullopt)
      : data(bytes), shape(std::move(given)) {}
  Bytes data;
  std::optional<tensor::Shape> shape;
};

// `data_of` returns the bytes of a GraphConstantID, or nothing. They must outlive the graph. A shape of theirs is bound
// first (bind_shape of bound_shapes.hpp). Errors: unknown-reference, shape-mismatch, file-mismatch (another number of
// bytes than the type has).
void bind_constants(Graph& graph, const std::function<std::optional<BoundConstant>(std::uint32_t)>& data_of,
                    Diagnostics& diagnostics);

}  // namespace slipway::tosa
