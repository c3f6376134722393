// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layer/images.hpp"

#include "layer/device.hpp"
#include "layer/tensors.hpp"

namespace slipway::layer {
namespace {

// A format with as many components of as many bytes; the number format does not decide where rows are.
VkFormat texel_format(std::uint32_t element, std::int64_t components) {
  constexpr VkFormat formats[3][4] = {
      {VK_FORMAT_R8_UINT, VK_FORMAT_R8G8_UINT, VK_FORMAT_R8G8B8_UINT, VK_FORMAT_R8G8B8A8_UINT},
      {VK_FORMAT_R16_UINT, VK_FORMAT_R16G16_UINT, VK_FORMAT_R16G16B16_UINT, VK_FORMAT_R16G16B16A16_UINT},
      {VK_FORMAT_R32_UINT, VK_FORMAT_R32G32_UINT, VK_FORMAT_R32G32B32_UINT, VK_FORMAT_R32G32B32A32_UINT}};
  if (components < 1 || components > 4) return VK_FORMAT_UNDEFINED;
  if (element != 1 && element != 2 && element != 4) return VK_FORMAT_UNDEFINED;
  return formats[element == 4 ? 2 : element - 1][components - 1];
}

VkResult CreateImage(VkDevice handle, const VkImageCreateInfo* info, const VkAllocationCallbacks* allocator,
                     VkImage* made) {
  VkImageCreateInfo theirs = *info;
  make_linear(theirs);
  return device_of(handle).next.vkCreateImage(handle, &theirs, allocator, made);
}

void GetDeviceImageMemoryRequirements(VkDevice handle, const VkDeviceImageMemoryRequirements* info,
                                      VkMemoryRequirements2* requirements) {
  VkImageCreateInfo image = *info->pCreateInfo;
  make_linear(image);
  VkDeviceImageMemoryRequirements theirs = *info;
  theirs.pCreateInfo = &image;
  device_of(handle).next.vkGetDeviceImageMemoryRequirements(handle, &theirs, requirements);
}

}  // namespace

void make_linear(VkImageCreateInfo& info) {
  if ((info.usage & VK_IMAGE_USAGE_TENSOR_ALIASING_BIT_ARM) == 0) return;
  info.usage &= ~static_cast<VkImageUsageFlags>(VK_IMAGE_USAGE_TENSOR_ALIASING_BIT_ARM);
  info.tiling = VK_IMAGE_TILING_LINEAR;
}

bool set_image_strides(const LayerDevice& device, TensorDescription& description) {
  const std::uint32_t rank = description.rank;
  if (rank < 2) return true;
  const VkFormat format = texel_format(description.element, description.shape[rank - 1]);
  if (format == VK_FORMAT_UNDEFINED) return false;
  const VkImageCreateInfo create{.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                 .imageType = VK_IMAGE_TYPE_2D,
                                 .format = format,
                                 .extent = {static_cast<std::uint32_t>(description.shape[rank - 2]),
                                            rank < 3 ? 1 : static_cast<std::uint32_t>(description.shape[rank - 3]), 1},
                                 .mipLevels = 1,
                                 .arrayLayers = 1,
                                 .samples = VK_SAMPLE_COUNT_1_BIT,
                                 .tiling = VK_IMAGE_TILING_LINEAR,
                                 .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT};
  VkImage image = VK_NULL_HANDLE;
  if (device.next.vkCreateImage(device.handle, &create, nullptr, &image) != VK_SUCCESS) return false;
  const VkImageSubresource level{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0};
  VkSubresourceLayout layout{};
  device.next.vkGetImageSubresourceLayout(device.handle, image, &level, &layout);
  device.next.vkDestroyImage(device.handle, image, nullptr);
  std::uint64_t stride = layout.rowPitch;
  for (std::uint32_t d = rank - 2; d-- > 0;) {
    description.packed &= description.strides[d] == stride;
    description.strides[d] = stride;
    stride *= static_cast<std::uint64_t>(description.shape[d]);
  }
  return true;
}

std::span<const NamedFunction> image_functions() {
  static const NamedFunction table[] = {
      named("vkCreateImage", CreateImage),
      named("vkGetDeviceImageMemoryRequirements", GetDeviceImageMemoryRequirements),
      named("vkGetDeviceImageMemoryRequirementsKHR", GetDeviceImageMemoryRequirements),
  };
  return table;
}

}  // namespace slipway::layer
