// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Images that alias tensors (VK_IMAGE_USAGE_TENSOR_ALIASING_BIT_ARM). In the driver they are linear, so that both see
// the same rows; the tensor has the strides of the image.
#pragma once

#include <volk.h>

#include <cstdint>

namespace slipway::layer {

class LayerDevice;
struct TensorDescription;

constexpr bool aliases_tensors(const VkImageCreateInfo& info) {
  return (info.usage & VK_IMAGE_USAGE_TENSOR_ALIASING_BIT_ARM) != 0;
}

// The create-info as the driver gets it.
void make_linear(VkImageCreateInfo& info);

// The layout in the driver: an image that is seen as a tensor is general.
constexpr VkImageLayout layout_in_driver(VkImageLayout layout) {
  return layout == VK_IMAGE_LAYOUT_TENSOR_ALIASING_ARM ? VK_IMAGE_LAYOUT_GENERAL : layout;
}

// Whether linear images of a format can be used like the optimal ones that the application asks for: what it needs at
// least to read and write texels.
constexpr bool can_alias(VkFormatFeatureFlags2 linear) {
  constexpr VkFormatFeatureFlags2 needed = VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT |
                                           VK_FORMAT_FEATURE_2_TRANSFER_SRC_BIT | VK_FORMAT_FEATURE_2_TRANSFER_DST_BIT;
  return (linear & needed) == needed;
}

// Sets the strides of a tensor to those of an image of its width, height and components; false if the driver has no
// such image.
bool set_image_strides(const LayerDevice& device, TensorDescription& description);

}  // namespace slipway::layer
