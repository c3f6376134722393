// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gpu/device/device.hpp"

#include <algorithm>
#include <vector>

#include "base/format.hpp"
#include "gpu/device/device_core.hpp"
#include "gpu/device/feature_table.hpp"
#include "gpu/device/instance.hpp"
#include "gpu/device/vulkan_error.hpp"

namespace slipway::gpu {
namespace {

std::uint32_t queues_of_driver(const DeviceCore& core) {
  return std::min(core.plan.queues, core.snapshot.queue_families[core.plan.queue_family].queues);
}

VkResult create_vulkan_device(DeviceCore& core) {
  const auto has = [&](std::string_view extension) { return core.plan.has_extension(extension); };
  FeatureChain chain;
  link_features(chain, has);
  for (const vk::FeatureInfo& feature : vk::kFeatures) {
    if (core.plan.has_feature(feature.name)) set_feature(chain, feature);
  }
  std::vector<const char*> extensions;
  for (const std::string& extension : core.plan.extensions) extensions.push_back(extension.c_str());

  const std::vector<float> priorities(queues_of_driver(core), 1.0f);
  const VkDeviceQueueCreateInfo queue{.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                      .queueFamilyIndex = core.plan.queue_family,
                                      .queueCount = static_cast<std::uint32_t>(priorities.size()),
                                      .pQueuePriorities = priorities.data()};
  const VkDeviceCreateInfo info{.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                .pNext = &chain.vulkan10,
                                .queueCreateInfoCount = 1,
                                .pQueueCreateInfos = &queue,
                                .enabledExtensionCount = static_cast<std::uint32_t>(extensions.size()),
                                .ppEnabledExtensionNames = extensions.data()};
  return core.instance->functions.vkCreateDevice(core.physical, &info, nullptr, &core.device);
}

// The name of a function that the driver should have and does not; null when all are there.
const char* load_functions(DeviceCore& core) {
  const PFN_vkGetDeviceProcAddr get = core.instance->functions.vkGetDeviceProcAddr;
  DeviceFunctions& functions = core.functions;
  const char* missing = nullptr;
#define DEVICE_FUNCTION(name)                                             \
  functions.name = reinterpret_cast<PFN_##name>(get(core.device, #name)); \
  if (!functions.name) missing = #name;
#define DEVICE_FUNCTION_OPTIONAL(name) functions.name = reinterpret_cast<PFN_##name>(get(core.device, #name));
#include "gpu/device/device_functions.def"
  if (!core.instance->options.debug_names || !core.instance->debug_utils) {
    functions.vkSetDebugUtilsObjectNameEXT = nullptr;
    functions.vkCmdBeginDebugUtilsLabelEXT = nullptr;
    functions.vkCmdEndDebugUtilsLabelEXT = nullptr;
  }
  return missing;
}

VkResult open_queues(DeviceCore& core) {
  core.queues.resize(core.plan.queues);
  const VkSemaphoreTypeCreateInfo type{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                       .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
  const VkSemaphoreCreateInfo info{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
  for (std::uint32_t i = 0; i < core.plan.queues; ++i) {
    core.functions.vkGetDeviceQueue(core.device, core.plan.queue_family, i % queues_of_driver(core),
                                    &core.queues[i].queue);
    const VkResult result = core.functions.vkCreateSemaphore(core.device, &info, nullptr, &core.queues[i].timeline);
    if (result != VK_SUCCESS) return result;
  }
  return VK_SUCCESS;
}

VkResult create_allocator(DeviceCore& core) {
  const DeviceFunctions& f = core.functions;
  const VolkInstanceTable& instance = core.instance->functions;
  const VmaVulkanFunctions functions{
      .vkGetPhysicalDeviceProperties = instance.vkGetPhysicalDeviceProperties,
      .vkGetPhysicalDeviceMemoryProperties = instance.vkGetPhysicalDeviceMemoryProperties,
      .vkAllocateMemory = f.vkAllocateMemory,
      .vkFreeMemory = f.vkFreeMemory,
      .vkMapMemory = f.vkMapMemory,
      .vkUnmapMemory = f.vkUnmapMemory,
      .vkFlushMappedMemoryRanges = f.vkFlushMappedMemoryRanges,
      .vkInvalidateMappedMemoryRanges = f.vkInvalidateMappedMemoryRanges,
      .vkBindBufferMemory = f.vkBindBufferMemory,
      .vkBindImageMemory = f.vkBindImageMemory,
      .vkGetBufferMemoryRequirements = f.vkGetBufferMemoryRequirements,
      .vkGetImageMemoryRequirements = f.vkGetImageMemoryRequirements,
      .vkCreateBuffer = f.vkCreateBuffer,
      .vkDestroyBuffer = f.vkDestroyBuffer,
      .vkCreateImage = f.vkCreateImage,
      .vkDestroyImage = f.vkDestroyImage,
      .vkCmdCopyBuffer = f.vkCmdCopyBuffer,
      .vkGetBufferMemoryRequirements2KHR = f.vkGetBufferMemoryRequirements2,
      .vkGetImageMemoryRequirements2KHR = f.vkGetImageMemoryRequirements2,
      .vkBindBufferMemory2KHR = f.vkBindBufferMemory2,
      .vkBindImageMemory2KHR = f.vkBindImageMemory2,
      .vkGetPhysicalDeviceMemoryProperties2KHR = instance.vkGetPhysicalDeviceMemoryProperties2,
      .vkGetDeviceBufferMemoryRequirements = f.vkGetDeviceBufferMemoryRequirements,
      .vkGetDeviceImageMemoryRequirements = f.vkGetDeviceImageMemoryRequirements,
      .vkGetPhysicalDeviceProperties2KHR = instance.vkGetPhysicalDeviceProperties2,
  };
  VmaAllocatorCreateInfo info{};
  if (core.plan.has_feature("bufferDeviceAddress")) info.flags |= VMA_ALLOCATOR_CREATE_BUFFER_DEVICE_ADDRESS_BIT;
  info.physicalDevice = core.physical;
  info.device = core.device;
  info.pVulkanFunctions = &functions;
  info.instance = core.instance->instance;
  info.vulkanApiVersion = VK_API_VERSION_1_3;
  return vmaCreateAllocator(&info, &core.allocator);
}

bool maps_device_memory(const vk::Snapshot& snapshot) {
  constexpr std::uint32_t wanted =
      vk::memory_flag::kDeviceLocal | vk::memory_flag::kHostVisible | vk::memory_flag::kHostCoherent;
  return std::ranges::any_of(snapshot.memory_types, [&](const vk::MemoryType& type) {
    return (type.flags & wanted) == wanted && type.heap < snapshot.memory_heaps.size() &&
           snapshot.memory_heaps[type.heap].size == snapshot.device_memory();
  });
}

}  // namespace

Device::Device(std::unique_ptr<DeviceCore> core) : core_(std::move(core)) {}
Device::Device(Device&&) noexcept = default;
Device& Device::operator=(Device&&) noexcept = default;
Device::~Device() = default;

const vk::Snapshot& Device::snapshot() const { return core_->snapshot; }
const vk::DevicePlan& Device::plan() const { return core_->plan; }
bool Device::is_lost() const { return core_->lost; }
bool Device::has_debug_names() const { return core_->functions.vkSetDebugUtilsObjectNameEXT != nullptr; }

Result<Device> create_device(const Instance& instance, std::size_t index, const vk::DevicePlan& plan,
                             const DeviceOptions& options) {
  auto core = std::make_unique<DeviceCore>(instance.core(), index, plan);
  if (options.queues != 0) core->plan.queues = options.queues;
  if (const VkResult result = create_vulkan_device(*core); result != VK_SUCCESS) {
    return vulkan_failed("vkCreateDevice", result, "device", core->snapshot.name);
  }
  if (const char* missing = load_functions(*core)) {
    return fail(DiagnosticKind::DeviceFailed, SourceLocation::nowhere(),
                formatted("the driver of `{}` does not have the function `{}`", core->snapshot.name, missing));
  }
  if (options.hook) options.hook(core->functions);
  core->maps_device_memory = options.map_device_memory && maps_device_memory(core->snapshot);
  if (const VkResult result = open_queues(*core); result != VK_SUCCESS) {
    return vulkan_failed("vkCreateSemaphore", result, "queue", core->snapshot.name);
  }
  if (const VkResult result = create_allocator(*core); result != VK_SUCCESS) {
    return vulkan_failed("vmaCreateAllocator", result, "device", core->snapshot.name);
  }
  return Device(std::move(core));
}

}  // namespace slipway::gpu
