// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plan made ready to run on the CPU (launch/executor.hpp): resources in the memory of the host with their contents.
// `submit` does the work. The plan must be one that can run there (executor.hpp).
#pragma once

#include "launch/executor.hpp"

namespace slipway::launch {

// As Executor::prepare. Options of devices do not count. Errors: device-failed without memory, and what Contents
// report.
Result<std::unique_ptr<PreparedPlan>> prepare_on_host(const Plan& plan, PrepareOptions options, const Log& log,
                                                      PerfCounters counters);

}  // namespace slipway::launch
