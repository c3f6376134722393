// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "executors/vulkan/executor.hpp"

#include "executors/vulkan/prepared.hpp"
#include "gpu/device/device.hpp"

namespace slipway::launch {

ExecutorInfo VulkanExecutor::info() const {
  const vk::Snapshot& snapshot = device_->snapshot();
  return {.name = snapshot.name, .driver = vk::driver_of(snapshot), .vulkan = &snapshot};
}

Result<std::unique_ptr<PreparedPlan>> VulkanExecutor::prepare(const Plan& plan, PrepareOptions options, const Log& log,
                                                              PerfCounters counters) {
  SLIPWAY_TRY(Prepared prepared, launch::prepare(plan, *device_, std::move(options), log, std::move(counters)));
  return std::make_unique<Prepared>(std::move(prepared));
}

}  // namespace slipway::launch
