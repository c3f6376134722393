// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tensor as Vulkan's structs describe it. Inside this module only.
#pragma once

#include <volk.h>

#include <span>

#include "vk/tensor_info.hpp"

namespace slipway::gpu {

// Valid as long as the shape and the strides exist. Packed if there are no strides.
inline VkTensorDescriptionARM tensor_description(const vk::TensorInfo& info, std::span<const std::int64_t> strides) {
  VkTensorUsageFlagsARM usage = 0;
  if (info.shaders) usage |= VK_TENSOR_USAGE_SHADER_BIT_ARM;
  if (info.graphs) usage |= VK_TENSOR_USAGE_DATA_GRAPH_BIT_ARM;
  return {.sType = VK_STRUCTURE_TYPE_TENSOR_DESCRIPTION_ARM,
          .tiling = VK_TENSOR_TILING_LINEAR_ARM,
          .format = static_cast<VkFormat>(info.format),
          .dimensionCount = static_cast<std::uint32_t>(info.shape.size()),
          .pDimensions = info.shape.data(),
          .pStrides = strides.empty() ? nullptr : strides.data(),
          .usage = usage};
}

}  // namespace slipway::gpu
