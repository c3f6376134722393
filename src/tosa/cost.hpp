// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cost of operators, counted from the definitions of the specification, not from an implementation.
#pragma once

#include <cstdint>

#include "tosa/graph.hpp"

namespace slipway::tosa {

struct Cost {
  std::uint64_t multiply_adds = 0;  // of convolutions and products of matrices
  // All arithmetic: two for a multiply-add, one for each element of a pointwise result and for each element that a
  // pool, a reduction or a search reads. Moving elements costs nothing.
  std::uint64_t operations = 0;

  Cost& operator+=(const Cost& other);
};

// Counts saturate. Nodes with unknown dimensions cost nothing. Nodes need not be valid: a missing operand has no
// elements, and a missing dimension is 1.
Cost cost_of(const Graph& graph, const Node& node);
Cost cost_of(const Graph& graph);

// Constants of a graph: their number and their size in memory.
struct Parameters {
  std::uint64_t count = 0, elements = 0, bytes = 0;
};
Parameters parameters_of(const Graph& graph);

}  // namespace slipway::tosa
