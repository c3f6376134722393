// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gpu/memory/sampler.hpp"

#include <algorithm>

#include "gpu/device/device.hpp"
#include "gpu/device/device_core.hpp"

namespace slipway::gpu {

Result<Owned<VkSampler_T>> create_sampler(const Device& device, const vk::SamplerInfo& info) {
  const DeviceCore& core = device.core();
  const bool is_float = info.border_color == vk::BorderColor::FLOAT_CUSTOM_EXT;
  const bool is_custom = is_float || info.border_color == vk::BorderColor::INT_CUSTOM_EXT;
  VkSamplerCustomBorderColorCreateInfoEXT custom{.sType = VK_STRUCTURE_TYPE_SAMPLER_CUSTOM_BORDER_COLOR_CREATE_INFO_EXT,
                                                 .format = static_cast<VkFormat>(info.format)};
  if (is_float) {
    std::ranges::copy(info.custom_float, custom.customBorderColor.float32);
  } else {
    std::ranges::copy(info.custom_int, custom.customBorderColor.int32);
  }

  const auto address_mode = [&](std::size_t i) { return static_cast<VkSamplerAddressMode>(info.address_modes[i]); };
  VkSamplerCreateInfo create{.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                             .magFilter = static_cast<VkFilter>(info.mag_filter),
                             .minFilter = static_cast<VkFilter>(info.min_filter),
                             .mipmapMode = info.mip_filter == vk::Filter::LINEAR ? VK_SAMPLER_MIPMAP_MODE_LINEAR
                                                                                 : VK_SAMPLER_MIPMAP_MODE_NEAREST,
                             .addressModeU = address_mode(0),
                             .addressModeV = address_mode(1),
                             .addressModeW = address_mode(2),
                             .compareEnable = info.compare ? VK_TRUE : VK_FALSE,
                             .compareOp = static_cast<VkCompareOp>(info.compare.value_or(vk::CompareOperation::Never)),
                             .maxLod = static_cast<float>(info.mips - 1),
                             .borderColor = static_cast<VkBorderColor>(info.border_color)};
  if (is_custom && !vk::uses_border(info)) {
    // The colour cannot be seen, so it needs no extension (docs/spec/scenario.md#images).
    create.borderColor = is_float ? VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK : VK_BORDER_COLOR_INT_TRANSPARENT_BLACK;
  } else if (is_custom) {
    if (!core.plan.has_feature("customBorderColors")) {
      return fail(DiagnosticKind::DeviceLacks, SourceLocation::nowhere(),
                  "Error sampler custom border color extension is unsupported on this device/driver");
    }
    create.pNext = &custom;
  }
  VkSampler sampler = nullptr;
  const VkResult result = core.functions.vkCreateSampler(core.device, &create, nullptr, &sampler);
  if (result != VK_SUCCESS) return vulkan_failed("vkCreateSampler", result, "sampler", info.name);
  set_debug_name(core, VK_OBJECT_TYPE_SAMPLER, sampler, info.name);
  return Owned<VkSampler_T>(core, sampler);
}

}  // namespace slipway::gpu
