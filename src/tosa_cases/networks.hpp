// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small networks with the layers of large ones: inverted residuals, bottlenecks, a transformer block. Their constants
// are valid, but results have no meaning. Kernels are built from them, and not run.
#pragma once

#include <string>
#include <vector>

#include "tosa/graph.hpp"

namespace slipway::tosa_cases {

struct Network {
  std::string name;  // `mobile/i8`
  tosa::Graph graph;
};

// Each in two types of activations, verified.
std::vector<Network> small_networks();

}  // namespace slipway::tosa_cases
