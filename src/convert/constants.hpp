// The constants of a file: which there are, their bytes, their sparsity (converter page 3.8 and 3.9).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tosa/graph.hpp"

namespace slipway::convert {

// Constants with more elements get data in the file; the others stand inside the modules.
inline constexpr std::uint64_t kMaxInlinedElements = 16;

// Numbers the constants that operators of graph segments use, in order, and gives their values by number; all other
// constants lose their number.
std::vector<tosa::ValueId> number_constants(tosa::Graph& graph, const std::vector<bool>& shaders);

std::uint64_t constant_bytes(const tosa::TensorType& type);
// Hands the bytes as the file has them to `put`: splats expanded, booleans as 0x00 and 0xff. Anything else is passed on
// without a copy.
void put_constant(const tosa::Constant& constant, const tosa::TensorType& type, const std::function<void(Bytes)>& put);

// 3 if a constant is weights with 2:4 sparsity along their innermost dimension, else -1.
std::int64_t sparsity_of(const tosa::Graph& graph, tosa::ValueId constant, bool is_weights);
// By value: whether it is operand 1 of a CONV2D or TRANSPOSE_CONV2D.
std::vector<bool> weights(const tosa::Graph& graph);

}  // namespace slipway::convert
