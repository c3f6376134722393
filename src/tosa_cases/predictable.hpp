// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether TOSA defines the result of an operator for these operands (docs/spec/tosa.md#operators, the conditions marked
// R).
#pragma once

#include "tosa_cases/operator_case.hpp"

namespace slipway::tosa_cases {

// False where a result is unpredictable: an overflow, an index out of range, a NaN as integer. It only considers the
// largest magnitudes, so it is false for some predictable cases too.
bool is_predictable(const OperatorCase& made);

}  // namespace slipway::tosa_cases
