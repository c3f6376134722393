// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an image is created with, decided from the snapshot alone (docs/spec/scenario.md#images,
// docs/spec/scenario.md#decision-17).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "base/diagnostic.hpp"
#include "vk/snapshot.hpp"

namespace slipway::vk {

// Every image of one sample can also be the source and destination of transfers.
struct ImageUses {
  bool sampled = false;
  bool storage = false;
  bool color_attachment = false;
  bool depth_attachment = false;  // for depth, stencil or both
  bool cube = false;              // some view is ViewShape::Cube or CubeArray
  bool uploaded = false;          // has contents at the start: the format must allow copies into it
  bool makes_mips = false;        // levels are made from others, with blits
};

// 2D, or 3D when depth > 1, which has one layer; 1D if it is a line. An image of several samples is an attachment and
// nothing else: it has one level, and is neither copied nor cleared outside of rendering.
struct ImageInfo {
  Format format = Format::UNDEFINED;
  std::uint32_t width = 1, height = 1, depth = 1;
  bool line = false;  // height and depth are 1
  std::uint32_t layers = 1;
  std::uint32_t mips = 1;
  std::uint32_t samples = 1;
  ImageUses uses;
  std::optional<Tiling> tiling;  // absent: OPTIMAL if usable, else LINEAR; the other way round when it shares memory
  bool shares_memory = false;
  std::string name;
};

struct ImagePlan {
  Tiling tiling = Tiling::Optimal;
  std::uint32_t usage = 0;        // VkImageUsageFlags
  std::uint32_t aspects = 0;      // VkImageAspectFlags: all that the format has
  std::uint32_t data_aspect = 0;  // the one that shaders read and copies use: depth if there is depth
};

// Reports everything that is wrong together: device-lacks for what the device cannot do, out-of-range for wrong numbers
// of mips.
Result<ImagePlan> plan_image(const Snapshot& snapshot, const ImageInfo& info);

// What a driver allows for a format, tiling and usage together; which the snapshot does not have.
struct DriverImageLimits {
  std::array<std::uint32_t, 3> extent{};
  std::uint32_t levels = 0;
  std::uint32_t layers = 1;
  std::uint32_t sample_counts = 1;  // VkSampleCountFlags
};
Result<> check_image_limits(const ImageInfo& info, const DriverImageLimits& limits);

// floor(log2(the largest)) + 1.
std::uint32_t max_mips(std::uint32_t width, std::uint32_t height, std::uint32_t depth = 1);

// A format's unit in memory: a texel, or a block of them. For formats with depth: that of the depth aspect in copies.
// Nothing for formats of several planes.
struct TexelBlock {
  std::uint32_t bytes = 0;
  std::uint32_t width = 1, height = 1;
};
std::optional<TexelBlock> texel_block(Format format);
bool has_depth(Format format);
bool has_stencil(Format format);

}  // namespace slipway::vk
