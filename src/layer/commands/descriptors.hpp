// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Descriptors of tensors. In the driver they are uniform buffers, each with the record of a view. For graphs, which
// need addresses when they are recorded, the layer also remembers which view a descriptor has.
#pragma once

#include <volk.h>

#include <memory>
#include <vector>

#include "layer/resources/tensors.hpp"

namespace slipway::layer {

// Descriptors with an image, and perhaps a sampler.
constexpr bool is_image(VkDescriptorType type) {
  return type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER || type == VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE ||
         type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
}

// The bindings of a layout that are tensors, in order; also images, if the device has optical flow.
struct TensorBindings {
  struct Range {
    std::uint32_t binding = 0;
    std::uint32_t first = 0;  // slot of its first descriptor
    std::uint32_t count = 0;
    bool after_bind = false;  // may be updated after it is bound
  };
  std::vector<Range> ranges;
  std::uint32_t slots = 0;
  std::uint32_t last_binding = 0;  // of the layout, also of another type

  // The slot of a descriptor, or -1. A write past the end of a binding continues in the next one, and so
  // do slots.
  std::int64_t slot(std::uint32_t binding, std::uint32_t element) const;
};

struct SetLayout {
  std::shared_ptr<const TensorBindings> bindings;
};

struct SetContents {
  std::shared_ptr<const TensorBindings> bindings;
  std::vector<TensorViewObject*> views;  // by slot
  std::vector<VkImageView> images;       // by slot; empty on a device without optical flow

  TensorViewObject* view(std::uint32_t binding, std::uint32_t element) const {
    const std::int64_t slot = bindings->slot(binding, element);
    return slot < 0 || static_cast<std::size_t>(slot) >= views.size() ? nullptr : views[static_cast<std::size_t>(slot)];
  }
  VkImageView image(std::uint32_t binding) const {
    const std::int64_t slot = bindings->slot(binding, 0);
    if (slot < 0 || static_cast<std::size_t>(slot) >= images.size()) return VK_NULL_HANDLE;
    return images[static_cast<std::size_t>(slot)];
  }
};

struct PoolSets {
  std::vector<VkDescriptorSet> sets;  // with tensors
};

struct UpdateTemplate {
  std::vector<VkDescriptorUpdateTemplateEntry> entries;
  VkDescriptorUpdateTemplateType type{};
  VkPipelineBindPoint bind_point{};
  VkPipelineLayout layout = VK_NULL_HANDLE;
  std::uint32_t set = 0;
};

// Writes as the driver gets them.
class TranslatedWrites {
 public:
  TranslatedWrites(LayerDevice& device, std::uint32_t count, const VkWriteDescriptorSet* writes);
  const VkWriteDescriptorSet* writes() const { return copies_.empty() ? given_ : copies_.data(); }

 private:
  const VkWriteDescriptorSet* given_;
  std::vector<VkWriteDescriptorSet> copies_;
  std::vector<std::vector<VkDescriptorBufferInfo>> buffers_;
};

// The writes of a template.
class TemplateWrites {
 public:
  TemplateWrites(const UpdateTemplate& from, VkDescriptorSet set, const void* data);
  std::uint32_t count() const { return static_cast<std::uint32_t>(writes_.size()); }
  const VkWriteDescriptorSet* writes() const { return writes_.data(); }

 private:
  template <class T>
  std::vector<T> gather(const VkDescriptorUpdateTemplateEntry& entry, const void* data);
  std::vector<VkWriteDescriptorSet> writes_;
  std::vector<std::vector<VkDescriptorImageInfo>> images_;
  std::vector<std::vector<VkDescriptorBufferInfo>> buffers_;
  std::vector<std::vector<VkBufferView>> texels_;
  std::vector<std::vector<VkTensorViewARM>> tensors_;
  std::vector<std::vector<VkAccelerationStructureKHR>> structures_;
  std::vector<std::unique_ptr<VkWriteDescriptorSetTensorARM>> tensor_infos_;
  std::vector<std::unique_ptr<VkWriteDescriptorSetAccelerationStructureKHR>> structure_infos_;
  std::vector<std::unique_ptr<VkWriteDescriptorSetInlineUniformBlock>> inline_infos_;
};

}  // namespace slipway::layer
