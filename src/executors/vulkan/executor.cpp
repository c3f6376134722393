// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "executors/vulkan/executor.hpp"

#include "executors/vulkan/device_opening.hpp"
#include "executors/vulkan/prepared.hpp"
#include "launch/check/check_device.hpp"

namespace slipway::launch {

Result<const vk::Snapshot*> VulkanExecutor::snapshot() {
  return device_ ? Result<const vk::Snapshot*>(&device_->snapshot()) : opening_->snapshot();
}

Result<ExecutorInfo> VulkanExecutor::info() {
  SLIPWAY_TRY(const vk::Snapshot* known, snapshot());
  return ExecutorInfo{.name = known->name, .driver = vk::driver_of(*known), .vulkan = known};
}

Diagnostics VulkanExecutor::check(const Plan& plan) {
  Diagnostics diagnostics;
  if (const auto known = diagnostics.take(snapshot())) return check_device(plan, needs_of(plan), **known);
  return diagnostics;
}

Result<std::unique_ptr<PreparedPlan>> VulkanExecutor::prepare(const Plan& plan, PrepareOptions options, const Log& log,
                                                              PerfCounters counters) {
  const gpu::Device* device = device_;
  if (!device) {
    vk::Needs needs = needs_of(plan);
    needs.timestamps |= options.execution.timestamps;
    SLIPWAY_TRY(device, opening_->get(std::move(needs)));
  }
  SLIPWAY_TRY(Prepared prepared, launch::prepare(plan, *device, std::move(options), log, std::move(counters)));
  return std::make_unique<Prepared>(std::move(prepared));
}

}  // namespace slipway::launch
