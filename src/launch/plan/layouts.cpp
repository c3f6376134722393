// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/plan/layouts.hpp"

#include <algorithm>

namespace slipway::launch {

ImageLayouts::ImageLayouts(const Plan& plan) : levels_(plan.resources.size()) {
  for (std::size_t i = 0; i < plan.resources.size(); ++i) {
    if (const auto* image = std::get_if<Image>(&plan.resources[i].kind)) levels_[i].resize(image->mips);
  }
}

void ImageLayouts::apply(const Plan& plan, const Barrier& barrier) {
  if (barrier.kind != Barrier::Kind::Image || barrier.new_layout == vk::Layout::Undefined) return;
  const Levels levels = levels_of(plan, barrier);
  std::fill_n(levels_[barrier.resource].begin() + levels.first, levels.count, Level{barrier.new_layout, &barrier});
}

vk::Layout executed_layout(vk::Layout layout) {
  return layout == vk::Layout::TensorAliasing ? vk::Layout::General : layout;
}

bool layout_allowed(vk::DescriptorType type, vk::Layout layout) {
  if (layout == vk::Layout::General) return true;
  // Vulkan 1.3, VkWriteDescriptorSet: storage images in GENERAL only; what is sampled also in a read-only layout.
  return layout == vk::Layout::ShaderReadOnly && type != vk::DescriptorType::STORAGE_IMAGE;
}

std::string_view name_of(vk::Layout layout) {
  switch (layout) {
    case vk::Layout::Undefined:
      return "VK_IMAGE_LAYOUT_UNDEFINED";
    case vk::Layout::General:
      return "VK_IMAGE_LAYOUT_GENERAL";
    case vk::Layout::ColorAttachment:
      return "VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL";
    case vk::Layout::ShaderReadOnly:
      return "VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL";
    case vk::Layout::TransferSource:
      return "VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL";
    case vk::Layout::TransferDestination:
      return "VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL";
    case vk::Layout::TensorAliasing:
      return "VK_IMAGE_LAYOUT_TENSOR_ALIASING_ARM";
  }
  return "unknown layout";
}

}  // namespace slipway::launch
