// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a function of the host over buffers of the device.
#pragma once

#include "executors/vulkan/resources/resources.hpp"
#include "gpu/device/device.hpp"
#include "launch/plan/plan.hpp"
#include "launch/report/perf_counters.hpp"

namespace slipway::launch {

// How long the function itself ran. Everything that was submitted must have ended; what the function wrote is seen by
// what is submitted next.
Result<HostClock::duration> call_function(const Plan& plan, const gpu::Device& device, const Resources& resources,
                                          const Call& call, CallControl& control);

}  // namespace slipway::launch
