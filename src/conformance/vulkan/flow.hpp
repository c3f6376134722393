// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Optical flow through Vulkan alone: images, nodes, descriptors.
#pragma once

#include <vector>

#include "conformance/vulkan/application.hpp"

namespace slipway::conformance {

inline constexpr int kFlowSide = 64;  // pixels

struct AppImage {
  VkImage image = VK_NULL_HANDLE;
  VkImageView view = VK_NULL_HANDLE;
  std::uint32_t side = 0, texel_size = 0;
  VkBuffer buffer = VK_NULL_HANDLE;  // with the texels
  std::byte* mapped = nullptr;
};

AppImage flow_image(Application& app, VkFormat format, std::uint32_t side, std::uint32_t texel_size,
                    VkDataGraphOpticalFlowImageUsageFlagsARM usage);
// Copies the texels of the buffer, and leaves the image in the general layout.
void upload(Application& app, VkCommandBuffer commands, const AppImage& to);
void download(Application& app, VkCommandBuffer commands, const AppImage& from);
// Bindings: 0 the input, 1 the reference, 2 the flow, 3 the cost, 4 the hint.
VkDescriptorSetLayout flow_layout(Application& app, bool after_bind = false);
// Null: nothing is bound there.
VkDescriptorSet flow_set(Application& app, VkDescriptorSetLayout layout, const std::vector<const AppImage*>& images);
VkResult create_flow(Application& app, const VkDataGraphPipelineOpticalFlowCreateInfoARM& flow, VkPipelineLayout layout,
                     VkPipeline& made);
// Of images with sides of kFlowSide.
VkDataGraphPipelineOpticalFlowCreateInfoARM flow_info(VkFormat format, std::uint32_t grid,
                                                      VkDataGraphOpticalFlowPerformanceLevelARM level,
                                                      VkDataGraphOpticalFlowCreateFlagsARM flags);

}  // namespace slipway::conformance
