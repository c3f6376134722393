// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading a snapshot from the driver: one chain of property structs and one of feature structs, both from their tables.

#include <algorithm>
#include <concepts>
#include <cstring>
#include <initializer_list>

#include "base/format.hpp"
#include "gpu/device/feature_table.hpp"
#include "gpu/device/snapshot_read.hpp"
#include "gpu/device/vulkan_error.hpp"
#include "vk/device_profile.hpp"

namespace slipway::gpu {
namespace {

// Every property struct of limits.def.
struct LimitChain {
  VkPhysicalDeviceProperties2 vulkan10{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
#define LIMIT_STRUCT(type, field, stype, extension) type field{stype};
#include "gpu/device/limits.def"
};

using LimitMap = std::map<std::string, double, std::less<>>;

template <class Number>
  requires std::is_arithmetic_v<Number> || std::is_enum_v<Number>
void add_limit(LimitMap& limits, std::string name, Number value) {
  limits.emplace(std::move(name), static_cast<double>(value));
}

template <class Number, std::size_t Count>
void add_limit(LimitMap& limits, const std::string& name, const Number (&values)[Count]) {
  for (std::size_t i = 0; i < Count; ++i) add_limit(limits, formatted("{}[{}]", name, i), values[i]);
}

vk::Version version_of(std::uint32_t packed) {
  return {VK_API_VERSION_MAJOR(packed), VK_API_VERSION_MINOR(packed), VK_API_VERSION_PATCH(packed)};
}

vk::Uuid uuid_of(const std::uint8_t (&bytes)[VK_UUID_SIZE]) { return std::to_array(bytes); }

Result<> read_extensions(const VolkInstanceTable& vk, VkPhysicalDevice device, vk::Snapshot& snapshot) {
  std::uint32_t count = 0;
  VkResult result = vk.vkEnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> extensions(count);
  if (result == VK_SUCCESS) {
    result = vk.vkEnumerateDeviceExtensionProperties(device, nullptr, &count, extensions.data());
  }
  if (result != VK_SUCCESS) {
    return vulkan_failed("vkEnumerateDeviceExtensionProperties", result, "device", snapshot.name);
  }
  for (const VkExtensionProperties& extension : extensions) snapshot.extensions.insert(extension.extensionName);
  return {};
}

void read_features(const VolkInstanceTable& vk, VkPhysicalDevice device, vk::Snapshot& snapshot) {
  const auto has = [&](std::string_view extension) { return snapshot.has_extension(extension); };
  FeatureChain chain;
  vk.vkGetPhysicalDeviceFeatures2(device, link_features(chain, has));
  for (const vk::FeatureInfo& feature : vk::kFeatures) {
    if (get_feature(chain, feature)) snapshot.features.emplace(feature.name);
  }
}

void read_properties(const VolkInstanceTable& vk, VkPhysicalDevice device, vk::Snapshot& snapshot) {
  LimitChain chain;
  void* last = &chain.vulkan10;
  const auto link = [&](void* properties, std::string_view extension) {
    if (!extension.empty() && !snapshot.has_extension(extension)) return;
    set_next(last, properties);
    last = properties;
  };
#define LIMIT_STRUCT(type, field, stype, extension) link(&chain.field, extension);
#include "gpu/device/limits.def"
  vk.vkGetPhysicalDeviceProperties2(device, &chain.vulkan10);

#define LIMIT(field, member) add_limit(snapshot.limits_by_name, #member, chain.field.member);
#include "gpu/device/limits.def"

  const VkPhysicalDeviceLimits& limits = chain.vulkan10.properties.limits;
  snapshot.limits = {
      .max_image_1d = limits.maxImageDimension1D,
      .max_image_2d = limits.maxImageDimension2D,
      .max_image_3d = limits.maxImageDimension3D,
      .max_uniform_buffer_range = limits.maxUniformBufferRange,
      .max_storage_buffer_range = limits.maxStorageBufferRange,
      .max_push_constants_size = limits.maxPushConstantsSize,
      .max_bound_descriptor_sets = limits.maxBoundDescriptorSets,
      .max_color_attachments = limits.maxColorAttachments,
      .max_framebuffer_width = limits.maxFramebufferWidth,
      .max_framebuffer_height = limits.maxFramebufferHeight,
      .max_compute_shared_memory_size = limits.maxComputeSharedMemorySize,
      .max_compute_workgroup_count = std::to_array(limits.maxComputeWorkGroupCount),
      .max_compute_workgroup_invocations = limits.maxComputeWorkGroupInvocations,
      .max_compute_workgroup_size = std::to_array(limits.maxComputeWorkGroupSize),
      .min_storage_buffer_offset_alignment = limits.minStorageBufferOffsetAlignment,
      .min_uniform_buffer_offset_alignment = limits.minUniformBufferOffsetAlignment,
      .max_memory_allocation_size = chain.vulkan11.maxMemoryAllocationSize,
      .max_buffer_size = chain.vulkan13.maxBufferSize,
  };
  snapshot.subgroup = {.size = chain.vulkan11.subgroupSize,
                       .min_size = chain.vulkan13.minSubgroupSize,
                       .max_size = chain.vulkan13.maxSubgroupSize,
                       .stages = chain.vulkan11.subgroupSupportedStages,
                       .operations = chain.vulkan11.subgroupSupportedOperations,
                       .required_size_stages = chain.vulkan13.requiredSubgroupSizeStages};
  snapshot.driver_name = chain.vulkan12.driverName;
  snapshot.driver_info = chain.vulkan12.driverInfo;
  snapshot.device_uuid = uuid_of(chain.vulkan11.deviceUUID);
  snapshot.driver_uuid = uuid_of(chain.vulkan11.driverUUID);
  snapshot.timestamp_period = limits.timestampPeriod;
}

void read_queues(const VolkInstanceTable& vk, VkPhysicalDevice device, vk::Snapshot& snapshot) {
  std::uint32_t count = 0;
  vk.vkGetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vk.vkGetPhysicalDeviceQueueFamilyProperties(device, &count, families.data());
  for (const VkQueueFamilyProperties& family : families) {
    snapshot.queue_families.push_back({family.queueFlags, family.queueCount, family.timestampValidBits});
  }
}

// What graphs of each family may consist of. Foreign engines, which need semaphores and memory from elsewhere, do not
// count.
void read_graph_engines(const VolkInstanceTable& vk, VkPhysicalDevice device, vk::Snapshot& snapshot) {
  if (!snapshot.has_feature("dataGraph")) return;
  for (std::uint32_t i = 0; i < snapshot.queue_families.size(); ++i) {
    if ((snapshot.queue_families[i].flags & vk::queue_flag::kDataGraph) == 0) continue;
    std::uint32_t count = 0;
    if (vk.vkGetPhysicalDeviceQueueFamilyDataGraphPropertiesARM(device, i, &count, nullptr) != VK_SUCCESS) continue;
    std::vector<VkQueueFamilyDataGraphPropertiesARM> engines(
        count, {.sType = VK_STRUCTURE_TYPE_QUEUE_FAMILY_DATA_GRAPH_PROPERTIES_ARM});
    if (vk.vkGetPhysicalDeviceQueueFamilyDataGraphPropertiesARM(device, i, &count, engines.data()) != VK_SUCCESS)
      continue;
    for (const VkQueueFamilyDataGraphPropertiesARM& engine : engines) {
      if (engine.engine.type == VK_PHYSICAL_DEVICE_DATA_GRAPH_PROCESSING_ENGINE_TYPE_DEFAULT_ARM &&
          !engine.engine.isForeign &&
          engine.operation.operationType ==
              VK_PHYSICAL_DEVICE_DATA_GRAPH_OPERATION_TYPE_SPIRV_EXTENDED_INSTRUCTION_SET_ARM) {
        snapshot.queue_families[i].graph_instruction_sets.emplace(engine.operation.name);
      }
    }
  }
}

void read_memory(const VolkInstanceTable& vk, VkPhysicalDevice device, vk::Snapshot& snapshot) {
  VkPhysicalDeviceMemoryProperties memory;
  vk.vkGetPhysicalDeviceMemoryProperties(device, &memory);
  for (std::uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
    snapshot.memory_types.push_back({memory.memoryTypes[i].propertyFlags, memory.memoryTypes[i].heapIndex});
  }
  for (std::uint32_t i = 0; i < memory.memoryHeapCount; ++i) {
    const VkMemoryHeap& heap = memory.memoryHeaps[i];
    snapshot.memory_heaps.push_back({heap.size, (heap.flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0});
  }
}

// A driver may only be asked about formats that its Vulkan version or an extension has.
bool may_ask_for(std::uint32_t format, const vk::Snapshot& snapshot) {
  constexpr std::uint32_t last_of_1_0 = VK_FORMAT_ASTC_12x12_SRGB_BLOCK;
  const auto within = [&](std::uint32_t first, std::uint32_t last) { return format >= first && format <= last; };
  return within(VK_FORMAT_R4G4_UNORM_PACK8, last_of_1_0) ||
         within(VK_FORMAT_G8B8G8R8_422_UNORM, VK_FORMAT_G16_B16_R16_3PLANE_444_UNORM) ||       // 1.1
         within(VK_FORMAT_ASTC_4x4_SFLOAT_BLOCK, VK_FORMAT_ASTC_12x12_SFLOAT_BLOCK) ||         // 1.3
         within(VK_FORMAT_G8_B8R8_2PLANE_444_UNORM, VK_FORMAT_G16_B16R16_2PLANE_444_UNORM) ||  // 1.3
         within(VK_FORMAT_A4R4G4B4_UNORM_PACK16, VK_FORMAT_A4B4G4R4_UNORM_PACK16) ||           // 1.3
         (snapshot.has_extension("VK_KHR_maintenance5") &&
          within(VK_FORMAT_A1B5G5R5_UNORM_PACK16, VK_FORMAT_A8_UNORM)) ||
         (snapshot.has_extension("VK_ARM_tensors") &&
          within(VK_FORMAT_R8_BOOL_ARM, VK_FORMAT_R8_SFLOAT_FPENCODING_FLOAT8E5M2_ARM));
}

void read_formats(const VolkInstanceTable& vk, VkPhysicalDevice device, vk::Snapshot& snapshot) {
  for (const vk::EnumName& name : vk::names<vk::Format>()) {
    if (!may_ask_for(name.value, snapshot)) continue;
    VkFormatProperties3 features{VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3};
    VkTensorFormatPropertiesARM tensors{VK_STRUCTURE_TYPE_TENSOR_FORMAT_PROPERTIES_ARM};
    if (snapshot.has_extension("VK_ARM_tensors")) features.pNext = &tensors;
    VkFormatProperties2 properties{VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2, &features};
    vk.vkGetPhysicalDeviceFormatProperties2(device, static_cast<VkFormat>(name.value), &properties);
    const vk::FormatFeatures found{features.linearTilingFeatures, features.optimalTilingFeatures,
                                   features.bufferFeatures, tensors.linearTilingTensorFeatures};
    if ((found.linear | found.optimal | found.buffer | found.linear_tensor) == 0) continue;
    snapshot.formats.emplace(static_cast<vk::Format>(name.value), found);
  }
}

void read_cooperative_matrices(const VolkInstanceTable& vk, VkPhysicalDevice device, vk::Snapshot& snapshot) {
  if (!snapshot.has_feature("cooperativeMatrix")) return;
  std::uint32_t count = 0;
  if (vk.vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR(device, &count, nullptr) != VK_SUCCESS) return;
  std::vector<VkCooperativeMatrixPropertiesKHR> shapes(count, {VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR});
  if (vk.vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR(device, &count, shapes.data()) != VK_SUCCESS) return;
  for (const VkCooperativeMatrixPropertiesKHR& shape : shapes) {
    if (shape.scope != VK_SCOPE_SUBGROUP_KHR) continue;
    snapshot.cooperative_matrices.push_back({.m = shape.MSize,
                                             .n = shape.NSize,
                                             .k = shape.KSize,
                                             .a = static_cast<std::uint32_t>(shape.AType),
                                             .b = static_cast<std::uint32_t>(shape.BType),
                                             .c = static_cast<std::uint32_t>(shape.CType),
                                             .result = static_cast<std::uint32_t>(shape.ResultType),
                                             .saturating = shape.saturatingAccumulation == VK_TRUE});
  }
}

}  // namespace

Result<vk::Snapshot> read_snapshot(const VolkInstanceTable& vk, VkPhysicalDevice device, std::uint32_t index) {
  VkPhysicalDeviceProperties basics;
  vk.vkGetPhysicalDeviceProperties(device, &basics);
  vk::Snapshot snapshot;
  snapshot.index = index;
  snapshot.name = basics.deviceName;
  snapshot.type = static_cast<vk::DeviceType>(std::min<std::uint32_t>(basics.deviceType, VK_PHYSICAL_DEVICE_TYPE_CPU));
  snapshot.vendor_id = basics.vendorID;
  snapshot.device_id = basics.deviceID;
  snapshot.api = version_of(basics.apiVersion);
  snapshot.driver_version = basics.driverVersion;
  snapshot.pipeline_cache_uuid = uuid_of(basics.pipelineCacheUUID);
  if (Result<> read = read_extensions(vk, device, snapshot); !read) return fail(std::move(read.error()));
  read_queues(vk, device, snapshot);
  read_memory(vk, device, snapshot);
  // The rest is queried with structs that older devices do not know; plan_device() rejects such devices.
  if (snapshot.api < vk::Version{1, 3, 0}) return snapshot;
  read_properties(vk, device, snapshot);
  read_features(vk, device, snapshot);
  read_graph_engines(vk, device, snapshot);
  read_formats(vk, device, snapshot);
  read_cooperative_matrices(vk, device, snapshot);
  return vk::chosen_profile().transform([&](const vk::DeviceProfile* profile) {
    return profile ? vk::with_profile(std::move(snapshot), *profile) : std::move(snapshot);
  });
}

}  // namespace slipway::gpu
