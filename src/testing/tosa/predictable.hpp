// Whether TOSA says what an operator gives for these operands (the conditions marked R on the TOSA page).
#pragma once

#include "testing/tosa/operator_case.hpp"

namespace slipway::testing {

// False where a result may be anything: an overflow, an index out of range, a NaN as integer. Looks at the largest
// magnitudes, so that it is false for some that are predictable.
bool is_predictable(const OperatorCase& made);

}  // namespace slipway::testing
