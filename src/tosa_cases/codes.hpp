// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All codes of small types, and all values where rounding changes: the exhaustive cases of TOSA operators
// (docs/spec/tosa_testgen.md#layer-c).
#pragma once

#include <functional>
#include <set>

#include "tosa_cases/operator_case.hpp"

namespace slipway::tosa_cases {

// Quick: the cases of every test run (i8, fp8, and all codes of 16-bit floats). All: all cases.
enum class Codes : std::uint8_t { Quick, All };
// `wants`: of which operators; absent: of all.
void for_each_code_case(Codes codes, const std::function<void(OperatorCase)>& use,
                        const std::function<bool(tosa::Op)>& wants = {});
// The operators that have such cases.
std::set<tosa::Op> operators_with_codes();

}  // namespace slipway::tosa_cases
