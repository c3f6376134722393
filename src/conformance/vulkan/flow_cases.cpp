// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The suite `optical_flow`: VK_ARM_data_graph_optical_flow. How a device searches is its own; what it finds for an
// image that has moved is not.
#include <cstdlib>

#include "base/format.hpp"
#include "conformance/vulkan/api_cases.hpp"
#include "conformance/vulkan/flow.hpp"
#include "tensor/float16.hpp"

namespace slipway::conformance {
namespace {

constexpr int kMovedX = 3, kMovedY = -2;

// Noise, so that only the right motion fits; 0 outside.
std::uint8_t texel(int x, int y) {
  if (x < 0 || y < 0 || x >= kFlowSide || y >= kFlowSide) return 0;
  return static_cast<std::uint8_t>((static_cast<unsigned>(y * kFlowSide + x) * 2654435761u) >> 13);
}

VkQueueFamilyDataGraphPropertiesARM flow_operation() {
  VkQueueFamilyDataGraphPropertiesARM operation{.sType = VK_STRUCTURE_TYPE_QUEUE_FAMILY_DATA_GRAPH_PROPERTIES_ARM};
  operation.operation.operationType = VK_PHYSICAL_DEVICE_DATA_GRAPH_OPERATION_TYPE_OPTICAL_FLOW_ARM;
  std::strcpy(operation.operation.name, "OpticalFlow");
  return operation;
}

VkQueueFamilyDataGraphOpticalFlowPropertiesARM properties_of(Application& app) {
  VkQueueFamilyDataGraphOpticalFlowPropertiesARM properties{
      .sType = VK_STRUCTURE_TYPE_QUEUE_FAMILY_DATA_GRAPH_OPTICAL_FLOW_PROPERTIES_ARM};
  const VkQueueFamilyDataGraphPropertiesARM operation = flow_operation();
  MUST(app.instance_functions().vkGetPhysicalDeviceQueueFamilyDataGraphEngineOperationPropertiesARM(
      app.physical(), app.family(), &operation, reinterpret_cast<VkBaseOutStructure*>(&properties)));
  return properties;
}

std::vector<VkFormat> formats_for(Application& app, VkDataGraphOpticalFlowImageUsageFlagsARM usage) {
  const VkQueueFamilyDataGraphPropertiesARM operation = flow_operation();
  const VkDataGraphOpticalFlowImageFormatInfoARM info{
      .sType = VK_STRUCTURE_TYPE_DATA_GRAPH_OPTICAL_FLOW_IMAGE_FORMAT_INFO_ARM, .usage = usage};
  std::uint32_t count = 0;
  const auto& vk = app.instance_functions();
  MUST(vk.vkGetPhysicalDeviceQueueFamilyDataGraphOpticalFlowImageFormatsARM(app.physical(), app.family(), &operation,
                                                                            &info, &count, nullptr));
  std::vector<VkDataGraphOpticalFlowImageFormatPropertiesARM> all(
      count, {.sType = VK_STRUCTURE_TYPE_DATA_GRAPH_OPTICAL_FLOW_IMAGE_FORMAT_PROPERTIES_ARM});
  MUST(vk.vkGetPhysicalDeviceQueueFamilyDataGraphOpticalFlowImageFormatsARM(app.physical(), app.family(), &operation,
                                                                            &info, &count, all.data()));
  std::vector<VkFormat> found;
  for (const auto& one : all) found.push_back(one.format);
  return found;
}

// `feature` must live as long as the device.
void start(Application& app, VkPhysicalDeviceDataGraphOpticalFlowFeaturesARM& feature) {
  app.restart_with(VK_ARM_DATA_GRAPH_OPTICAL_FLOW_EXTENSION_NAME, reinterpret_cast<VkBaseOutStructure*>(&feature));
  if (feature.dataGraphOpticalFlow == VK_FALSE) throw Lacking("the device lacks dataGraphOpticalFlow");
}

void is_queried(Application& app, Checks& checks) {
  VkPhysicalDeviceDataGraphOpticalFlowFeaturesARM feature{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DATA_GRAPH_OPTICAL_FLOW_FEATURES_ARM};
  start(app, feature);
  const auto properties = properties_of(app);
  checks.expect(properties.supportedOutputGridSizes != 0, "there is no size of a grid");
  checks.expect(properties.minWidth <= properties.maxWidth && properties.minHeight <= properties.maxHeight,
                "the minimum of a size is more than its maximum");
  for (const auto usage :
       {VK_DATA_GRAPH_OPTICAL_FLOW_IMAGE_USAGE_INPUT_BIT_ARM, VK_DATA_GRAPH_OPTICAL_FLOW_IMAGE_USAGE_OUTPUT_BIT_ARM})
    checks.expect(!formats_for(app, usage).empty(), "there is no format of an input or an output");
  app.stop();
}

// The blocks of 8 x 8 texels of an image that has moved, far from its ends, have moved like it.
void finds_motion(std::uint32_t grid, VkDataGraphOpticalFlowPerformanceLevelARM level, Application& app,
                  Checks& checks) {
  VkPhysicalDeviceDataGraphOpticalFlowFeaturesARM feature{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DATA_GRAPH_OPTICAL_FLOW_FEATURES_ARM};
  start(app, feature);
  const auto properties = properties_of(app);
  if ((properties.supportedOutputGridSizes & grid) == 0) throw Lacking(formatted("the device lacks grids of {}", grid));
  if (properties.minWidth > kFlowSide || properties.minHeight > kFlowSide)
    throw Lacking("the device lacks optical flow of images of 64 x 64");
  const std::uint32_t cells = kFlowSide / grid;
  const AppImage input = flow_image(app, VK_FORMAT_R8_UNORM, kFlowSide, 1,
                                    VK_DATA_GRAPH_OPTICAL_FLOW_IMAGE_USAGE_INPUT_BIT_ARM),
                 reference = flow_image(app, VK_FORMAT_R8_UNORM, kFlowSide, 1,
                                        VK_DATA_GRAPH_OPTICAL_FLOW_IMAGE_USAGE_INPUT_BIT_ARM),
                 flow = flow_image(app, VK_FORMAT_R16G16_SFLOAT, cells, 4,
                                   VK_DATA_GRAPH_OPTICAL_FLOW_IMAGE_USAGE_OUTPUT_BIT_ARM);
  for (int i = 0; i < kFlowSide * kFlowSide; ++i) {
    reference.mapped[i] = std::byte{texel(i % kFlowSide, i / kFlowSide)};
    input.mapped[i] = std::byte{texel(i % kFlowSide + kMovedX, i / kFlowSide + kMovedY)};
  }
  const VkDescriptorSetLayout sets = flow_layout(app);
  const VkPipelineLayout layout = app.pipeline_layout(sets);
  VkPipeline pipeline = VK_NULL_HANDLE;
  MUST(create_flow(app, flow_info(VK_FORMAT_R8_UNORM, grid, level, 0), layout, pipeline));
  app.at_end([=, &app] { app.vk().vkDestroyPipeline(app.device(), pipeline, nullptr); });
  const VkDataGraphPipelineSessionARM made = app.session(pipeline, nullptr);
  const VkDescriptorSet set = flow_set(app, sets, {&input, &reference, &flow});
  app.run([&](VkCommandBuffer commands) {
    for (const AppImage* one : {&input, &reference, &flow}) upload(app, commands, *one);
    app.vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_DATA_GRAPH_ARM, pipeline);
    app.vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_DATA_GRAPH_ARM, layout, 0, 1, &set, 0, nullptr);
    app.vk().vkCmdDispatchDataGraphARM(commands, made, nullptr);
    download(app, commands, flow);
  });
  const int first = 16 / static_cast<int>(grid), last = static_cast<int>(cells) - first;
  int right = 0, all = 0;
  for (int y = first; y < last; ++y) {
    for (int x = first; x < last; ++x, ++all) {
      tensor::Float16 vector[2];
      std::memcpy(vector, flow.mapped + 4 * (static_cast<std::size_t>(y) * cells + static_cast<std::size_t>(x)), 4);
      const float dx = std::abs(static_cast<float>(vector[0]) - static_cast<float>(kMovedX)),
                  dy = std::abs(static_cast<float>(vector[1]) - static_cast<float>(kMovedY));
      if (dx <= 0.5f && dy <= 0.5f) ++right;
    }
  }
  checks.expect(10 * right >= 9 * all, formatted("{} of {} vectors are the motion of the image", right, all));
  app.stop();
}

}  // namespace

std::vector<ApiCase> flow_api_cases() {
  std::vector<ApiCase> cases = {{"queries/properties", is_queried}};
  constexpr std::pair<VkDataGraphOpticalFlowPerformanceLevelARM, std::string_view> kLevels[] = {
      {VK_DATA_GRAPH_OPTICAL_FLOW_PERFORMANCE_LEVEL_SLOW_ARM, "slow"},
      {VK_DATA_GRAPH_OPTICAL_FLOW_PERFORMANCE_LEVEL_MEDIUM_ARM, "medium"},
      {VK_DATA_GRAPH_OPTICAL_FLOW_PERFORMANCE_LEVEL_FAST_ARM, "fast"}};
  for (const std::uint32_t grid : {1u, 2u, 4u, 8u}) {
    for (const auto& [level, name] : kLevels) {
      cases.push_back({formatted("motion/{} {}", grid, name),
                       [grid, level](Application& app, Checks& checks) { finds_motion(grid, level, app, checks); }});
    }
  }
  return cases;
}

}  // namespace slipway::conformance
