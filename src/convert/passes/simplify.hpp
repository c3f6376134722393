// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes a graph smaller without changing what it computes (docs/spec/converter.md#pass-6).
#pragma once

#include "tosa/graph.hpp"

namespace slipway::convert {

struct SimplifyOptions {
  bool fold = true;  // convert/passes/fold.hpp, and transposes of large constants
};

// Equal constants are merged into the first; a TRANSPOSE of a constant that nothing else uses is folded to a constant;
// nodes with unused results are removed, except CUSTOM. Unused constants are removed too.
void simplify(tosa::Graph& graph, const SimplifyOptions& options = {});

}  // namespace slipway::convert
