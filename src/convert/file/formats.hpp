// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Determines which tensors have unsigned formats (docs/spec/vgf.md#resources, docs/spec/converter.md#pass-8).
#pragma once

#include <vector>

#include "tosa/graph.hpp"

namespace slipway::convert {

// By value: an input of the model that a RESCALE with input_unsigned takes, an output that a RESCALE with
// output_unsigned produces, and a constant that only such RESCALEs rescale. Values between operators are always signed.
std::vector<bool> unsigned_values(const tosa::Graph& graph);

}  // namespace slipway::convert
