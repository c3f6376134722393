// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executes plans on a Vulkan device that is open.
#pragma once

#include "launch/executor.hpp"

namespace slipway::gpu {
class Device;
}  // namespace slipway::gpu

namespace slipway::launch {

class VulkanExecutor final : public Executor {
 public:
  // The device must live longer.
  explicit VulkanExecutor(const gpu::Device& device) : device_(&device) {}

  ExecutorInfo info() const override;
  // The plan must have passed check_device().
  Result<std::unique_ptr<PreparedPlan>> prepare(const Plan& plan, PrepareOptions options, const Log& log,
                                                PerfCounters counters) override;

 private:
  const gpu::Device* device_;
};

}  // namespace slipway::launch
