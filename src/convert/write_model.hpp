// A graph as a whole VGF file.
//
//   Result<std::vector<std::byte>> file = convert::write_model(graph);
//
// The graph becomes one segment, with one graph module. Constants of more than 16 elements go to the file's constants,
// the others into the module (converter page 3.8); `graph_constant` numbers and bindings of the graph are given anew.
// The graph is a model of TOSA operators alone: `convert.hpp` is for those with shader operators, options and names.
#pragma once

#include <vector>

#include "base/diagnostic.hpp"
#include "tosa/graph.hpp"

namespace slipway::convert {

// Inputs and outputs are called `input_0`, ..., `output_0`, ... unless their values have names. Verifies the graph;
// errors are those of `tosa::verify` and `tosa::write_graph_module`.
Result<std::vector<std::byte>> write_model(const tosa::Graph& graph);

}  // namespace slipway::convert
