// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Descriptor set layouts, pipeline layouts and descriptor sets.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/diagnostic.hpp"
#include "gpu/memory/buffer.hpp"
#include "gpu/memory/image.hpp"
#include "vk/pipeline_layout.hpp"

namespace slipway::gpu {

class PipelineLayout {
 public:
  VkPipelineLayout_T* handle() const { return layout_.get(); }
  const vk::PipelineLayoutInfo& info() const { return info_; }
  VkDescriptorSetLayout_T* set_layout(std::size_t set) const { return sets_[set].get(); }

 private:
  friend Result<PipelineLayout> create_pipeline_layout(const Device& device, vk::PipelineLayoutInfo info);
  vk::PipelineLayoutInfo info_;
  std::vector<Owned<VkDescriptorSetLayout_T>> sets_;
  Owned<VkPipelineLayout_T> layout_;
};

Result<PipelineLayout> create_pipeline_layout(const Device& device, vk::PipelineLayoutInfo info);

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
