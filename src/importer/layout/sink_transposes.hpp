// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Moves transposes towards the results of a graph, where they cancel each other (docs/spec/import.md#layout): operators
// of ONNX have the channels first, TOSA's have them last.
#pragma once

#include "tosa/graph.hpp"

namespace slipway::importer {

struct TransposeCount {
  std::size_t count = 0;    // of transposes that are not of constants
  std::uint64_t bytes = 0;  // that they move
};
TransposeCount count_transposes(const tosa::Graph& graph);

// The graph computes the same bits, except that float sums may have another order. It never moves more bytes.
void sink_transposes(tosa::Graph& graph);

}  // namespace slipway::importer
