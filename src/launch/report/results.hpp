// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// After the last iteration: compares resources with what is expected, and writes the files of outputs.
#pragma once

#include "base/system/files.hpp"
#include "launch/executor.hpp"
#include "launch/report/report.hpp"

namespace slipway::launch {

// The result of the last of `begun` iterations. An interrupt is not a failure of the run: what the iterations before it
// measured stays, and Report::is_interrupted says that there are no results.
Result<> end_of_iterations(Result<> last, std::uint32_t begun, std::uint32_t wanted, Report& report);

// Adds the outcomes of expectations to the report, passes contents to captures, and writes all outputs; the files get
// their names only when each of them is complete. When an expectation fails, all resources are written as .npy files
// into the directory `failure_dump`, if there is one.
// `results`: those of wanted_results().
Result<> store_results(const Plan& plan, PreparedPlan& prepared, const Readback& results, const Path& failure_dump,
                       Report& report);

}  // namespace slipway::launch
