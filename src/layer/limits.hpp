// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The limits that the layer reports and keeps.
#pragma once

#include <volk.h>

#include <algorithm>
#include <cstdint>

#include "gpu/device/snapshot.hpp"
#include "spirv/tensors/emulate.hpp"

namespace slipway::layer {

inline constexpr std::uint32_t kMaxRank = spirv::TensorRecord::kMaxRank;
// Coordinates of shaders and indices of kernels have 31 bits.
inline constexpr std::uint64_t kMaxElements = 0x7fffffff;
inline constexpr std::uint32_t kMaxShaderArray = 1024;  // elements that a shader reads or writes at once
// Descriptors of tensors, which are uniform buffers in the driver: what the layer takes of the driver's limit.
inline constexpr std::uint32_t kMaxTensorDescriptors = 1024;
inline constexpr std::uint32_t kMinTensorDescriptors = 16;

// How many of `limit` uniform buffers are left to tensors; the application keeps the others.
constexpr std::uint32_t tensors_of(std::uint32_t limit) { return std::min(limit / 2, kMaxTensorDescriptors); }

// Shader stages whose shaders may have tensors.
inline VkShaderStageFlags tensor_stages(const gpu::Snapshot& device) {
  VkShaderStageFlags stages = VK_SHADER_STAGE_COMPUTE_BIT;
  if (device.has_feature("vertexPipelineStoresAndAtomics")) stages |= VK_SHADER_STAGE_VERTEX_BIT;
  if (device.has_feature("fragmentStoresAndAtomics")) stages |= VK_SHADER_STAGE_FRAGMENT_BIT;
  return stages;
}

}  // namespace slipway::layer
