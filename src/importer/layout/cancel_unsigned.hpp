// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keeps numbers without a sign in the signed type of graphs between operators: a RESCALE that changes the meaning of
// the top bit moves towards the results of a graph, past movement of data, and cancels the next one
// (docs/spec/import.md#types).
#pragma once

#include "tosa/graph.hpp"

namespace slipway::importer {

// The graph computes the same bits.
void cancel_unsigned(tosa::Graph& graph);

}  // namespace slipway::importer
