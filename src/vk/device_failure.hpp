// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kinds of failures of a device.
#pragma once

#include "base/diagnostic.hpp"

namespace slipway::vk {

// Failed Vulkan calls are of the kind device-failed, and have a cause where a caller may want to treat it. These find a
// lost device (VK_ERROR_DEVICE_LOST, or the kind timed-out, after which the device is given up), and
// VK_ERROR_OUT_OF_HOST_MEMORY or VK_ERROR_OUT_OF_DEVICE_MEMORY.
bool is_device_lost(const Failure& failure);
bool is_out_of_memory(const Failure& failure);

}  // namespace slipway::vk
