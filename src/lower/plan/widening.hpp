// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which 8-bit values, and which 16-bit floats, are stored as 32-bit floats.
//
// CPUs whose drivers have no products of bytes compute with floats, which hold the sums exactly. A value that
// convolutions read is then better stored as they read it: as a float, without the zero point that they subtract. The
// same holds for floats of fewer bits where conversions between vectors cost more than memory does.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lower/device_facts.hpp"
#include "tosa/graph.hpp"

namespace slipway::lower {

// By value: the zero point that is subtracted before the value is stored as floats; empty for all others.
using Widening = std::vector<std::optional<std::int64_t>>;
inline constexpr std::uint32_t kWidenedBits = 8;  // of magnitude, after the zero point is subtracted: -255 to 255

// `stored` is the result of plan_fusion. Inputs, constants and outputs keep their type.
Widening plan_widening(const tosa::Graph& graph, const std::vector<bool>& stored, const DeviceFacts& device);

// For people, a line for each widened value: `%5 as floats, minus zero point -3`.
std::string print_widening(const tosa::Graph& graph, const Widening& widened);

}  // namespace slipway::lower
