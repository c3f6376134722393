// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The limits that the layer reports and keeps.
#pragma once

#include <volk.h>

#include <algorithm>
#include <cstdint>

#include "spirv/tensors/layout.hpp"
#include "vk/snapshot.hpp"

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
inline VkShaderStageFlags tensor_stages(const vk::Snapshot& device) {
  VkShaderStageFlags stages = VK_SHADER_STAGE_COMPUTE_BIT;
  if (device.has_feature("vertexPipelineStoresAndAtomics")) {
    stages |= VK_SHADER_STAGE_VERTEX_BIT;
    if (device.has_feature("tessellationShader"))
      stages |= VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT | VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT;
    if (device.has_feature("geometryShader")) stages |= VK_SHADER_STAGE_GEOMETRY_BIT;
  }
  if (device.has_feature("fragmentStoresAndAtomics")) stages |= VK_SHADER_STAGE_FRAGMENT_BIT;
  if (device.has_extension(VK_EXT_MESH_SHADER_EXTENSION_NAME))
    stages |= VK_SHADER_STAGE_TASK_BIT_EXT | VK_SHADER_STAGE_MESH_BIT_EXT;
  if (device.has_extension(VK_KHR_RAY_TRACING_PIPELINE_EXTENSION_NAME))
    stages |= VK_SHADER_STAGE_RAYGEN_BIT_KHR | VK_SHADER_STAGE_ANY_HIT_BIT_KHR | VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR |
              VK_SHADER_STAGE_MISS_BIT_KHR | VK_SHADER_STAGE_INTERSECTION_BIT_KHR | VK_SHADER_STAGE_CALLABLE_BIT_KHR;
  return stages;
}

}  // namespace slipway::layer
