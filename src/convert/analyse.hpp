// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a conversion would do, without converting.
#pragma once

#include <string>
#include <vector>

#include "convert/convert.hpp"

namespace slipway::convert {

// Whether a SPIR-V module can have an operator (docs/spec/converter.md#spir-v-emission).
struct OperatorAnalysis {
  const tosa::Node* node;  // of the analysed graph
  std::string reason;      // why not; empty if it can
};

// One entry for each operator of the graph, in order. Verifies the graph; a custom operator without an opcode is an
// error in `diagnostics` too.
std::vector<OperatorAnalysis> analyse(tosa::Graph& graph, const ConvertOptions& settings, Diagnostics& diagnostics);

// True if converting a VGF file with these settings would restore its graphs, so that the file can be rewritten as it
// is.
bool keeps_graphs(const ConvertOptions& settings);

// The graph as MLIR, or in our own text form if MLIR cannot express it. Long constants are shortened.
std::string dump_text(const tosa::Graph& graph);

}  // namespace slipway::convert
