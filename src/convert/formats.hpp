// Formats of tensors, and which of them are unsigned (VGF page 3.4; converter page 3.7, pass 8).
#pragma once

#include <vector>

#include "base/vk_names.hpp"
#include "tosa/graph.hpp"

namespace slipway::convert {

// `is_unsigned` matters for i8, i16 and i32 alone.
vk::Format tensor_format(tosa::DataType type, bool is_unsigned = false);

// By value: an input of the model that a RESCALE with input_unsigned takes, an output that a RESCALE with
// output_unsigned makes, and a constant that only such RESCALEs take as what they rescale. Values between operators are
// always signed.
std::vector<bool> unsigned_values(const tosa::Graph& graph);

}  // namespace slipway::convert
