// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gpu/memory/image.hpp"

#include <algorithm>
#include <utility>

#include "base/checked.hpp"
#include "base/format.hpp"
#include "gpu/device/device.hpp"
#include "gpu/memory/resource_builder.hpp"
#include "vk/view_shape.hpp"

namespace slipway::gpu {
namespace {

VkImageCreateInfo create_info(const vk::ImageInfo& info, const vk::ImagePlan& plan) {
  VkImageCreateFlags flags = 0;
  // Several resources see the same memory, and what one writes stays for the others.
  if (info.shares_memory) flags |= VK_IMAGE_CREATE_ALIAS_BIT;
  if (info.uses.cube) flags |= VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT;
  return {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
          .flags = flags,
          .imageType = info.depth > 1 ? VK_IMAGE_TYPE_3D
                       : info.line    ? VK_IMAGE_TYPE_1D
                                      : VK_IMAGE_TYPE_2D,
          .format = static_cast<VkFormat>(info.format),
          .extent = {info.width, info.height, info.depth},
          .mipLevels = info.mips,
          .arrayLayers = info.layers,
          .samples = static_cast<VkSampleCountFlagBits>(info.samples),
          .tiling = plan.tiling == vk::Tiling::Linear ? VK_IMAGE_TILING_LINEAR : VK_IMAGE_TILING_OPTIMAL,
          .usage = plan.usage};
}

// What the snapshot does not have: limits of format, tiling, usage and size together.
Result<> check_with_driver(const DeviceCore& core, const vk::ImageInfo& info, const VkImageCreateInfo& create) {
  const VkPhysicalDeviceImageFormatInfo2 asked{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
                                               .format = create.format,
                                               .type = create.imageType,
                                               .tiling = create.tiling,
                                               .usage = create.usage,
                                               .flags = create.flags};
  VkImageFormatProperties2 answer{VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2};
  const VkResult result =
      core.instance->functions.vkGetPhysicalDeviceImageFormatProperties2(core.physical, &asked, &answer);
  if (result == VK_ERROR_FORMAT_NOT_SUPPORTED) {
    return fail(
        DiagnosticKind::DeviceLacks, SourceLocation::nowhere(),
        formatted("the device has no {} images of `{}` for these uses (image `{}`)",
                  create.tiling == VK_IMAGE_TILING_LINEAR ? "linear" : "optimal", vk::name_of(info.format), info.name));
  }
  if (result != VK_SUCCESS) {
    return vulkan_failed("vkGetPhysicalDeviceImageFormatProperties2", result, "image", info.name);
  }
  const VkImageFormatProperties& limits = answer.imageFormatProperties;
  return vk::check_image_limits(info,
                                {.extent = {limits.maxExtent.width, limits.maxExtent.height, limits.maxExtent.depth},
                                 .levels = limits.maxMipLevels,
                                 .layers = limits.maxArrayLayers,
                                 .sample_counts = limits.sampleCounts});
}

}  // namespace

std::array<std::uint32_t, 3> Image::extent(std::uint32_t level) const {
  const auto at_level = [&](std::uint32_t size) { return std::max(1u, level < 32 ? size >> level : 0u); };
  return {at_level(info_.width), at_level(info_.height), at_level(info_.depth)};
}

std::uint64_t Image::packed_size(std::uint32_t level) const {
  const std::optional<vk::TexelBlock> block = vk::texel_block(info_.format);
  if (!block) return 0;
  const auto [width, height, depth] = extent(level);
  return divide_up(width, block->width) * divide_up(height, block->height) * depth * info_.layers * block->bytes;
}

Result<Image> ResourceBuilder::create(const DeviceCore& core, const vk::ImageInfo& info) {
  Result<vk::ImagePlan> plan = vk::plan_image(core.snapshot, info);
  if (!plan) return fail(std::move(plan.error()));
  if (!vk::texel_block(info.format)) {
    return fail(DiagnosticKind::Unsupported, SourceLocation::nowhere(),
                formatted("images of `{}` are not supported (image `{}`)", vk::name_of(info.format), info.name));
  }
  const VkImageCreateInfo create = create_info(info, *plan);
  if (Result<> checked = check_with_driver(core, info, create); !checked) return fail(std::move(checked.error()));
  VkImage handle = nullptr;
  const VkResult result = core.functions.vkCreateImage(core.device, &create, nullptr, &handle);
  if (result != VK_SUCCESS) return vulkan_failed("vkCreateImage", result, "image", info.name);
  Image image;
  image.image_ = Owned<VkImage_T>(core, handle);
  image.info_ = info;
  image.plan_ = *plan;
  set_debug_name(core, VK_OBJECT_TYPE_IMAGE, handle, info.name);
  if (plan->tiling == vk::Tiling::Linear) {
    const VkImageSubresource level0{plan->data_aspect, 0, 0};
    VkSubresourceLayout layout;
    core.functions.vkGetImageSubresourceLayout(core.device, handle, &level0, &layout);
    image.linear_layout_ = {layout.offset, layout.rowPitch, layout.depthPitch};
  }
  return image;
}

MemoryNeeds ResourceBuilder::needs(const Image& image) {
  const DeviceCore& core = image.image_.core();
  VkMemoryRequirements requirements;
  core.functions.vkGetImageMemoryRequirements(core.device, image.handle(), &requirements);
  return {requirements.size, requirements.alignment, requirements.memoryTypeBits};
}

Result<> ResourceBuilder::bind(Image& image, MemoryPtr memory, std::uint64_t offset) {
  const DeviceCore& core = image.image_.core();
  const VkResult result = vmaBindImageMemory2(core.allocator, memory->allocation(), offset, image.handle(), nullptr);
  if (result != VK_SUCCESS) return vulkan_failed("vkBindImageMemory2", result, "image", image.info_.name);
  image.memory_ = std::move(memory);
  return {};
}

Result<Image> create_image(const Device& device, const vk::ImageInfo& info) {
  const DeviceCore& core = device.core();
  Result<Image> image = ResourceBuilder::create(core, info);
  if (!image) return image;
  Result<MemoryPtr> memory =
      allocate_memory(core, ResourceBuilder::needs(*image), device_memory_request(core), "image", info.name);
  if (!memory) return fail(std::move(memory.error()));
  if (Result<> bound = ResourceBuilder::bind(*image, std::move(*memory), 0); !bound) {
    return fail(std::move(bound.error()));
  }
  return image;
}

namespace {

Result<Owned<VkImageView_T>> create_view(const DeviceCore& core, const Image& image, VkImageViewType type,
                                         const VkImageSubresourceRange& range) {
  const vk::ImageInfo& info = image.info();
  const VkImageViewCreateInfo create{.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                     .image = image.handle(),
                                     .viewType = type,
                                     .format = static_cast<VkFormat>(info.format),
                                     .subresourceRange = range};
  VkImageView view = nullptr;
  const VkResult result = core.functions.vkCreateImageView(core.device, &create, nullptr, &view);
  if (result != VK_SUCCESS) return vulkan_failed("vkCreateImageView", result, "image", info.name);
  set_debug_name(core, VK_OBJECT_TYPE_IMAGE_VIEW, view, info.name);
  return Owned<VkImageView_T>(core, view);
}

VkImageViewType view_type(const vk::ImageInfo& info, vk::ViewShape shape) {
  switch (shape) {
    case vk::ViewShape::Plain:
      return info.depth > 1 ? VK_IMAGE_VIEW_TYPE_3D : info.line ? VK_IMAGE_VIEW_TYPE_1D : VK_IMAGE_VIEW_TYPE_2D;
    case vk::ViewShape::Array:
      return info.line ? VK_IMAGE_VIEW_TYPE_1D_ARRAY : VK_IMAGE_VIEW_TYPE_2D_ARRAY;
    case vk::ViewShape::Cube:
      return VK_IMAGE_VIEW_TYPE_CUBE;
    case vk::ViewShape::CubeArray:
      return VK_IMAGE_VIEW_TYPE_CUBE_ARRAY;
  }
  std::unreachable();
}

Result<> check_levels(const vk::ImageInfo& info, std::uint32_t first_level, std::uint32_t levels) {
  if (first_level < info.mips && levels <= info.mips - first_level) return {};
  return fail(DiagnosticKind::OutOfRange, SourceLocation::nowhere(),
              formatted("Requested level of details for the Image is greater than configured mipmaps: levels {} to "
                        "{} of {} (image `{}`)",
                        first_level, first_level + std::max(levels, 1u) - 1, info.mips, info.name));
}

}  // namespace

Result<Owned<VkImageView_T>> create_image_view(const Device& device, const Image& image, std::uint32_t first_level,
                                               std::uint32_t levels, vk::ViewShape shape) {
  const vk::ImageInfo& info = image.info();
  if (Result<> checked = check_levels(info, first_level, levels); !checked) return fail(std::move(checked.error()));
  return create_view(device.core(), image, view_type(info, shape),
                     {image.plan().data_aspect, first_level, levels ? levels : info.mips - first_level, 0,
                      shape == vk::ViewShape::Plain ? 1 : info.layers});
}

Result<Owned<VkImageView_T>> create_attachment_view(const Device& device, const Image& image, std::uint32_t level) {
  if (Result<> checked = check_levels(image.info(), level, 1); !checked) return fail(std::move(checked.error()));
  return create_view(device.core(), image, VK_IMAGE_VIEW_TYPE_2D, {image.plan().aspects, level, 1, 0, 1});
}

}  // namespace slipway::gpu
