// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names and private data of the layer's own objects, which the driver does not know.
#include "layer/commands/descriptors.hpp"
#include "layer/device.hpp"
#include "layer/graphs/graphs.hpp"

namespace slipway::layer {
namespace {

bool is_own(const LayerDevice& device, VkObjectType type, std::uint64_t handle) {
  switch (type) {
    case VK_OBJECT_TYPE_TENSOR_ARM:
    case VK_OBJECT_TYPE_TENSOR_VIEW_ARM:
    case VK_OBJECT_TYPE_DATA_GRAPH_PIPELINE_SESSION_ARM:
      return true;
    case VK_OBJECT_TYPE_PIPELINE:
      return device.graph_pipelines.find(reinterpret_cast<VkPipeline>(handle)) != nullptr;
    case VK_OBJECT_TYPE_SHADER_MODULE:
      return device.graph_modules.find(reinterpret_cast<VkShaderModule>(handle)) != nullptr;
    case VK_OBJECT_TYPE_DESCRIPTOR_UPDATE_TEMPLATE:
      return device.templates.find(reinterpret_cast<VkDescriptorUpdateTemplate>(handle)) != nullptr;
    default:
      return false;
  }
}

// The buffer that a tensor or a session is in the driver; null for objects without one.
VkBuffer buffer_of(VkObjectType type, std::uint64_t handle) {
  if (type == VK_OBJECT_TYPE_TENSOR_ARM) return reinterpret_cast<TensorObject*>(handle)->buffer;
  if (type == VK_OBJECT_TYPE_DATA_GRAPH_PIPELINE_SESSION_ARM) return reinterpret_cast<SessionObject*>(handle)->buffer;
  return VK_NULL_HANDLE;
}

template <class Info, class Function>
VkResult describe(VkDevice handle, const Info* info, Function next) {
  if (!is_own(device_of(handle), info->objectType, info->objectHandle)) return next(handle, info);
  const VkBuffer buffer = buffer_of(info->objectType, info->objectHandle);
  if (buffer == VK_NULL_HANDLE) return VK_SUCCESS;
  Info theirs = *info;
  theirs.objectType = VK_OBJECT_TYPE_BUFFER;
  theirs.objectHandle = reinterpret_cast<std::uint64_t>(buffer);
  return next(handle, &theirs);
}

VkResult SetDebugUtilsObjectNameEXT(VkDevice handle, const VkDebugUtilsObjectNameInfoEXT* info) {
  return describe(handle, info, device_of(handle).next.vkSetDebugUtilsObjectNameEXT);
}

VkResult SetDebugUtilsObjectTagEXT(VkDevice handle, const VkDebugUtilsObjectTagInfoEXT* info) {
  return describe(handle, info, device_of(handle).next.vkSetDebugUtilsObjectTagEXT);
}

VkResult SetPrivateData(VkDevice handle, VkObjectType type, std::uint64_t object, VkPrivateDataSlot slot,
                        std::uint64_t data) {
  return guarded([&] {
    LayerDevice& device = device_of(handle);
    if (!is_own(device, type, object)) return device.next.vkSetPrivateData(handle, type, object, slot, data);
    const std::scoped_lock lock(device.private_mutex);
    device.private_data[{slot, object}] = data;
    return VK_SUCCESS;
  });
}

void GetPrivateData(VkDevice handle, VkObjectType type, std::uint64_t object, VkPrivateDataSlot slot,
                    std::uint64_t* data) {
  LayerDevice& device = device_of(handle);
  if (!is_own(device, type, object)) return device.next.vkGetPrivateData(handle, type, object, slot, data);
  const std::scoped_lock lock(device.private_mutex);
  const auto found = device.private_data.find({slot, object});
  *data = found == device.private_data.end() ? 0 : found->second;
}

void DestroyPrivateDataSlot(VkDevice handle, VkPrivateDataSlot slot, const VkAllocationCallbacks* allocator) {
  LayerDevice& device = device_of(handle);
  {
    const std::scoped_lock lock(device.private_mutex);
    std::erase_if(device.private_data, [&](const auto& one) { return one.first.first == slot; });
  }
  device.next.vkDestroyPrivateDataSlot(handle, slot, allocator);
}

}  // namespace

std::span<const NamedFunction> object_functions() {
  static const NamedFunction table[] = {
      named("vkSetDebugUtilsObjectNameEXT", SetDebugUtilsObjectNameEXT),
      named("vkSetDebugUtilsObjectTagEXT", SetDebugUtilsObjectTagEXT),
      named("vkSetPrivateData", SetPrivateData),
      named("vkSetPrivateDataEXT", SetPrivateData),
      named("vkGetPrivateData", GetPrivateData),
      named("vkGetPrivateDataEXT", GetPrivateData),
      named("vkDestroyPrivateDataSlot", DestroyPrivateDataSlot),
      named("vkDestroyPrivateDataSlotEXT", DestroyPrivateDataSlot),
  };
  return table;
}

}  // namespace slipway::layer
