// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gpu/device/handles.hpp"

#include "gpu/device/device_core.hpp"

namespace slipway::gpu {

static_assert(sizeof(void*) == 8, "Vulkan's non-dispatchable handles are pointers on 64-bit systems only");

// Objects of a lost device are leaked: destroying them may wait for work that never ends.
#define DESTROY(Handle, function)                                          \
  void destroy_object(const DeviceCore& core, Handle object) {             \
    if (!core.lost) core.functions.function(core.device, object, nullptr); \
  }
DESTROY(VkBuffer, vkDestroyBuffer)
DESTROY(VkBufferView, vkDestroyBufferView)
DESTROY(VkImage, vkDestroyImage)
DESTROY(VkImageView, vkDestroyImageView)
DESTROY(VkSampler, vkDestroySampler)
DESTROY(VkDescriptorSetLayout, vkDestroyDescriptorSetLayout)
DESTROY(VkDescriptorPool, vkDestroyDescriptorPool)
DESTROY(VkPipelineLayout, vkDestroyPipelineLayout)
DESTROY(VkPipeline, vkDestroyPipeline)
DESTROY(VkPipelineCache, vkDestroyPipelineCache)
DESTROY(VkShaderModule, vkDestroyShaderModule)
DESTROY(VkCommandPool, vkDestroyCommandPool)
DESTROY(VkQueryPool, vkDestroyQueryPool)
DESTROY(VkSemaphore, vkDestroySemaphore)
DESTROY(VkTensorARM, vkDestroyTensorARM)
DESTROY(VkTensorViewARM, vkDestroyTensorViewARM)
DESTROY(VkDataGraphPipelineSessionARM, vkDestroyDataGraphPipelineSessionARM)
#undef DESTROY

void destroy_object(const DeviceCore& core, VmaAllocation allocation) {
  if (!core.lost) vmaFreeMemory(core.allocator, allocation);
}

}  // namespace slipway::gpu
