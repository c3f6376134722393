// Random whole graphs: operators of all kinds on tensors of all types, joined at random. A build of this program gives
// the same graph for the same seed.
#pragma once

#include "testing/tosa/graph_maker.hpp"

namespace slipway::testing {

struct RandomGraphShape {
  std::int64_t least_operators = 5, most_operators = 60;
  std::int64_t most_elements = 600;  // of a tensor
};

// Results that nothing uses are outputs, and some others are too.
GraphMaker random_graph(std::uint64_t seed, const RandomGraphShape& shape = {});

}  // namespace slipway::testing
