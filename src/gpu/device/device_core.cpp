// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gpu/device/device_core.hpp"

#include <string>

namespace slipway::gpu {

DeviceCore::DeviceCore(std::shared_ptr<const InstanceCore> instance_core, std::size_t index, vk::DevicePlan device_plan)
    : instance(std::move(instance_core)),
      snapshot(instance->snapshots[index]),
      physical(instance->physical_devices[index]),
      plan(std::move(device_plan)) {}

DeviceCore::~DeviceCore() {
  if (lost) {
    // The driver goes on using its instance.
    static_cast<void>(new std::shared_ptr(instance));
    return;
  }
  for (const QueueCore& queue : queues) {
    if (queue.timeline) functions.vkDestroySemaphore(device, queue.timeline, nullptr);
  }
  if (allocator) vmaDestroyAllocator(allocator);
  if (device && functions.vkDestroyDevice) functions.vkDestroyDevice(device, nullptr);
}

void set_debug_name(const DeviceCore& core, VkObjectType type, const void* handle, std::string_view name) {
  if (!core.functions.vkSetDebugUtilsObjectNameEXT || name.empty()) return;
  const std::string text(name);
  const VkDebugUtilsObjectNameInfoEXT info{.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
                                           .objectType = type,
                                           .objectHandle = reinterpret_cast<std::uint64_t>(handle),
                                           .pObjectName = text.c_str()};
  // A name is a help, never a reason to fail.
  static_cast<void>(core.functions.vkSetDebugUtilsObjectNameEXT(core.device, &info));
}

}  // namespace slipway::gpu
