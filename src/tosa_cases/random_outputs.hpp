// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs whose outputs are any values: inputs, constants, results that other operators use, and the same value twice.
#pragma once

#include <cstdint>
#include <iterator>

#include "tosa_cases/graph_builder.hpp"

namespace slipway::tosa_cases {

// Replaces the outputs by one to `most` random values, all values being as likely.
inline void pick_outputs(tosa::Graph& graph, Random& random, std::int64_t most = 6) {
  graph.outputs.clear();
  graph.output_bindings.clear();
  const std::int64_t count = random.between(1, most);
  for (std::int64_t i = 0; i < count; ++i)
    graph.outputs.push_back(static_cast<ValueId>(random.between(0, std::ssize(graph.values) - 1)));
}

// A small graph with such outputs, of operators that move elements and a few that compute exact results: views of
// inputs, of constants and of each other. Some have no operators.
GraphBuilder graph_of_views(std::uint64_t seed);

}  // namespace slipway::tosa_cases
