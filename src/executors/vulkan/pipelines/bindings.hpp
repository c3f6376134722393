// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the steps of a plan bind: views, samplers, descriptor sets, attachments.
#pragma once

#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "executors/vulkan/pipelines/pipelines.hpp"
#include "executors/vulkan/resources/resources.hpp"
#include "gpu/commands/commands.hpp"
#include "gpu/pipeline/descriptors.hpp"
#include "launch/plan/layouts.hpp"
#include "launch/plan/plan.hpp"

namespace slipway::launch {

struct BoundSet {
  std::uint32_t index = 0;
  VkDescriptorSet_T* set = nullptr;
};

class StepBindings {
 public:
  std::span<const BoundSet> sets(std::size_t step) const { return steps_[step].sets; }
  // Of a draw; valid while this lives.
  gpu::Rendering rendering(std::size_t step, const Draw& draw) const;

 private:
  friend class Binder;
  struct OfStep {
    std::vector<BoundSet> sets;
    std::vector<gpu::ColorAttachment> colors;
    std::optional<gpu::DepthStencilAttachment> depth_stencil;
  };
  using View = std::tuple<ResourceIndex, std::uint32_t, std::uint32_t, vk::ViewShape>;  // image, levels

  std::map<View, gpu::Owned<VkImageView_T>> views_;  // for descriptors
  std::map<View, gpu::Owned<VkImageView_T>> attachment_views_;
  std::vector<gpu::Owned<VkBufferView_T>> texels_;
  std::map<ResourceIndex, gpu::Owned<VkSampler_T>> samplers_;
  gpu::DescriptorSets sets_;
  std::vector<OfStep> steps_;
};

// Descriptors show images in the layout that they have at the step (docs/spec/scenario.md#descriptors).
Result<StepBindings> bind_steps(const Plan& plan, const gpu::Device& device, const Resources& resources,
                                const Pipelines& pipelines);

}  // namespace slipway::launch
