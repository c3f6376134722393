// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ids of a device, by which tuning tables are found. Those of Vulkan devices are Vulkan's; the CPU has a name only.
#pragma once

#include <cstdint>
#include <string>

#include "vk/snapshot.hpp"

namespace slipway::launch {

struct DeviceKey {
  std::string name;
  std::uint32_t vendor_id = 0, device_id = 0, driver_version = 0;
};

inline DeviceKey key_of(const vk::Snapshot& device) {
  return {device.name, device.vendor_id, device.device_id, device.driver_version};
}

}  // namespace slipway::launch
