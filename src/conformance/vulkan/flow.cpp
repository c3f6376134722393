// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "conformance/vulkan/flow.hpp"

namespace slipway::conformance {

AppImage flow_image(Application& app, VkFormat format, std::uint32_t side, std::uint32_t texel_size,
                    VkDataGraphOpticalFlowImageUsageFlagsARM usage) {
  AppImage made{.side = side, .texel_size = texel_size};
  const bool is_read = (usage & (VK_DATA_GRAPH_OPTICAL_FLOW_IMAGE_USAGE_INPUT_BIT_ARM |
                                 VK_DATA_GRAPH_OPTICAL_FLOW_IMAGE_USAGE_HINT_BIT_ARM)) != 0;
  const VkDataGraphOpticalFlowImageFormatInfoARM flow{
      .sType = VK_STRUCTURE_TYPE_DATA_GRAPH_OPTICAL_FLOW_IMAGE_FORMAT_INFO_ARM, .usage = usage};
  const VkImageCreateInfo create{
      .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
      .pNext = &flow,
      .imageType = VK_IMAGE_TYPE_2D,
      .format = format,
      .extent = {side, side, 1},
      .mipLevels = 1,
      .arrayLayers = 1,
      .samples = VK_SAMPLE_COUNT_1_BIT,
      .usage = VkImageUsageFlags{is_read ? VK_IMAGE_USAGE_SAMPLED_BIT : VK_IMAGE_USAGE_STORAGE_BIT} |
               VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT};
  MUST(app.vk().vkCreateImage(app.device(), &create, nullptr, &made.image));
  app.at_end([&app, image = made.image] { app.vk().vkDestroyImage(app.device(), image, nullptr); });
  VkMemoryRequirements needs{};
  app.vk().vkGetImageMemoryRequirements(app.device(), made.image, &needs);
  MUST(app.vk().vkBindImageMemory(app.device(), made.image, app.memory(needs), 0));
  const VkImageViewCreateInfo view{.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                   .image = made.image,
                                   .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                   .format = format,
                                   .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
  MUST(app.vk().vkCreateImageView(app.device(), &view, nullptr, &made.view));
  app.at_end([&app, view = made.view] { app.vk().vkDestroyImageView(app.device(), view, nullptr); });
  const VkBufferCreateInfo buffer{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                  .size = VkDeviceSize{side} * side * texel_size,
                                  .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT};
  MUST(app.vk().vkCreateBuffer(app.device(), &buffer, nullptr, &made.buffer));
  app.at_end([&app, buffer = made.buffer] { app.vk().vkDestroyBuffer(app.device(), buffer, nullptr); });
  app.vk().vkGetBufferMemoryRequirements(app.device(), made.buffer, &needs);
  MUST(app.vk().vkBindBufferMemory(app.device(), made.buffer, app.memory(needs, &made.mapped), 0));
  std::memset(made.mapped, 0, buffer.size);
  return made;
}

static void barrier(Application& app, VkCommandBuffer commands, const AppImage& of, VkImageLayout from,
                    VkImageLayout to) {
  const VkImageMemoryBarrier2 barrier{
      .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2,
      .srcStageMask = VK_PIPELINE_STAGE_2_DATA_GRAPH_BIT_ARM | VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
      .srcAccessMask = VK_ACCESS_2_DATA_GRAPH_WRITE_BIT_ARM | VK_ACCESS_2_TRANSFER_WRITE_BIT,
      .dstStageMask = VK_PIPELINE_STAGE_2_DATA_GRAPH_BIT_ARM | VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
      .dstAccessMask = VK_ACCESS_2_DATA_GRAPH_READ_BIT_ARM | VK_ACCESS_2_DATA_GRAPH_WRITE_BIT_ARM |
                       VK_ACCESS_2_TRANSFER_READ_BIT | VK_ACCESS_2_TRANSFER_WRITE_BIT,
      .oldLayout = from,
      .newLayout = to,
      .image = of.image,
      .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
  const VkDependencyInfo info{
      .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO, .imageMemoryBarrierCount = 1, .pImageMemoryBarriers = &barrier};
  app.vk().vkCmdPipelineBarrier2(commands, &info);
}

void upload(Application& app, VkCommandBuffer commands, const AppImage& to) {
  barrier(app, commands, to, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
  const VkBufferImageCopy region{.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                 .imageExtent = {to.side, to.side, 1}};
  app.vk().vkCmdCopyBufferToImage(commands, to.buffer, to.image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
  barrier(app, commands, to, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL);
}
void download(Application& app, VkCommandBuffer commands, const AppImage& from) {
  barrier(app, commands, from, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL);
  const VkBufferImageCopy region{.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                 .imageExtent = {from.side, from.side, 1}};
  app.vk().vkCmdCopyImageToBuffer(commands, from.image, VK_IMAGE_LAYOUT_GENERAL, from.buffer, 1, &region);
}

VkDescriptorSetLayout flow_layout(Application& app, bool after_bind) {
  const std::vector<VkDescriptorBindingFlags> flags(5, VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT);
  const VkDescriptorSetLayoutBindingFlagsCreateInfo more{
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
      .bindingCount = 5,
      .pBindingFlags = flags.data()};
  std::vector<VkDescriptorSetLayoutBinding> bindings;
  for (std::uint32_t i = 0; i < 5; ++i) {
    const bool written = i == 2 || i == 3;
    bindings.push_back({i, written ? VK_DESCRIPTOR_TYPE_STORAGE_IMAGE : VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 1,
                        VK_SHADER_STAGE_ALL, nullptr});
  }
  const VkDescriptorSetLayoutCreateInfo create{
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
      .pNext = after_bind ? &more : nullptr,
      .flags =
          after_bind ? VkDescriptorSetLayoutCreateFlags{VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT} : 0,
      .bindingCount = 5,
      .pBindings = bindings.data()};
  VkDescriptorSetLayout made = VK_NULL_HANDLE;
  MUST(app.vk().vkCreateDescriptorSetLayout(app.device(), &create, nullptr, &made));
  app.at_end([=, &app] { app.vk().vkDestroyDescriptorSetLayout(app.device(), made, nullptr); });
  return made;
}

VkDescriptorSet flow_set(Application& app, VkDescriptorSetLayout layout, const std::vector<const AppImage*>& images) {
  const VkDescriptorSet made = app.allocate_set(
      app.descriptor_pool({{VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 3}, {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 2}}), layout);
  for (std::uint32_t i = 0; i < images.size(); ++i) {
    if (images[i] == nullptr) continue;
    const VkDescriptorImageInfo info{.imageView = images[i]->view, .imageLayout = VK_IMAGE_LAYOUT_GENERAL};
    const VkWriteDescriptorSet write{
        .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
        .dstSet = made,
        .dstBinding = i,
        .descriptorCount = 1,
        .descriptorType = i == 2 || i == 3 ? VK_DESCRIPTOR_TYPE_STORAGE_IMAGE : VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
        .pImageInfo = &info};
    app.vk().vkUpdateDescriptorSets(app.device(), 1, &write, 0, nullptr);
  }
  return made;
}

VkResult create_flow(Application& app, const VkDataGraphPipelineOpticalFlowCreateInfoARM& flow, VkPipelineLayout layout,
                     VkPipeline& made) {
  std::vector<VkDataGraphPipelineSingleNodeConnectionARM> connections;
  std::vector<VkDataGraphPipelineResourceInfoARM> resources;
  const VkDataGraphPipelineResourceInfoImageLayoutARM general{
      .sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_RESOURCE_INFO_IMAGE_LAYOUT_ARM, .layout = VK_IMAGE_LAYOUT_GENERAL};
  const auto connect = [&](std::uint32_t binding, VkDataGraphPipelineNodeConnectionTypeARM as) {
    connections.push_back({.sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_SINGLE_NODE_CONNECTION_ARM,
                           .binding = binding,
                           .connection = as});
    resources.push_back(
        {.sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_RESOURCE_INFO_ARM, .pNext = &general, .binding = binding});
  };
  connect(0, VK_DATA_GRAPH_PIPELINE_NODE_CONNECTION_TYPE_OPTICAL_FLOW_INPUT_ARM);
  connect(1, VK_DATA_GRAPH_PIPELINE_NODE_CONNECTION_TYPE_OPTICAL_FLOW_REFERENCE_ARM);
  connect(2, VK_DATA_GRAPH_PIPELINE_NODE_CONNECTION_TYPE_OPTICAL_FLOW_FLOW_VECTOR_ARM);
  if ((flow.flags & VK_DATA_GRAPH_OPTICAL_FLOW_CREATE_ENABLE_COST_BIT_ARM) != 0)
    connect(3, VK_DATA_GRAPH_PIPELINE_NODE_CONNECTION_TYPE_OPTICAL_FLOW_COST_ARM);
  if ((flow.flags & VK_DATA_GRAPH_OPTICAL_FLOW_CREATE_ENABLE_HINT_BIT_ARM) != 0)
    connect(4, VK_DATA_GRAPH_PIPELINE_NODE_CONNECTION_TYPE_OPTICAL_FLOW_HINT_ARM);
  VkDataGraphPipelineOpticalFlowCreateInfoARM info = flow;
  const VkDataGraphPipelineSingleNodeCreateInfoARM node{
      .sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_SINGLE_NODE_CREATE_INFO_ARM,
      .pNext = &info,
      .nodeType = VK_DATA_GRAPH_PIPELINE_NODE_TYPE_OPTICAL_FLOW_ARM,
      .connectionCount = static_cast<std::uint32_t>(connections.size()),
      .pConnections = connections.data()};
  const VkDataGraphPipelineCreateInfoARM create{.sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_CREATE_INFO_ARM,
                                                .pNext = &node,
                                                .layout = layout,
                                                .resourceInfoCount = static_cast<std::uint32_t>(resources.size()),
                                                .pResourceInfos = resources.data()};
  return app.vk().vkCreateDataGraphPipelinesARM(app.device(), VK_NULL_HANDLE, VK_NULL_HANDLE, 1, &create, nullptr,
                                                &made);
}

VkDataGraphPipelineOpticalFlowCreateInfoARM flow_info(VkFormat format, std::uint32_t grid,
                                                      VkDataGraphOpticalFlowPerformanceLevelARM level,
                                                      VkDataGraphOpticalFlowCreateFlagsARM flags) {
  return {.sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_OPTICAL_FLOW_CREATE_INFO_ARM,
          .width = kFlowSide,
          .height = kFlowSide,
          .imageFormat = format,
          .flowVectorFormat = VK_FORMAT_R16G16_SFLOAT,
          .costFormat = VK_FORMAT_R16_UINT,
          .outputGridSize = grid,
          .hintGridSize = (flags & VK_DATA_GRAPH_OPTICAL_FLOW_CREATE_ENABLE_HINT_BIT_ARM) != 0 ? grid : 0,
          .performanceLevel = level,
          .flags = flags};
}

}  // namespace slipway::conformance
