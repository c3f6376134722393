// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Images and views of them.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "gpu/device/handles.hpp"
#include "gpu/memory/memory.hpp"
#include "vk/image_plan.hpp"

namespace slipway::vk {
enum class ViewShape : std::uint8_t;  // view_shape.hpp
}

namespace slipway::gpu {

class Device;

// Where a linear image keeps its texels, in bytes from the start of the image.
struct LinearLayout {
  std::uint64_t offset = 0;
  std::uint64_t row_pitch = 0;
  std::uint64_t depth_pitch = 0;
};

class Image {
 public:
  VkImage_T* handle() const { return image_.get(); }
  const vk::ImageInfo& info() const { return info_; }
  vk::Tiling tiling() const { return plan_.tiling; }
  const vk::ImagePlan& plan() const { return plan_; }
  const Memory& memory() const { return *memory_; }
  // Width, height and depth of a level.
  std::array<std::uint32_t, 3> extent(std::uint32_t level) const;
  // Bytes of a level, all of its layers, whose rows are packed tightly, as files and transfers have it.
  std::uint64_t packed_size(std::uint32_t level) const;
  // Of level 0; only for linear tiling.
  const LinearLayout& linear_layout() const { return linear_layout_; }

 private:
  friend struct ResourceBuilder;
  MemoryPtr memory_;  // outlives the image
  Owned<VkImage_T> image_;
  vk::ImageInfo info_;
  vk::ImagePlan plan_;
  LinearLayout linear_layout_;
};

// Errors: those of plan_image, and what the device cannot do with this format, tiling, usage and size together
// (device-lacks).
Result<Image> create_image(const Device& device, const vk::ImageInfo& info);

// `levels` 0: all from `first_level` on.
Result<Owned<VkImageView_T>> create_image_view(const Device& device, const Image& image, std::uint32_t first_level = 0,
                                               std::uint32_t levels = 0, vk::ViewShape shape = {});

// One level of the first layer of a 2D image with all of its aspects, for rendering.
Result<Owned<VkImageView_T>> create_attachment_view(const Device& device, const Image& image, std::uint32_t level = 0);

}  // namespace slipway::gpu
