// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A Vulkan device that recipes share: the lists of all runners of one `slipway::device` are spread over its queues.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "base/cache.hpp"
#include "launch/execute/open_device.hpp"
#include "recipe/backend.hpp"
#include "recipe/vulkan/queue_spread.hpp"

namespace slipway::recipe {

struct VulkanOptions {
  std::string selector;  // as of --device; empty: the best
  Cache cache;           // of the driver's pipelines
  // At most; a device may have fewer. Copies of a recipe that are in flight together, and runners, run beside
  // each other on them.
  std::uint32_t queues = 4;
  gpu::InstanceOptions instance;
  gpu::DeviceOptions device;
};

struct VulkanDevice {
  explicit VulkanDevice(const VulkanOptions& options);

  Cache cache;
  launch::DeviceOpening opening;
  gpu::Device* device = nullptr;  // null until `open`
  std::mutex submitting;          // one thread at a time may use the queues
  QueueSpread queues;             // under `submitting`

  const gpu::Snapshot& snapshot() const { return device->snapshot(); }
  bool has_timestamps() const { return snapshot().queue_families[device->plan().queue_family].timestamp_bits > 0; }
};

// Waits for the driver. Out-of-range accesses of kernels do not end the process where the device can see to it. Errors:
// no-device, device-failed.
Result<std::shared_ptr<VulkanDevice>> open_vulkan(const VulkanOptions& options);
Result<BackendPtr> make_vulkan_backend(std::shared_ptr<VulkanDevice> device);

}  // namespace slipway::recipe
