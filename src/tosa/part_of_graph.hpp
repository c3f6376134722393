// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operators that some values need, as a graph of their own.
//
//   const PartOfGraph part = part_of_graph(whole, {&result, 1}, [&](ValueId value) { return is_given(value); });
//   run(part.graph, values of part.inputs)
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "tosa/graph.hpp"

namespace slipway::tosa {

struct PartOfGraph {
  Graph graph;
  std::vector<ValueId> inputs;  // of the whole graph, in the order of its values
};

// `outputs`: the values that the part computes. Results of operators that are known become inputs, except an output
// that is computed. Data of constants are views of those of the whole graph. The part has no bindings.
PartOfGraph part_of_graph(const Graph& whole, std::span<const ValueId> outputs,
                          const std::function<bool(ValueId)>& is_known);

}  // namespace slipway::tosa
