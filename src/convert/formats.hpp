// Which tensors have unsigned formats (VGF page 3.4; converter page 3.7, pass 8).
#pragma once

#include <vector>

#include "tosa/graph.hpp"

namespace slipway::convert {

// By value: an input of the model that a RESCALE with input_unsigned takes, an output that a RESCALE with
// output_unsigned makes, and a constant that only such RESCALEs take as what they rescale. Values between operators are
// always signed.
std::vector<bool> unsigned_values(const tosa::Graph& graph);

}  // namespace slipway::convert
