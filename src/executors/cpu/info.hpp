// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CPU as an executor: what reports, lists and tuning tables call it.
#pragma once

#include "launch/executor.hpp"

namespace slipway::launch {

// What `--device` calls it.
inline constexpr const char* kCpuDevice = "cpu";

// Whether this build has the CPU engine and this CPU can run it.
bool has_cpu_engine();

ExecutorInfo cpu_info();

}  // namespace slipway::launch
