// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gpu/memory/tensor.hpp"

#include "gpu/device/device.hpp"
#include "gpu/memory/resource_builder.hpp"
#include "gpu/memory/tensor_description.hpp"
#include "tensor/format.hpp"

namespace slipway::gpu {

std::vector<std::int64_t> tensor_strides(const vk::TensorInfo& info, std::uint64_t row_stride) {
  const tensor::FormatInfo* format = tensor::find_format(info.format);
  std::vector<std::int64_t> strides(info.shape.size());
  std::int64_t stride = format ? format->texel_bytes : 1;
  for (std::size_t d = info.shape.size(); d-- > 0;) {
    if (row_stride && d + 3 == info.shape.size()) stride = static_cast<std::int64_t>(row_stride);
    strides[d] = stride;
    stride *= info.shape[d];
  }
  return strides;
}

Result<Tensor> ResourceBuilder::create(const DeviceCore& core, const vk::TensorInfo& info, std::uint64_t row_stride,
                                       std::string_view name) {
  Tensor made;
  made.info_ = info;
  made.strides_ = tensor_strides(info, row_stride);
  const VkTensorDescriptionARM description = tensor_description(made.info_, made.strides_);
  const VkTensorCreateInfoARM create{.sType = VK_STRUCTURE_TYPE_TENSOR_CREATE_INFO_ARM,
                                     .pDescription = &description,
                                     .sharingMode = VK_SHARING_MODE_EXCLUSIVE};
  VkTensorARM handle = nullptr;
  const VkResult result = core.functions.vkCreateTensorARM(core.device, &create, nullptr, &handle);
  if (result != VK_SUCCESS) return vulkan_failed("vkCreateTensorARM", result, "tensor", name);
  made.tensor_ = Owned<VkTensorARM_T>(core, handle);
  set_debug_name(core, VK_OBJECT_TYPE_TENSOR_ARM, handle, name);
  return made;
}

MemoryNeeds ResourceBuilder::needs(const Tensor& tensor) {
  const DeviceCore& core = tensor.tensor_.core();
  const VkTensorMemoryRequirementsInfoARM info{.sType = VK_STRUCTURE_TYPE_TENSOR_MEMORY_REQUIREMENTS_INFO_ARM,
                                               .tensor = tensor.handle()};
  VkMemoryRequirements2 requirements{.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
  core.functions.vkGetTensorMemoryRequirementsARM(core.device, &info, &requirements);
  const VkMemoryRequirements& needs = requirements.memoryRequirements;
  return {needs.size, needs.alignment, needs.memoryTypeBits};
}

Result<> ResourceBuilder::bind(Tensor& tensor, const Memory& memory, std::uint64_t offset, std::string_view name) {
  const DeviceCore& core = tensor.tensor_.core();
  VmaAllocationInfo where;
  vmaGetAllocationInfo(core.allocator, memory.allocation(), &where);
  const VkBindTensorMemoryInfoARM info{.sType = VK_STRUCTURE_TYPE_BIND_TENSOR_MEMORY_INFO_ARM,
                                       .tensor = tensor.handle(),
                                       .memory = where.deviceMemory,
                                       .memoryOffset = where.offset + offset};
  VkResult result = core.functions.vkBindTensorMemoryARM(core.device, 1, &info);
  if (result != VK_SUCCESS) return vulkan_failed("vkBindTensorMemoryARM", result, "tensor", name);
  const VkTensorViewCreateInfoARM create{.sType = VK_STRUCTURE_TYPE_TENSOR_VIEW_CREATE_INFO_ARM,
                                         .tensor = tensor.handle(),
                                         .format = static_cast<VkFormat>(tensor.info_.format)};
  VkTensorViewARM view = nullptr;
  result = core.functions.vkCreateTensorViewARM(core.device, &create, nullptr, &view);
  if (result != VK_SUCCESS) return vulkan_failed("vkCreateTensorViewARM", result, "tensor", name);
  tensor.view_ = Owned<VkTensorViewARM_T>(core, view);
  return {};
}

}  // namespace slipway::gpu
