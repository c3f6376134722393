// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/system/process_usage.hpp"

#include <sys/resource.h>

namespace slipway {

ProcessUsage process_usage(std::chrono::steady_clock::time_point start) {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return {.real = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
          .user = seconds(usage.ru_utime),
          .kernel = seconds(usage.ru_stime),
          .peak_memory_mb = static_cast<double>(usage.ru_maxrss) / 1024};
}

}  // namespace slipway
