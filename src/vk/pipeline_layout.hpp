// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a pipeline layout is made from.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/vk_names.hpp"

namespace slipway::vk {

// VkShaderStageFlagBits.
using ShaderStages = std::uint32_t;
namespace shader_stage {
inline constexpr ShaderStages kVertex = 0x1, kFragment = 0x10, kCompute = 0x20;
inline constexpr ShaderStages kAll = 0x7fffffff;  // graphs, which have no stage of their own
}  // namespace shader_stage

struct DescriptorBinding {
  std::uint32_t binding = 0;
  DescriptorType type = DescriptorType::STORAGE_BUFFER;
  ShaderStages stages = shader_stage::kCompute;
  std::uint32_t count = 1;    // of descriptors: more for an array
  std::uint32_t unbound = 0;  // how many of them are not written, nor used by the shaders
};

struct PipelineLayoutInfo {
  std::vector<std::vector<DescriptorBinding>> sets;  // by set number; unused numbers below the highest are empty
  std::uint32_t push_constants_size = 0;
  ShaderStages push_constants_stages = shader_stage::kCompute;
  std::string name;
};

}  // namespace slipway::vk
