// Whether a graph is one that TOSA 1.0 allows: operands, attributes, types, ranks and shapes of every node (TOSA page 4
// and 5).
//
// What the specification calls an error is one here; what it leaves unpredictable (an index out of range, an overflow)
// is not looked at, and kernels must survive it. Exceeding level 8K is a warning.
#pragma once

#include "base/diagnostic.hpp"
#include "tosa/graph.hpp"

namespace slipway::tosa {

// Collects all problems: type-mismatch, shape-mismatch, out-of-range, unknown-value, file-format (order of nodes).
// Shapes of results that were dynamic become known where the inputs tell them.
void verify(Graph& graph, Diagnostics& diagnostics);

// The same graph with static shapes of its inputs; every shape that depends on them is worked out anew. The shapes must
// fit the graph's own; errors as above.
std::optional<Graph> with_input_shapes(const Graph& graph, std::span<const tensor::Shape> shapes,
                                       Diagnostics& diagnostics);

}  // namespace slipway::tosa
