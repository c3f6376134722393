// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs of one node: optical flow (VK_ARM_data_graph_optical_flow), with the kernel that scenarios have.
#pragma once

#include <volk.h>

#include <array>
#include <optional>
#include <vector>

#include "base/diagnostic.hpp"
#include "layer/commands/commands.hpp"
#include "model/optical_flow/optical_flow.hpp"
#include "vk/snapshot.hpp"

namespace slipway::layer {

class LayerDevice;

using model::kMaxFlowSide, model::kMinFlowSide;
inline constexpr VkDataGraphOpticalFlowGridSizeFlagsARM kFlowGrids =
    VK_DATA_GRAPH_OPTICAL_FLOW_GRID_SIZE_1X1_BIT_ARM | VK_DATA_GRAPH_OPTICAL_FLOW_GRID_SIZE_2X2_BIT_ARM |
    VK_DATA_GRAPH_OPTICAL_FLOW_GRID_SIZE_4X4_BIT_ARM | VK_DATA_GRAPH_OPTICAL_FLOW_GRID_SIZE_8X8_BIT_ARM;

// The formats of images that are used in all of these ways.
std::vector<VkFormat> flow_formats(const vk::Snapshot& device, VkDataGraphOpticalFlowImageUsageFlagsARM usage);
// What a format has of the extension's features.
VkFormatFeatureFlags2 flow_features(const vk::Snapshot& device, VkFormat format);
// The usage that an image has in the driver.
VkImageUsageFlags flow_usage(VkDataGraphOpticalFlowImageUsageFlagsARM usage);

// The kernel of one pipeline. Owns its objects of the driver.
class FlowKernel {
 public:
  explicit FlowKernel(const LayerDevice& device) : device_(device) {}
  FlowKernel(const FlowKernel&) = delete;
  ~FlowKernel();

  // For a pipeline with a node of optical flow.
  VkResult make(const VkDataGraphPipelineCreateInfoARM& info, const VkDataGraphPipelineSingleNodeCreateInfoARM& node,
                VkPipelineCache cache, VkPipelineCreateFlags flags, Diagnostics& diagnostics);
  // Records it, and restores what the application has set.
  void record(VkCommandBuffer commands, const CommandState& state,
              const VkDataGraphPipelineDispatchInfoARM* info) const;

 private:
  struct Connection {
    std::uint32_t set = 0, binding = 0;
    VkImageLayout layout = VK_IMAGE_LAYOUT_GENERAL;
  };
  bool read(const VkDataGraphPipelineCreateInfoARM& info, const VkDataGraphPipelineSingleNodeCreateInfoARM& node,
            const VkDataGraphPipelineOpticalFlowCreateInfoARM& flow, Diagnostics& diagnostics);
  VkResult make_pipeline(VkFormat format, VkPipelineCache cache, VkPipelineCreateFlags flags);

  const LayerDevice& device_;
  std::array<std::optional<Connection>, 5> images_;  // by model::FlowImage
  std::uint32_t grid_ = 1, width_ = 0, height_ = 0;
  model::FlowSpeed speed_ = model::FlowSpeed::Medium;
  VkSampler sampler_ = VK_NULL_HANDLE;
  VkDescriptorSetLayout set_layout_ = VK_NULL_HANDLE;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkPipeline pipeline_ = VK_NULL_HANDLE;
};

}  // namespace slipway::layer
