// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What this process has used of the machine, for reports.
#pragma once

#include <chrono>

namespace slipway {

struct ProcessUsage {
  double real = 0, user = 0, kernel = 0;  // seconds
  double peak_memory_mb = 0;              // MiB
};

// `start`: of the real time.
ProcessUsage process_usage(std::chrono::steady_clock::time_point start);

}  // namespace slipway
