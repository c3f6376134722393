// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel of optical flow, for scenarios and for the Vulkan layer. Its buffers are images: binding 0 of set 0 is the
// image that is searched, 1 the template, 2 the flow, 3 the hint, 4 the cost. Its push constant is the radius.
#pragma once

#include <cstdint>
#include <span>

namespace slipway::model {

enum class FlowImage : std::uint8_t { Search, Template, Flow, Hint, Cost };  // by binding
enum class FlowConstant : std::uint8_t { Grid, Block, Components };          // of specialization, by id
enum class FlowSpeed : std::uint8_t { Fast, Medium, Slow };

inline constexpr std::uint32_t kMinFlowSide = 64, kMaxFlowSide = 8192;  // pixels of the images that are compared

// The module for images with or without a hint and a cost.
std::span<const std::uint32_t> optical_flow_shader(bool hint, bool cost);

// Pixels that are compared, per side; smaller blocks match too many similar positions.
constexpr std::uint32_t flow_block(std::uint32_t grid) { return grid < 8 ? 8 : grid; }
// Workgroups for the cells of this many pixels.
constexpr std::uint32_t flow_groups(std::uint32_t pixels, std::uint32_t grid) {
  constexpr std::uint32_t local_size = 8;
  const std::uint32_t cells = (pixels + grid - 1) / grid;
  return (cells + local_size - 1) / local_size;
}
// Rings to search; `mean` is the mean movement that the caller expects, or 0.
std::uint32_t flow_radius(FlowSpeed speed, std::uint32_t mean);

}  // namespace slipway::model
