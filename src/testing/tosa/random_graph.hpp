// Random whole graphs: operators of all kinds on tensors of all types, joined at random. A build of this program gives
// the same graph for the same seed.
//
// What takes time is to make kernels, not to run them. Graphs whose seeds are neighbours have a vocabulary: a few types
// and shapes, and a few things to do with values of each, in an order and with numbers of their own. They share most of
// their kernels.
#pragma once

#include "testing/tosa/graph_maker.hpp"

namespace slipway::testing {

inline constexpr std::uint64_t kGraphsOfAVocabulary = 64;  // those of seeds 0 to 63, 64 to 127...

struct RandomGraphShape {
  std::int64_t least_operators = 5, most_operators = 60;
  std::int64_t most_elements = 600;  // of a tensor
};

// Results that nothing uses are outputs, and some others are too.
GraphMaker random_graph(std::uint64_t seed, const RandomGraphShape& shape = {});

}  // namespace slipway::testing
