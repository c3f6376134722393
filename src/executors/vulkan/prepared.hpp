// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plan made ready to run on a Vulkan device (launch/executor.hpp). It must have passed check_device().
//
//   Result<std::unique_ptr<PreparedPlan>> prepared = prepare(plan, device, {}, log);
#pragma once

#include <memory>

#include "launch/executor.hpp"

namespace slipway::gpu {
class Device;
}  // namespace slipway::gpu

namespace slipway::launch {

struct DeviceOwner {
  // The device stays as long as the plan does, also where its opening has made another one since; null: as its owner
  // says.
  std::shared_ptr<const gpu::Device> device;
  bool shows_prints = false;
};

// As Executor::prepare. At its end the plan waits for an iteration in flight, unless a wait has timed out: then the
// device is lost (gpu/commands/submit.hpp).
Result<std::unique_ptr<PreparedPlan>> prepare(const Plan& plan, const gpu::Device& device, PrepareOptions options,
                                              const Log& log = {}, PerfCounters counters = {}, DeviceOwner owner = {});

}  // namespace slipway::launch
