// Graphs as models have them: convolution blocks, residuals, softmax, attention, and what is odd about graphs as such
// (layer F of the page on test cases).
#pragma once

#include <string>
#include <vector>

#include "testing/tosa/graph_maker.hpp"

namespace slipway::testing {

struct NamedGraph {
  std::string name;
  GraphMaker maker;
};

std::vector<NamedGraph> model_graphs();

}  // namespace slipway::testing
