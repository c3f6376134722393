// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layer/commands/after_bind.hpp"

#include <algorithm>
#include <spirv/unified1/spirv.hpp11>

#include "layer/commands/descriptors.hpp"
#include "layer/device.hpp"

namespace slipway::layer {
namespace {

using std::uint32_t;  // the generated header names it so
#include "layer/after_bind_comp.hpp"

// The module for the descriptor of a set and binding.
spirv::Words after_bind_shader(std::uint32_t set, std::uint32_t binding) {
  spirv::Words words(std::begin(kAfterBindWords), std::end(kAfterBindWords));
  constexpr std::uint32_t decorate = 4u << 16 | static_cast<std::uint32_t>(spv::Op::OpDecorate);
  for (std::size_t at = spirv::kHeaderWords; at < words.size(); at += words[at] >> 16) {
    if (words[at] != decorate) continue;
    if (words[at + 2] == static_cast<std::uint32_t>(spv::Decoration::DescriptorSet)) words[at + 3] = set;
    if (words[at + 2] == static_cast<std::uint32_t>(spv::Decoration::Binding)) words[at + 3] = binding;
  }
  return words;
}

VkResult CreatePipelineLayout(VkDevice handle, const VkPipelineLayoutCreateInfo* info,
                              const VkAllocationCallbacks* allocator, VkPipelineLayout* made) {
  return guarded([&] {
    LayerDevice& device = device_of(handle);
    auto after_bind = device.graphs ? std::make_shared<AfterBindLayout>(device) : nullptr;
    if (after_bind) {
      const VkResult result = after_bind->make(*info);
      if (result != VK_SUCCESS) return result;
    }
    const VkResult result = device.next.vkCreatePipelineLayout(handle, info, allocator, made);
    if (result == VK_SUCCESS && after_bind && after_bind->handle != VK_NULL_HANDLE)
      device.pipeline_layouts.add(*made,
                                  std::make_unique<KnownPipelineLayout>(KnownPipelineLayout{std::move(after_bind)}));
    return result;
  });
}

void DestroyPipelineLayout(VkDevice handle, VkPipelineLayout layout, const VkAllocationCallbacks* allocator) {
  LayerDevice& device = device_of(handle);
  const auto removed = device.pipeline_layouts.remove(layout);
  device.next.vkDestroyPipelineLayout(handle, layout, allocator);
}

}  // namespace

AfterBindLayout::~AfterBindLayout() {
  if (handle != VK_NULL_HANDLE) device_.next.vkDestroyPipelineLayout(device_.handle, handle, nullptr);
}

VkResult AfterBindLayout::make(const VkPipelineLayoutCreateInfo& info) {
  bool found = false;
  for (std::uint32_t i = 0; i < info.setLayoutCount; ++i) {
    const SetLayout* known = device_.set_layouts.find(info.pSetLayouts[i]);
    sets_.push_back(known == nullptr ? nullptr : known->bindings);
    found =
        found || (known != nullptr && std::ranges::any_of(known->bindings->ranges, &TensorBindings::Range::after_bind));
  }
  if (!found) return VK_SUCCESS;
  const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(AfterBindCopy::Pushed)};
  const VkPipelineLayoutCreateInfo create{.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                          .flags = info.flags,
                                          .setLayoutCount = info.setLayoutCount,
                                          .pSetLayouts = info.pSetLayouts,
                                          .pushConstantRangeCount = 1,
                                          .pPushConstantRanges = &range};
  return device_.next.vkCreatePipelineLayout(device_.handle, &create, nullptr, &handle);
}

bool AfterBindLayout::contains(std::uint32_t set, std::uint32_t binding) const {
  if (set >= sets_.size() || !sets_[set]) return false;
  const auto found = std::ranges::find(sets_[set]->ranges, binding, &TensorBindings::Range::binding);
  return found != sets_[set]->ranges.end() && found->after_bind;
}

AfterBindCopy::~AfterBindCopy() {
  if (pipeline_ != VK_NULL_HANDLE) device_.next.vkDestroyPipeline(device_.handle, pipeline_, nullptr);
}

VkResult AfterBindCopy::make(const tosa::Binding& at, VkPipelineCache cache, VkPipelineCreateFlags flags) {
  set_ = at.set;
  const std::uint32_t count = at.element + 1;
  const VkSpecializationMapEntry entry{0, 0, sizeof count};
  const VkSpecializationInfo constants{1, &entry, sizeof count, &count};
  return create_kernel(device_, after_bind_shader(at.set, at.binding), layout_->handle, cache, flags, pipeline_,
                       &constants);
}

void AfterBindCopy::record(VkCommandBuffer commands, VkDescriptorSet set, const TensorDescription& description,
                           VkDeviceAddress memory, bool to_tensor) const {
  constexpr std::uint64_t local_size = 64, bytes = 4, max_groups = 4096;  // of the shader
  Pushed pushed{.memory = memory,
                .elements = static_cast<std::uint32_t>(description.packed_size() / description.element),
                .rank = description.rank,
                .size = description.element,
                .to_tensor = to_tensor ? 1u : 0u};
  for (std::uint32_t d = 0; d < description.rank; ++d)
    pushed.shape[d] = static_cast<std::uint32_t>(description.shape[d]);
  const DeviceTable& next = device_.next;
  next.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_);
  next.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_->handle, set_, 1, &set, 0, nullptr);
  next.vkCmdPushConstants(commands, layout_->handle, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof pushed, &pushed);
  const std::uint64_t groups = description.packed_size() / (local_size * bytes) + 1;
  next.vkCmdDispatch(commands, static_cast<std::uint32_t>(std::min(groups, max_groups)), 1, 1);
}

std::span<const NamedFunction> after_bind_functions() {
  static const NamedFunction table[] = {
      named("vkCreatePipelineLayout", CreatePipelineLayout),
      named("vkDestroyPipelineLayout", DestroyPipelineLayout),
  };
  return table;
}

}  // namespace slipway::layer
