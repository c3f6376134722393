// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The shapes and attributes that an operator allows, and the shapes of its results (docs/spec/tosa.md#operators, the
// conditions marked E).
#pragma once

#include <optional>
#include <vector>

#include "base/diagnostic.hpp"
#include "tosa/graph.hpp"

namespace slipway::tosa {

// The shapes of the results of a node from its inputs and attributes; dimensions that depend on a dynamic one are
// dynamic. The node's inputs must have the ranks of operators.def and its attributes must be there (verify.hpp). Empty
// after an error: shape-mismatch, out-of-range.
std::optional<std::vector<tensor::Shape>> result_shapes(const Graph& graph, const Node& node, Diagnostics& diagnostics);

// Whether two shapes can be equal: equal ranks, and no known dimensions that differ.
bool may_be_equal(tensor::ShapeView a, tensor::ShapeView b);

}  // namespace slipway::tosa
