// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds operators whose results are known or unchanged (docs/spec/converter.md#pass-6).
#pragma once

#include "tosa/graph.hpp"

namespace slipway::convert {

// Operators on constants become constants, operators that change nothing are skipped, a CLAMP of a CLAMP becomes one,
// and a PAD becomes the padding of the window that uses it. Results of the graph keep their bytes; the sign of a zero
// may differ. Operators whose results are no longer used stay in the graph; `simplify` removes them.
void fold(tosa::Graph& graph);

}  // namespace slipway::convert
