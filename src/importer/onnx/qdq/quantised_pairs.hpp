// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums, differences and products of two tensors of 8 bits with a factor for each instead of the operations of the
// definition, where all 65,536 results are those of the definition.
#pragma once

#include <array>
#include <optional>
#include <utility>

#include "importer/emit/builder.hpp"

namespace slipway::importer {

struct PairOperands {
  std::array<float, 2> scales{};
  std::array<std::int64_t, 2> zeros{};  // of int8
  float result_scale = 1;
};
struct PairLimits {
  std::int64_t low = 0, high = 0;  // of the result, before its zero point is added
};

// Factors f and g for which x * f + y * g (Sub: -; Mul: x * y * f) of the differences to the zero points rounds to the
// same integers, halves to even, as the operation on the reals, in floats, divided by the scale of the result. This
// holds with and without a rounding of the first product (fused multiply and add). Empty: none were found.
std::optional<std::pair<float, float>> pair_factors(Binary op, const PairOperands& operands, const PairLimits& limits);

}  // namespace slipway::importer
