// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether TOSA 1.0 allows a graph: operands, attributes, types, ranks and shapes of every node
// (docs/spec/tosa.md#operators, docs/spec/tosa.md#profiles-and-levels).
//
// ERROR_IF conditions of the specification are errors. Unpredictable results (an index out of range, an overflow) are
// not checked, and kernels must survive them. Exceeding level 8K is a warning.
#pragma once

#include "base/diagnostic.hpp"
#include "tosa/graph.hpp"

namespace slipway::tosa {

// Collects all errors: type-mismatch, shape-mismatch, out-of-range, unknown-value, file-format (order of nodes).
// Dynamic shapes of results become known where they follow from the inputs.
void verify(Graph& graph, Diagnostics& diagnostics);

// The same graph with static shapes of its inputs; every dependent shape is inferred again. The shapes must be
// compatible with those of the graph; errors as above.
std::optional<Graph> with_input_shapes(const Graph& graph, std::span<const tensor::Shape> shapes,
                                       Diagnostics& diagnostics);

}  // namespace slipway::tosa
