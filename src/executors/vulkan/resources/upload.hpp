// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What resources begin with: contents, zeros, and mips made from contents (docs/spec/scenario.md#lifecycle,
// docs/spec/scenario.md#images).
#pragma once

#include "executors/vulkan/resources/resources.hpp"
#include "gpu/device/device.hpp"
#include "launch/plan/plan.hpp"
#include "launch/report/perf_counters.hpp"

namespace slipway::launch {

// Afterwards all images are in General. Adds the counters that the resources name.
Result<> upload_contents(const Plan& plan, const gpu::Device& device, const Resources& resources,
                         PerfCounters& counters);

}  // namespace slipway::launch
