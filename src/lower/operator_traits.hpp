// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Classes of operators by how their results depend on their inputs: what fusion and strategies decide by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tosa/graph.hpp"

namespace slipway::lower {

// Limits of one kernel: operators that it computes on the way, and buffers. Addresses are push constants, of which
// every device has 128 bytes; descriptors are fewer.
inline constexpr std::uint32_t kMaxNodes = 48, kMaxAddresses = 14, kMaxDescriptors = 7;

// One element of each input, at the same or a broadcast position.
bool is_pointwise(tosa::Op op);
// How many inputs of a pointwise operator are read at the position of the result; the others are tables and factors.
std::size_t elementwise_inputs(const tosa::Node& node);
// An element of the result is an element of the input, at a position that only the shapes and attributes decide.
bool is_view(tosa::Op op);
// Whether the elements of a value are those of a stored one, at other positions: views only are between them.
bool views_stored_value(const tosa::Graph& graph, const std::vector<bool>& stored, tosa::ValueId value);
// Each NaN among the results is the canonical one (emit_NAME).
bool makes_one_nan(tosa::Op op);
// A kernel is built around a window operator: a convolution, matrix product or pooling.
bool is_window(tosa::Op op);

}  // namespace slipway::lower
