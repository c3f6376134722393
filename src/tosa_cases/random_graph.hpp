// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random whole graphs: operators of all kinds on tensors of all types, connected at random. A build of this program
// produces the same graph for the same seed.
//
// Compiling kernels takes most of the time, not running them. So graphs with neighbouring seeds share a vocabulary: a
// few types and shapes, and a few operations on values of each, in different orders and with different contents. They
// share most of their kernels.
#pragma once

#include "tosa_cases/graph_builder.hpp"

namespace slipway::tosa_cases {

inline constexpr std::uint64_t kGraphsOfAVocabulary = 64;  // those of seeds 0 to 63, 64 to 127...

struct RandomGraphShape {
  std::int64_t least_operators = 5, most_operators = 60;
  std::int64_t max_elements = 600;  // of a tensor
};

// Unused results are outputs, and some other results too.
GraphBuilder random_graph(std::uint64_t seed, const RandomGraphShape& shape = {});

}  // namespace slipway::tosa_cases
