// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a scenario as a case: it passes if all that it expects holds.
#pragma once

#include <string>
#include <string_view>

#include "conformance/outcome.hpp"
#include "conformance/run_target.hpp"

namespace slipway::conformance {

// The scenario names no files. Errors: those after which no further case would run.
Result<> run_scenario(const std::string& name, std::string_view text, RunTarget& target, RowOutcome& outcome);

}  // namespace slipway::conformance
