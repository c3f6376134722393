// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The readers of the values of a graph.
#pragma once

#include <vector>

#include "tosa/graph.hpp"

namespace slipway::lower {

struct Uses {
  explicit Uses(const tosa::Graph& graph) : readers(graph.values.size()), is_output(graph.values.size(), false) {
    for (std::uint32_t n = 0; n < graph.nodes.size(); ++n) {
      for (const tosa::ValueId input : graph.nodes[n].inputs) readers[index(input)].push_back(n);
    }
    for (const tosa::ValueId output : graph.outputs) is_output[index(output)] = true;
  }

  std::vector<std::vector<std::uint32_t>> readers;  // by value: indices of nodes, one for each input
  std::vector<bool> is_output;                      // of the graph
};

}  // namespace slipway::lower
