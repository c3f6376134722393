// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Generated contents of inputs without a file: the same bytes on every machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/bytes.hpp"
#include "base/diagnostic.hpp"
#include "tosa/data_type.hpp"

namespace slipway::model {

// Random: uniform, over all values of an integer type and from -1 to 1 for floats. Ramp: from the lowest to the highest
// of these values, repeatedly. Edges: special values of the type (extremes, zeros, subnormals...), in random order.
enum class FillKind : std::uint8_t { Random, Zeros, Ramp, Edges };

std::string_view name_of(FillKind kind);  // `random`
std::optional<FillKind> fill_kind_from_name(std::string_view name);

struct Fill {
  FillKind kind = FillKind::Random;
  std::uint64_t seed = 0;
  std::optional<double> low, high;  // both inclusive, for Random and Ramp
};

// Whole elements of the type. Errors: out-of-range (bounds that the type cannot hold, or in the wrong order).
Result<> fill(tosa::DataType type, const Fill& fill, MutableBytes to);

}  // namespace slipway::model
