// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs of typical models: convolution blocks, residuals, softmax, attention, and unusual graph structures
// (docs/spec/tosa_testgen.md#layer-f).
#pragma once

#include <string>
#include <vector>

#include "tosa_cases/graph_builder.hpp"

namespace slipway::tosa_cases {

struct NamedGraph {
  std::string name;
  GraphBuilder builder;
};

std::vector<NamedGraph> model_graphs();

}  // namespace slipway::tosa_cases
