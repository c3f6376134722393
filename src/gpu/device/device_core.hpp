// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The implementation of a Device. Inside this module only.
#pragma once

#include <vk_mem_alloc.h>
#include <volk.h>

#include <atomic>
#include <memory>
#include <string_view>
#include <vector>

#include "gpu/device/device_functions.hpp"
#include "gpu/device/instance_core.hpp"
#include "gpu/device/vulkan_error.hpp"
#include "vk/device_plan.hpp"

namespace slipway::gpu {

// What a submission is described with: memory that the next one uses again.
struct SubmitInfos {
  std::vector<VkCommandBufferSubmitInfo> buffers;
  std::vector<VkSemaphoreSubmitInfo> semaphores;
  std::vector<VkSubmitInfo2> infos;
};

// A queue and how far it has come: the host, and submissions to other queues, wait for values of its semaphore.
struct QueueCore {
  VkQueue queue = nullptr;
  VkSemaphore timeline = nullptr;
  std::uint64_t value = 0;  // that the last submission signals at its end
  SubmitInfos infos;
};

struct DeviceCore {
  DeviceCore(std::shared_ptr<const InstanceCore> instance_core, std::size_t index, vk::DevicePlan device_plan);
  DeviceCore(const DeviceCore&) = delete;
  DeviceCore& operator=(const DeviceCore&) = delete;
  ~DeviceCore();

  std::shared_ptr<const InstanceCore> instance;
  const vk::Snapshot& snapshot;  // the instance's
  VkPhysicalDevice physical;
  vk::DevicePlan plan;
  DeviceFunctions functions;
  VkDevice device = nullptr;
  // By the plan's numbers. One thread at a time submits to a queue, and so changes its value and infos.
  mutable std::vector<QueueCore> queues;
  VmaAllocator allocator = nullptr;
  // Work in flight will never end. Destroying objects would wait for it, so they are leaked.
  mutable std::atomic<bool> lost = false;
  // Whether memory that is fast for the device can be mapped: there is one memory (CPU, integrated), or all of it is in
  // the host's reach (resizable BAR). A small window is left to the driver.
  bool maps_device_memory = false;
};

// Gives an object its name in debugging tools; nothing without debug names or for an empty name.
void set_debug_name(const DeviceCore& core, VkObjectType type, const void* handle, std::string_view name);

}  // namespace slipway::gpu
