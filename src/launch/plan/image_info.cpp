// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/plan/image_info.hpp"

#include <bit>

namespace slipway::launch {

vk::ImageInfo image_info(const Resource& resource, const Image& image, const vk::DevicePlan& device) {
  vk::ImageInfo info{.format = image.format,
                     .width = image.extent[0],
                     .height = image.extent[1],
                     .depth = image.extent[2],
                     .line = image.line.value_or(false),
                     .layers = image.layers,
                     .mips = image.mips,
                     .samples = image.samples,
                     .uses = {.sampled = image.sampled,
                              .storage = image.storage,
                              .color_attachment = image.color_attachment,
                              .depth_attachment = image.depth_attachment,
                              .cube = image.cube,
                              .uploaded = !resource.initial.empty()},
                     .tiling = image.tiling,
                     .shares_memory = resource.sharing.has_value(),
                     .name = resource.name};
  info.uses.makes_mips = !resource.initial.empty() && resource.initial.size() < image.mips;
  if (info.uses.makes_mips && vk::mips_need_storage(device)) info.uses.sampled = info.uses.storage = true;
  return info;
}

vk::SamplerInfo sampler_info(const Resource& resource, const Image& image) {
  const Sampler& sampler = image.sampler;
  vk::SamplerInfo info{.min_filter = sampler.min_filter,
                       .mag_filter = sampler.mag_filter,
                       .mip_filter = sampler.mip_filter,
                       .border_color = sampler.border_color,
                       .format = image.format,
                       .mips = image.mips,
                       .compare = sampler.compare,
                       .name = resource.name};
  info.address_modes.fill(sampler.address_mode);
  if (sampler.address_mode_v) info.address_modes[1] = *sampler.address_mode_v;
  info.custom_float = std::bit_cast<std::array<float, 4>>(sampler.custom_color);
  info.custom_int = std::bit_cast<std::array<std::int32_t, 4>>(sampler.custom_color);
  return info;
}

}  // namespace slipway::launch
