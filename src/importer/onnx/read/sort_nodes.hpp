// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <vector>

#include "importer/net.hpp"

namespace slipway::importer::onnx {

// Moves nodes after those that compute what they or their subgraphs use; otherwise they stay in order. If nodes depend
// on each other, returns them (by index) and changes nothing.
std::vector<std::uint32_t> sort_nodes(NetGraph& graph);

}  // namespace slipway::importer::onnx
