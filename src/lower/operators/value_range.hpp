// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Between which numbers the elements of a value are, as far as its operators show it: conversions of such values need
// neither saturate nor look for a NaN.
#pragma once

#include <cstdint>
#include <optional>

#include "tosa/graph.hpp"

namespace slipway::lower {

struct ValueRange {
  double low = 0, high = 0;  // inclusive and finite
};

// Of values that are never NaN. Empty: it is not known.
std::optional<ValueRange> range_of(const tosa::Graph& graph, tosa::ValueId value);

// Of a CAST to an integer type that has all numbers of its operand: the bits of the largest magnitude, at least 1. 0:
// it may have to saturate or wrap. Its kernel depends on that.
std::uint32_t bits_of_cast(const tosa::Graph& graph, const tosa::Node& node);

}  // namespace slipway::lower
