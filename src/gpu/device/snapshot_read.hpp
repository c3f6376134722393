// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads a snapshot from the driver. For this module, and for a layer, whose instance is not one of this module.
#pragma once

#include <volk.h>

#include "base/diagnostic.hpp"
#include "vk/snapshot.hpp"

namespace slipway::gpu {

// Uses only functions of physical devices, which `functions` must have (those of extensions that the device lacks may
// be null). `index` is the one in the loader's list. The profile that the environment names is applied
// (device_profile.hpp). Errors: device-failed; usage (an unknown profile).
Result<vk::Snapshot> read_snapshot(const VolkInstanceTable& functions, VkPhysicalDevice device, std::uint32_t index);

}  // namespace slipway::gpu
