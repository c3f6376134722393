// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a sampler is created with (docs/spec/scenario.md#images).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "base/vk_names.hpp"
#include "vk/graphics_state.hpp"

namespace slipway::vk {

struct SamplerInfo {
  Filter min_filter = Filter::NEAREST;
  Filter mag_filter = Filter::NEAREST;
  Filter mip_filter = Filter::NEAREST;
  std::array<AddressMode, 3> address_modes = {AddressMode::CLAMP_TO_EDGE, AddressMode::CLAMP_TO_EDGE,
                                              AddressMode::CLAMP_TO_EDGE};  // u, v, w
  BorderColor border_color = BorderColor::FLOAT_TRANSPARENT_BLACK;
  std::array<float, 4> custom_float{};       // for FLOAT_CUSTOM_EXT
  std::array<std::int32_t, 4> custom_int{};  // for INT_CUSTOM_EXT
  Format format = Format::UNDEFINED;         // of the image, for custom colours
  std::uint32_t mips = 1;                    // of the image: maxLod is mips - 1
  // Of depth images: how shaders that compare do it, reference first. Such a sampler is for nothing else.
  std::optional<CompareOperation> compare;
  std::string name;
};

// Whether the border colour can be seen with these address modes.
inline bool uses_border(const SamplerInfo& info) {
  return std::ranges::contains(info.address_modes, AddressMode::CLAMP_TO_BORDER);
}

}  // namespace slipway::vk
