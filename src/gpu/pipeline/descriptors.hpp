// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Descriptor set layouts, pipeline layouts and descriptor sets.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/diagnostic.hpp"
#include "gpu/memory/buffer.hpp"
#include "gpu/memory/image.hpp"

namespace slipway::gpu {

// VkShaderStageFlagBits.
using ShaderStages = std::uint32_t;
namespace shader_stage {
inline constexpr ShaderStages kVertex = 0x1, kFragment = 0x10, kCompute = 0x20;
inline constexpr ShaderStages kAll = 0x7fffffff;  // graphs, which have no stage of their own
}  // namespace shader_stage

struct DescriptorBinding {
  std::uint32_t binding = 0;
  vk::DescriptorType type = vk::DescriptorType::STORAGE_BUFFER;
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

class PipelineLayout {
 public:
  VkPipelineLayout_T* handle() const { return layout_.get(); }
  const PipelineLayoutInfo& info() const { return info_; }
  VkDescriptorSetLayout_T* set_layout(std::size_t set) const { return sets_[set].get(); }

 private:
  friend Result<PipelineLayout> create_pipeline_layout(const Device& device, PipelineLayoutInfo info);
  PipelineLayoutInfo info_;
  std::vector<Owned<VkDescriptorSetLayout_T>> sets_;
  Owned<VkPipelineLayout_T> layout_;
};

Result<PipelineLayout> create_pipeline_layout(const Device& device, PipelineLayoutInfo info);

// What one binding of a set points to: a buffer, a tensor of one, the texels of one, or an image view, a sampler, or
// both.
struct DescriptorWrite {
  std::uint32_t binding = 0;
  const Buffer* buffer = nullptr;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;  // 0: to the end
  const Tensor* tensor = nullptr;
  VkBufferView_T* texels = nullptr;
  VkImageView_T* view = nullptr;
  VkSampler_T* sampler = nullptr;
  vk::Layout layout = vk::Layout::General;
  std::uint32_t element = 0;  // of an array of descriptors
};

struct DescriptorSetInfo {
  const PipelineLayout* layout = nullptr;
  std::uint32_t set = 0;
  std::vector<DescriptorWrite> writes;  // every descriptor of the set that is bound, in any order
};

// Sets out of one pool of exactly the right size.
class DescriptorSets {
 public:
  VkDescriptorSet_T* operator[](std::size_t index) const { return sets_[index]; }
  std::size_t size() const { return sets_.size(); }

 private:
  friend Result<DescriptorSets> create_descriptor_sets(const Device& device, std::span<const DescriptorSetInfo> infos);
  Owned<VkDescriptorPool_T> pool_;
  std::vector<VkDescriptorSet_T*> sets_;
};

Result<DescriptorSets> create_descriptor_sets(const Device& device, std::span<const DescriptorSetInfo> infos);

}  // namespace slipway::gpu
