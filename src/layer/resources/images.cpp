// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layer/resources/images.hpp"

#include "layer/chain.hpp"
#include "layer/device.hpp"
#include "layer/graphs/optical_flow.hpp"
#include "layer/resources/aliases.hpp"
#include "layer/resources/tensors.hpp"

namespace slipway::layer {
namespace {

// Drivers choose the row pitch of a linear image by its usage: NVIDIA's has longer rows for a destination of copies. So
// that tensors and images agree, all images that alias tensors have these.
constexpr VkImageUsageFlags kRowUsage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;

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
  return guarded([&] {
    LayerDevice& device = device_of(handle);
    constexpr VkStructureType removed[] = {VK_STRUCTURE_TYPE_DATA_GRAPH_OPTICAL_FLOW_IMAGE_FORMAT_INFO_ARM};
    const auto* flow = find_in_chain<VkDataGraphOpticalFlowImageFormatInfoARM>(info->pNext, removed[0]);
    if (!aliases_tensors(*info) && flow == nullptr) return device.next.vkCreateImage(handle, info, allocator, made);
    ChainCopy chain;
    VkImageCreateInfo theirs = *info;
    theirs.pNext = chain.make(info->pNext, removed);
    if (flow != nullptr) theirs.usage |= flow_usage(flow->usage);
    if (!aliases_tensors(*info)) return device.next.vkCreateImage(handle, &theirs, allocator, made);
    make_linear(theirs);
    const VkResult result = device.next.vkCreateImage(handle, &theirs, allocator, made);
    if (result != VK_SUCCESS) return result;
    try {
      device.aliases->add(*made);
    } catch (...) {
      device.next.vkDestroyImage(handle, *made, allocator);
      throw;
    }
    return result;
  });
}

void DestroyImage(VkDevice handle, VkImage image, const VkAllocationCallbacks* allocator) {
  LayerDevice& device = device_of(handle);
  device.aliases->remove(image);
  device.next.vkDestroyImage(handle, image, allocator);
}

VkResult BindImageMemory(VkDevice handle, VkImage image, VkDeviceMemory memory, VkDeviceSize offset) {
  return guarded([&] {
    LayerDevice& device = device_of(handle);
    const VkResult result = device.next.vkBindImageMemory(handle, image, memory, offset);
    if (result == VK_SUCCESS) device.aliases->bind(image, memory, offset);
    return result;
  });
}

VkResult BindImageMemory2(VkDevice handle, std::uint32_t count, const VkBindImageMemoryInfo* infos) {
  return guarded([&] {
    LayerDevice& device = device_of(handle);
    const VkResult result = device.next.vkBindImageMemory2(handle, count, infos);
    if (result != VK_SUCCESS) return result;
    for (const VkBindImageMemoryInfo& info : std::span(infos, count))
      device.aliases->bind(info.image, info.memory, info.memoryOffset);
    return result;
  });
}

// A view's usage is that of its image, or a part of it.
VkResult CreateImageView(VkDevice handle, const VkImageViewCreateInfo* info, const VkAllocationCallbacks* allocator,
                         VkImageView* made) {
  return guarded([&] {
    const LayerDevice& device = device_of(handle);
    constexpr VkStructureType edited[] = {VK_STRUCTURE_TYPE_IMAGE_VIEW_USAGE_CREATE_INFO};
    const auto* usage = find_in_chain<VkImageViewUsageCreateInfo>(info->pNext, edited[0]);
    if (usage == nullptr || (usage->usage & VK_IMAGE_USAGE_TENSOR_ALIASING_BIT_ARM) == 0)
      return device.next.vkCreateImageView(handle, info, allocator, made);
    ChainCopy chain;
    VkImageViewCreateInfo theirs = *info;
    theirs.pNext = chain.make(info->pNext, {}, edited);
    chain.find<VkImageViewUsageCreateInfo>(edited[0])->usage &=
        ~static_cast<VkImageUsageFlags>(VK_IMAGE_USAGE_TENSOR_ALIASING_BIT_ARM);
    return device.next.vkCreateImageView(handle, &theirs, allocator, made);
  });
}

// A render pass may leave an attachment in the layout for tensors.
template <class Info, class Attachment, class Function>
VkResult create_render_pass(VkDevice handle, const Info* info, const VkAllocationCallbacks* allocator,
                            VkRenderPass* made, Function next) {
  return guarded([&] {
    std::vector<Attachment> attachments(info->pAttachments, info->pAttachments + info->attachmentCount);
    for (Attachment& attachment : attachments) {
      attachment.initialLayout = layout_in_driver(attachment.initialLayout);
      attachment.finalLayout = layout_in_driver(attachment.finalLayout);
    }
    Info theirs = *info;
    theirs.pAttachments = attachments.data();
    return next(handle, &theirs, allocator, made);
  });
}

VkResult CreateRenderPass(VkDevice handle, const VkRenderPassCreateInfo* info, const VkAllocationCallbacks* allocator,
                          VkRenderPass* made) {
  return create_render_pass<VkRenderPassCreateInfo, VkAttachmentDescription>(handle, info, allocator, made,
                                                                             device_of(handle).next.vkCreateRenderPass);
}

VkResult CreateRenderPass2(VkDevice handle, const VkRenderPassCreateInfo2* info, const VkAllocationCallbacks* allocator,
                           VkRenderPass* made) {
  return create_render_pass<VkRenderPassCreateInfo2, VkAttachmentDescription2>(
      handle, info, allocator, made, device_of(handle).next.vkCreateRenderPass2);
}

void GetDeviceImageMemoryRequirements(VkDevice handle, const VkDeviceImageMemoryRequirements* info,
                                      VkMemoryRequirements2* requirements) {
  VkImageCreateInfo image = *info->pCreateInfo;
  make_linear(image);
  VkDeviceImageMemoryRequirements theirs = *info;
  theirs.pCreateInfo = &image;
  device_of(handle).next.vkGetDeviceImageMemoryRequirements(handle, &theirs, requirements);
}

void GetDeviceImageSparseMemoryRequirements(VkDevice handle, const VkDeviceImageMemoryRequirements* info,
                                            std::uint32_t* count, VkSparseImageMemoryRequirements2* requirements) {
  VkImageCreateInfo image = *info->pCreateInfo;
  make_linear(image);
  VkDeviceImageMemoryRequirements theirs = *info;
  theirs.pCreateInfo = &image;
  device_of(handle).next.vkGetDeviceImageSparseMemoryRequirements(handle, &theirs, count, requirements);
}

void GetDeviceImageSubresourceLayout(VkDevice handle, const VkDeviceImageSubresourceInfo* info,
                                     VkSubresourceLayout2* layout) {
  VkImageCreateInfo image = *info->pCreateInfo;
  make_linear(image);
  VkDeviceImageSubresourceInfo theirs = *info;
  theirs.pCreateInfo = &image;
  device_of(handle).next.vkGetDeviceImageSubresourceLayout(handle, &theirs, layout);
}

}  // namespace

void make_linear(VkImageCreateInfo& info) {
  if (!aliases_tensors(info)) return;
  info.usage &= ~static_cast<VkImageUsageFlags>(VK_IMAGE_USAGE_TENSOR_ALIASING_BIT_ARM);
  info.usage |= kRowUsage;
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
                                 .usage = kRowUsage};
  VkImage image = VK_NULL_HANDLE;
  if (device.next.vkCreateImage(device.handle, &create, nullptr, &image) != VK_SUCCESS) return false;
  const VkImageSubresource level{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0};
  VkSubresourceLayout layout{};
  device.next.vkGetImageSubresourceLayout(device.handle, image, &level, &layout);
  device.next.vkDestroyImage(device.handle, image, nullptr);
  std::uint64_t stride = layout.rowPitch;
  for (std::uint32_t d = rank - 2; d-- > 0;) {
    description.packed &= description.strides[d] == stride || description.shape[d] == 1;
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
      named("vkGetDeviceImageSparseMemoryRequirements", GetDeviceImageSparseMemoryRequirements),
      named("vkGetDeviceImageSparseMemoryRequirementsKHR", GetDeviceImageSparseMemoryRequirements),
      named("vkGetDeviceImageSubresourceLayout", GetDeviceImageSubresourceLayout),
      named("vkGetDeviceImageSubresourceLayoutKHR", GetDeviceImageSubresourceLayout),
      named("vkDestroyImage", DestroyImage),
      named("vkBindImageMemory", BindImageMemory),
      named("vkBindImageMemory2", BindImageMemory2),
      named("vkBindImageMemory2KHR", BindImageMemory2),
      named("vkCreateImageView", CreateImageView),
      named("vkCreateRenderPass", CreateRenderPass),
      named("vkCreateRenderPass2", CreateRenderPass2),
      named("vkCreateRenderPass2KHR", CreateRenderPass2),
  };
  return table;
}

}  // namespace slipway::layer
