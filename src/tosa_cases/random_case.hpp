// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random cases of one operator: any legal types, attributes, shapes and data with predictable results
// (docs/spec/tosa_testgen.md#layer-e).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "tosa_cases/operator_case.hpp"

namespace slipway::tosa_cases {

struct RandomLimits {
  std::int64_t max_elements = 0;    // of the first tensor; 0: drawn, mostly 256, some 16 K
  bool neutral_attributes = false;  // no padding, steps of one, no zero points...
  bool zero_data = false;
};

// Empty when this seed produces a case that TOSA does not allow or predict, which some seeds do.
std::optional<OperatorCase> random_case(tosa::Op op, std::uint64_t seed, const RandomLimits& limits = {});

// The smallest case of the same seed for which `fails` holds; it must hold for the case without limits.
OperatorCase shrink(tosa::Op op, std::uint64_t seed, const std::function<bool(const OperatorCase&)>& fails);

// As an entry of a file of cases (`tosa-cases-1`): the operands, and the results of the interpreter.
std::string json_of(const OperatorCase& made);

}  // namespace slipway::tosa_cases
