// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The matrix of TOSA operators: each operator with each of its types, small shapes, attributes and patterns of data
// (docs/spec/tosa_testgen.md#layer-b). Data is limited to values with predictable results.
#pragma once

#include <optional>
#include <vector>

#include "tosa_cases/matrix/parts.hpp"

namespace slipway::tosa_cases {

const std::vector<Configuration>& matrix();

// Empty, with the diagnostics of the verifier, where TOSA refuses the configuration.
std::optional<OperatorCase> case_of(std::size_t configuration, Pattern pattern, Diagnostics& problems);

}  // namespace slipway::tosa_cases
