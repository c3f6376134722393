// What operators cost, counted from the specification's own definitions and not from how something computes them.
#pragma once

#include <cstdint>

#include "tosa/graph.hpp"

namespace slipway::tosa {

struct Cost {
  std::uint64_t multiply_adds = 0;  // of convolutions and products of matrices
  // All arithmetic: two for a multiply-add, one for each element of a pointwise result and for each element that a
  // pool, a reduction or a search looks at. Moving elements is none.
  std::uint64_t operations = 0;

  Cost& operator+=(const Cost& other);
};

// The node must be verified. Numbers that do not fit are as large as can be; nodes with dimensions that are not known
// cost nothing.
Cost cost_of(const Graph& graph, const Node& node);
Cost cost_of(const Graph& graph);

// Constants of a graph: how many, and how large they are in memory.
struct Parameters {
  std::uint64_t count = 0, elements = 0, bytes = 0;
};
Parameters parameters_of(const Graph& graph);

}  // namespace slipway::tosa
