// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The layouts of images while a plan runs: every level begins in GENERAL (docs/spec/scenario.md#images), and image
// barriers change it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "launch/plan/accesses.hpp"
#include "launch/plan/plan.hpp"

namespace slipway::launch {

class ImageLayouts {
 public:
  explicit ImageLayouts(const Plan& plan);

  vk::Layout at(ResourceIndex image, std::uint32_t level) const { return levels_[image][level].layout; }
  // The barrier that put a level into its layout; null before the first.
  const Barrier* set_by(ResourceIndex image, std::uint32_t level) const { return levels_[image][level].set_by; }

  // Levels outside the image are ignored, and so is a new layout of UNDEFINED, which no image can be put into.
  void apply(const Plan& plan, const Barrier& barrier);

 private:
  struct Level {
    vk::Layout layout = vk::Layout::General;
    const Barrier* set_by = nullptr;
  };
  std::vector<std::vector<Level>> levels_;  // by resource; none for buffers
};

// Tensors are buffers here, so that images which share memory with them stay in GENERAL
// (docs/spec/scenario.md#barrier-spellings).
vk::Layout executed_layout(vk::Layout layout);

// Whether a descriptor may show an image in this layout.
bool layout_allowed(vk::DescriptorType type, vk::Layout layout);

// "VK_IMAGE_LAYOUT_GENERAL"
std::string_view name_of(vk::Layout layout);

}  // namespace slipway::launch
