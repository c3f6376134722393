// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The device of the public interface (include/slipway/device.hpp).
#pragma once

#include <mutex>

#include "executors/vulkan/device_opening.hpp"
#include "slipway/device.hpp"

namespace slipway {

struct Device::State {
  explicit State(launch::OpenDeviceOptions request) : opening(std::move(request)) {}
  launch::DeviceOpening opening;
  DeviceInfo info;
  std::mutex running;  // of scenarios, which may replace the device
};

}  // namespace slipway
