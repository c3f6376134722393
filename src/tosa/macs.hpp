// How much a node multiplies.
#pragma once

#include <cstdint>
#include <optional>

#include "tosa/graph.hpp"

namespace slipway::tosa {

// Multiply-accumulates of a convolution or matrix product, 0 for all other operators; none where it depends on a
// dimension that is not known.
std::optional<std::uint64_t> macs_of(const Graph& graph, const Node& node);

}  // namespace slipway::tosa
