// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gpu/memory/allocate_memory.hpp"

#include "base/format.hpp"

namespace slipway::gpu {

VmaAllocationCreateInfo device_memory_request(const DeviceCore& core) {
  VmaAllocationCreateInfo how{};
  how.preferredFlags = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  if (core.maps_device_memory) {
    how.flags = VMA_ALLOCATION_CREATE_MAPPED_BIT;
    // Cached memory only decides between types that are equal otherwise.
    how.requiredFlags = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
    how.preferredFlags |=
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
  }
  return how;
}

Result<MemoryPtr> allocate_memory(const DeviceCore& core, const MemoryNeeds& needs, const VmaAllocationCreateInfo& how,
                                  std::string_view object, std::string_view name) {
  const VkMemoryRequirements requirements{needs.size, needs.alignment, needs.type_bits};
  VmaAllocation allocation = nullptr;
  VmaAllocationInfo info{};
  VkResult result = vmaAllocateMemory(core.allocator, &requirements, &how, &allocation, &info);
  if (result == VK_ERROR_FEATURE_NOT_PRESENT && how.requiredFlags == VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) {
    // A resource that no device-local type can hold is put elsewhere.
    VmaAllocationCreateInfo anywhere = how;
    anywhere.requiredFlags = 0;
    result = vmaAllocateMemory(core.allocator, &requirements, &anywhere, &allocation, &info);
  }
  if (result == VK_ERROR_FEATURE_NOT_PRESENT) {
    return fail(DiagnosticKind::DeviceLacks, SourceLocation::nowhere(),
                formatted("the device has no memory type for {} `{}`", object, name));
  }
  if (result != VK_SUCCESS) {
    return vulkan_failed("vkAllocateMemory", result, formatted("{} bytes for {}", needs.size, object), name);
  }
  Owned<VmaAllocation_T> owned(core, allocation);
  VkMemoryPropertyFlags flags = 0;
  vmaGetMemoryTypeProperties(core.allocator, info.memoryType, &flags);
  MutableBytes mapped;
  if (info.pMappedData && (flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)) {
    mapped = {static_cast<std::byte*>(info.pMappedData), needs.size};
  }
  return std::make_shared<const Memory>(std::move(owned), mapped, (flags & VK_MEMORY_PROPERTY_HOST_CACHED_BIT) != 0);
}

}  // namespace slipway::gpu
