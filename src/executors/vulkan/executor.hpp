// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executes plans on a Vulkan device.
#pragma once

#include "launch/executor.hpp"

namespace slipway::gpu {
class Device;
}  // namespace slipway::gpu

namespace slipway::launch {

class DeviceOpening;

// The device, or its opening, must live longer.
class VulkanExecutor final : public Executor {
 public:
  explicit VulkanExecutor(const gpu::Device& device) : device_(&device) {}
  // `prepare` waits for the device, and opens it again where a plan needs more of it (device_opening.hpp).
  explicit VulkanExecutor(DeviceOpening& opening) : opening_(&opening) {}

  Result<ExecutorInfo> info() override;
  Diagnostics check(const Plan& plan) override;
  Result<std::unique_ptr<PreparedPlan>> prepare(const Plan& plan, PrepareOptions options, const Log& log,
                                                PerfCounters counters) override;

 private:
  Result<const vk::Snapshot*> snapshot();

  DeviceOpening* opening_ = nullptr;
  const gpu::Device* device_ = nullptr;
};

}  // namespace slipway::launch
