// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The implementation of an Instance. Inside this module only.
#pragma once

#include <volk.h>

#include <mutex>
#include <vector>

#include "base/diagnostic.hpp"
#include "vk/instance_options.hpp"
#include "vk/snapshot.hpp"

namespace slipway::gpu {

struct InstanceCore {
  InstanceCore() = default;
  InstanceCore(const InstanceCore&) = delete;
  InstanceCore& operator=(const InstanceCore&) = delete;
  ~InstanceCore();

  vk::InstanceOptions options;
  mutable std::mutex message_mutex;
  VkInstance instance = nullptr;
  VolkInstanceTable functions{};
  VkDebugUtilsMessengerEXT messenger = nullptr;
  bool debug_utils = false;
  std::vector<VkPhysicalDevice> physical_devices;
  std::vector<vk::Snapshot> snapshots;
};

}  // namespace slipway::gpu
