// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/system/process_usage.hpp"

#include "platform/process.hpp"

namespace slipway {

ProcessUsage process_usage(std::chrono::steady_clock::time_point start) {
  const platform::ProcessTimes times = platform::process_times();
  return {.real = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
          .user = times.user,
          .kernel = times.kernel,
          .peak_memory_mb = times.peak_memory_mb};
}

}  // namespace slipway
