// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads resources back from a device. Large buffers in memory that the CPU reads fast are not copied.
#pragma once

#include <set>

#include "executors/vulkan/resources/resources.hpp"
#include "gpu/device/device.hpp"
#include "launch/plan/plan.hpp"
#include "launch/readback.hpp"

namespace slipway::launch {

// Images must be in the layout General, and no work may be in flight. Errors: device-failed.
Result<Readback> read_back(const Plan& plan, const gpu::Device& device, const Resources& resources,
                           const std::set<ResourceIndex>& wanted);

}  // namespace slipway::launch
