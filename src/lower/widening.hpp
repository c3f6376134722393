// Which 8-bit values are stored as 32-bit floats.
//
// Processors whose drivers have no products of bytes compute with floats, which hold the sums exactly; a value that
// convolutions read is better stored as they read it: without the zero point that they subtract.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "lower/device_facts.hpp"
#include "tosa/graph.hpp"

namespace slipway::lower {

// By value: the zero point that is subtracted from what is stored as floats.
using Widening = std::vector<std::optional<std::int64_t>>;
inline constexpr std::uint32_t kWidenedBits = 8;  // of what is stored, besides its sign

// `stored` as plan_fusion gives it. Inputs, constants and outputs keep their type.
Widening plan_widening(const tosa::Graph& graph, const std::vector<bool>& stored, const DeviceFacts& device);

}  // namespace slipway::lower
