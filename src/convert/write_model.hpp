// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A graph as a whole VGF file.
//
//   Result<std::vector<std::byte>> file = convert::write_model(graph);
//
// The graph becomes one segment, with one graph module. Constants of more than 16 elements go to the file's constants,
// the others into the module (docs/spec/converter.md#graph-constants); the graph's `graph_constant` indices and
// bindings are reassigned. The graph must have TOSA operators only: `convert.hpp` handles shader operators, options and
// names.
#pragma once

#include <vector>

#include "base/diagnostic.hpp"
#include "tosa/graph.hpp"

namespace slipway::convert {

// Inputs and outputs are called `input_0`, ..., `output_0`, ... unless their values have names. Verifies the graph;
// errors are those of `tosa::verify` and `tosa::write_graph_module`.
Result<std::vector<std::byte>> write_model(const tosa::Graph& graph);

}  // namespace slipway::convert
