// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A Vulkan device that recipes share: the lists of all runners of one `slipway::device` are spread over its queues.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "base/cache.hpp"
#include "executors/vulkan/device_opening.hpp"
#include "recipe/backend.hpp"
#include "recipe/backends/plan/queue_spread.hpp"

namespace slipway::recipe {

struct VulkanOptions {
  std::string selector;  // the value of --device; empty: the best device
  Cache cache;           // for the driver's pipelines
  // The maximum; a device may have fewer. Copies of a recipe that are in flight, and lists of several runners, run
  // concurrently on them.
  std::uint32_t queues = 4;
  vk::InstanceOptions instance;
  gpu::DeviceOptions device;
};

struct VulkanDevice {
  explicit VulkanDevice(const VulkanOptions& options);

  Cache cache;
  launch::DeviceOpening opening;
  gpu::Device* device = nullptr;  // null until `open`
  std::mutex submitting;          // one thread at a time may use the queues
  QueueSpread queues;             // guarded by `submitting`

  const vk::Snapshot& snapshot() const { return device->snapshot(); }
  bool has_timestamps() const { return snapshot().queue_families[device->plan().queue_family].timestamp_bits > 0; }
};

// Blocks until the driver has opened the device. Enables robust buffer access if the device has it, so that
// out-of-range accesses of kernels do not end the process. Errors:
// no-device, device-failed.
Result<std::shared_ptr<VulkanDevice>> open_vulkan(const VulkanOptions& options);
Result<BackendPtr> make_vulkan_backend(std::shared_ptr<VulkanDevice> device);

}  // namespace slipway::recipe
