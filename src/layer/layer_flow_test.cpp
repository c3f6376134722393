// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Optical flow through the layer: queries, nodes, results, and the state around it.
#include <gmock/gmock.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "shader/compile.hpp"
#include "tensor/float16.hpp"
#include "testing/layer_fixture.hpp"

namespace slipway::layer {
namespace {

using conformance::flow_info;
using testing::AppImage;
using testing::AppTensor;
using ::testing::Contains;
using testing::contents;
using ::testing::ElementsAre;
using testing::fill;
using ::testing::HasSubstr;
using testing::must;

constexpr int kSize = conformance::kFlowSide;
constexpr int kMovedX = 3, kMovedY = -2;

std::uint8_t texel(int x, int y) {
  if (x < 0 || y < 0 || x >= kSize || y >= kSize) return 0;
  return static_cast<std::uint8_t>((static_cast<unsigned>(y * kSize + x) * 2654435761u) >> 13);
}

struct Flow {
  std::vector<std::pair<int, int>> vectors;
  std::vector<int> costs;
};

// The same search, written once more: rings around the hint, each from its corner at the left.
Flow expected_flow(int grid, int radius, std::pair<int, int> hint) {
  const int block = std::max(grid, 8), cells = kSize / grid;
  Flow flow;
  for (int cell = 0; cell < cells * cells; ++cell) {
    const int left = cell % cells * grid - (block - grid) / 2, top = cell / cells * grid - (block - grid) / 2;
    const auto difference = [&](int dx, int dy) {
      int sum = 0;
      for (int y = top; y < top + block; ++y) {
        for (int x = left; x < left + block; ++x) {
          const bool inside = x >= 0 && y >= 0 && x < kSize && y < kSize;
          sum += std::abs(texel(x + dx, y + dy) - (inside ? texel(x + kMovedX, y + kMovedY) : 0));
        }
      }
      return sum;
    };
    std::pair<int, int> best = hint;
    int least = difference(hint.first, hint.second);
    const auto look = [&](int x, int y) {
      const int sum = difference(hint.first + x, hint.second + y);
      if (sum >= least) return;
      least = sum;
      best = {hint.first + x, hint.second + y};
    };
    for (int ring = 1; ring <= radius; ++ring) {
      for (int i = -ring; i < ring; ++i) look(i, ring);
      for (int i = -ring; i < ring; ++i) look(ring, -i);
      for (int i = -ring; i < ring; ++i) look(-i, -ring);
      for (int i = -ring; i < ring; ++i) look(-ring, i);
    }
    flow.vectors.push_back(best);
    flow.costs.push_back(std::min(least, 65535));
  }
  return flow;
}

class LayerFlow : public testing::LayerTest, public ::testing::WithParamInterface<testing::Validation> {
 protected:
  LayerFlow() : LayerTest(GetParam()) {
    extensions_ = {VK_ARM_DATA_GRAPH_OPTICAL_FLOW_EXTENSION_NAME};
    features_ = {reinterpret_cast<VkBaseOutStructure*>(&feature_)};
  }

  void SetUp() override {
    LayerTest::SetUp();
    if (IsSkipped()) return;
    static_cast<void>(device());
    if (feature_.dataGraphOpticalFlow == VK_FALSE) GTEST_SKIP() << "no optical flow";
  }

  AppImage image(VkFormat format, std::uint32_t side, std::uint32_t texel_size,
                 VkDataGraphOpticalFlowImageUsageFlagsARM usage) {
    return conformance::flow_image(*this, format, side, texel_size, usage);
  }
  void upload(VkCommandBuffer commands, const AppImage& to) { conformance::upload(*this, commands, to); }
  void download(VkCommandBuffer commands, const AppImage& from) { conformance::download(*this, commands, from); }
  VkDescriptorSetLayout flow_layout(bool after_bind = false) { return conformance::flow_layout(*this, after_bind); }
  VkDescriptorSet flow_set(VkDescriptorSetLayout layout, const std::vector<const AppImage*>& images) {
    return conformance::flow_set(*this, layout, images);
  }
  VkResult create_flow(const VkDataGraphPipelineOpticalFlowCreateInfoARM& flow, VkPipelineLayout layout,
                       VkPipeline& made) {
    return conformance::create_flow(*this, flow, layout, made);
  }

  VkPhysicalDeviceDataGraphOpticalFlowFeaturesARM feature_{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DATA_GRAPH_OPTICAL_FLOW_FEATURES_ARM};
};
INSTANTIATE_TEST_SUITE_P(Validation, LayerFlow,
                         ::testing::Values(testing::Validation::AboveLayer, testing::Validation::BelowLayer),
                         [](const auto& test) {
                           return test.param == testing::Validation::AboveLayer ? "Above" : "Below";
                         });

VkQueueFamilyDataGraphPropertiesARM flow_operation() {
  VkQueueFamilyDataGraphPropertiesARM operation{.sType = VK_STRUCTURE_TYPE_QUEUE_FAMILY_DATA_GRAPH_PROPERTIES_ARM};
  operation.operation.operationType = VK_PHYSICAL_DEVICE_DATA_GRAPH_OPERATION_TYPE_OPTICAL_FLOW_ARM;
  std::strcpy(operation.operation.name, "OpticalFlow");
  return operation;
}

TEST_P(LayerFlow, IsQueried) {
  VkQueueFamilyDataGraphOpticalFlowPropertiesARM properties{
      .sType = VK_STRUCTURE_TYPE_QUEUE_FAMILY_DATA_GRAPH_OPTICAL_FLOW_PROPERTIES_ARM};
  const VkQueueFamilyDataGraphPropertiesARM operation = flow_operation();
  MUST(instance_functions().vkGetPhysicalDeviceQueueFamilyDataGraphEngineOperationPropertiesARM(
      physical(), family(), &operation, reinterpret_cast<VkBaseOutStructure*>(&properties)));
  EXPECT_EQ(properties.supportedOutputGridSizes, 0xfu);
  EXPECT_EQ(properties.supportedHintGridSizes, 0xfu);
  EXPECT_TRUE(properties.hintSupported && properties.costSupported);
  EXPECT_EQ(properties.minWidth, 64u);
  EXPECT_EQ(properties.maxHeight, 8192u);
  const auto formats = [&](VkDataGraphOpticalFlowImageUsageFlagsARM usage) {
    const VkDataGraphOpticalFlowImageFormatInfoARM info{
        .sType = VK_STRUCTURE_TYPE_DATA_GRAPH_OPTICAL_FLOW_IMAGE_FORMAT_INFO_ARM, .usage = usage};
    std::uint32_t count = 0;
    MUST(instance_functions().vkGetPhysicalDeviceQueueFamilyDataGraphOpticalFlowImageFormatsARM(
        physical(), family(), &operation, &info, &count, nullptr));
    std::vector<VkDataGraphOpticalFlowImageFormatPropertiesARM> all(
        count, {.sType = VK_STRUCTURE_TYPE_DATA_GRAPH_OPTICAL_FLOW_IMAGE_FORMAT_PROPERTIES_ARM});
    MUST(instance_functions().vkGetPhysicalDeviceQueueFamilyDataGraphOpticalFlowImageFormatsARM(
        physical(), family(), &operation, &info, &count, all.data()));
    std::vector<VkFormat> found;
    for (const auto& one : all) found.push_back(one.format);
    return found;
  };
  EXPECT_THAT(formats(VK_DATA_GRAPH_OPTICAL_FLOW_IMAGE_USAGE_INPUT_BIT_ARM), Contains(VK_FORMAT_R8_UNORM));
  EXPECT_THAT(formats(VK_DATA_GRAPH_OPTICAL_FLOW_IMAGE_USAGE_OUTPUT_BIT_ARM), ElementsAre(VK_FORMAT_R16G16_SFLOAT));
  EXPECT_THAT(formats(VK_DATA_GRAPH_OPTICAL_FLOW_IMAGE_USAGE_HINT_BIT_ARM), ElementsAre(VK_FORMAT_R16G16_SFLOAT));
  EXPECT_THAT(formats(VK_DATA_GRAPH_OPTICAL_FLOW_IMAGE_USAGE_COST_BIT_ARM), ElementsAre(VK_FORMAT_R16_UINT));
  EXPECT_THAT(formats(VK_DATA_GRAPH_OPTICAL_FLOW_IMAGE_USAGE_COST_BIT_ARM |
                      VK_DATA_GRAPH_OPTICAL_FLOW_IMAGE_USAGE_INPUT_BIT_ARM),
              ElementsAre());
  VkFormatProperties3 more{.sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3};
  VkFormatProperties2 format{.sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2, .pNext = &more};
  instance_functions().vkGetPhysicalDeviceFormatProperties2(physical(), VK_FORMAT_R16_UINT, &format);
  EXPECT_NE(more.optimalTilingFeatures & VK_FORMAT_FEATURE_2_DATA_GRAPH_OPTICAL_FLOW_COST_BIT_ARM, 0u);
}

TEST_P(LayerFlow, IsThatOfScenarios) {
  struct Variant {
    VkFormat format;
    std::uint32_t components, grid;
    VkDataGraphOpticalFlowPerformanceLevelARM level;
    std::optional<std::pair<int, int>> hint;
    std::uint32_t mean;
    int radius;  // that follows
  };
  constexpr auto fast = VK_DATA_GRAPH_OPTICAL_FLOW_PERFORMANCE_LEVEL_FAST_ARM;
  constexpr auto unknown = VK_DATA_GRAPH_OPTICAL_FLOW_PERFORMANCE_LEVEL_UNKNOWN_ARM;
  for (const Variant& variant : {Variant{VK_FORMAT_R8_UNORM, 1, 8, fast, std::nullopt, 0, 4},
                                 Variant{VK_FORMAT_R8_UNORM, 1, 4, fast, {{2, -1}}, 0, 4},
                                 Variant{VK_FORMAT_R8G8B8A8_UNORM, 4, 8, unknown, std::nullopt, 0, 8},
                                 Variant{VK_FORMAT_R8_UNORM, 1, 8, fast, std::nullopt, 3, 6}}) {
    const std::uint32_t cells = kSize / variant.grid;
    const AppImage input = image(variant.format, kSize, variant.components,
                                 VK_DATA_GRAPH_OPTICAL_FLOW_IMAGE_USAGE_INPUT_BIT_ARM),
                   reference = image(variant.format, kSize, variant.components,
                                     VK_DATA_GRAPH_OPTICAL_FLOW_IMAGE_USAGE_INPUT_BIT_ARM),
                   flow =
                       image(VK_FORMAT_R16G16_SFLOAT, cells, 4, VK_DATA_GRAPH_OPTICAL_FLOW_IMAGE_USAGE_OUTPUT_BIT_ARM),
                   cost = image(VK_FORMAT_R16_UINT, cells, 2, VK_DATA_GRAPH_OPTICAL_FLOW_IMAGE_USAGE_COST_BIT_ARM),
                   hint = image(VK_FORMAT_R16G16_SFLOAT, cells, 4, VK_DATA_GRAPH_OPTICAL_FLOW_IMAGE_USAGE_HINT_BIT_ARM);
    for (int i = 0; i < kSize * kSize; ++i) {
      for (std::uint32_t c = 0; c < variant.components; ++c) {
        const std::size_t at = static_cast<std::size_t>(i) * variant.components + c;
        reference.mapped[at] = std::byte{texel(i % kSize, i / kSize)};
        input.mapped[at] = std::byte{texel(i % kSize + kMovedX, i / kSize + kMovedY)};
      }
    }
    const std::pair<int, int> by = variant.hint.value_or(std::pair(0, 0));
    const tensor::Float16 half[] = {static_cast<tensor::Float16>(by.first), static_cast<tensor::Float16>(by.second)};
    for (std::size_t i = 0; i < std::size_t{cells} * cells; ++i) std::memcpy(hint.mapped + 4 * i, half, 4);
    const VkDescriptorSetLayout sets = flow_layout();
    const VkPipelineLayout layout = pipeline_layout(sets);
    VkPipeline pipeline = VK_NULL_HANDLE;
    VkDataGraphOpticalFlowCreateFlagsARM flags = VK_DATA_GRAPH_OPTICAL_FLOW_CREATE_ENABLE_COST_BIT_ARM;
    if (variant.hint) flags |= VK_DATA_GRAPH_OPTICAL_FLOW_CREATE_ENABLE_HINT_BIT_ARM;
    MUST(create_flow(flow_info(variant.format, variant.grid, variant.level, flags), layout, pipeline));
    at_end([=, this] { vk().vkDestroyPipeline(device(), pipeline, nullptr); });
    const VkDataGraphPipelineSessionARM made = session(pipeline, nullptr);
    const VkDescriptorSet set = flow_set(sets, {&input, &reference, &flow, &cost, &hint});
    run([&](VkCommandBuffer commands) {
      for (const AppImage* one : {&input, &reference, &flow, &cost, &hint}) upload(commands, *one);
      vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_DATA_GRAPH_ARM, pipeline);
      vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_DATA_GRAPH_ARM, layout, 0, 1, &set, 0, nullptr);
      VkDataGraphPipelineOpticalFlowDispatchInfoARM of{
          .sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_OPTICAL_FLOW_DISPATCH_INFO_ARM,
          .flags = VK_DATA_GRAPH_OPTICAL_FLOW_EXECUTE_DISABLE_TEMPORAL_HINTS_BIT_ARM,
          .meanFlowL1NormHint = variant.mean};
      const VkDataGraphPipelineDispatchInfoARM info{.sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_DISPATCH_INFO_ARM,
                                                    .pNext = &of};
      vk().vkCmdDispatchDataGraphARM(commands, made, variant.mean != 0 ? &info : nullptr);
      for (const AppImage* one : {&flow, &cost}) download(commands, *one);
    });
    const Flow expected = expected_flow(static_cast<int>(variant.grid), variant.radius, by);
    for (std::size_t i = 0; i < expected.vectors.size(); ++i) {
      tensor::Float16 vector[2];
      std::uint16_t found_cost = 0;
      std::memcpy(vector, flow.mapped + 4 * i, 4);
      std::memcpy(&found_cost, cost.mapped + 2 * i, 2);
      EXPECT_EQ(std::pair(static_cast<int>(vector[0]), static_cast<int>(vector[1])), expected.vectors[i]) << i;
      EXPECT_EQ(found_cost, expected.costs[i]) << i;
    }
    EXPECT_THAT(expected.vectors, Contains(std::pair(kMovedX, kMovedY)));
  }
}

// A compute shader with sets, pushed descriptors and push constants goes on after an optical flow.
TEST_P(LayerFlow, RestoresTheStateAroundIt) {
  const AppImage input = image(VK_FORMAT_R8_UNORM, kSize, 1, VK_DATA_GRAPH_OPTICAL_FLOW_IMAGE_USAGE_INPUT_BIT_ARM),
                 flow = image(VK_FORMAT_R16G16_SFLOAT, 8, 4, VK_DATA_GRAPH_OPTICAL_FLOW_IMAGE_USAGE_OUTPUT_BIT_ARM);
  const VkDescriptorSetLayout sets = flow_layout();
  const VkPipelineLayout layout = pipeline_layout(sets);
  VkPipeline pipeline = VK_NULL_HANDLE;
  MUST(create_flow(flow_info(VK_FORMAT_R8_UNORM, 8, VK_DATA_GRAPH_OPTICAL_FLOW_PERFORMANCE_LEVEL_FAST_ARM, 0), layout,
                   pipeline));
  at_end([=, this] { vk().vkDestroyPipeline(device(), pipeline, nullptr); });
  const VkDataGraphPipelineSessionARM made = session(pipeline, nullptr);
  const VkDescriptorSet set = flow_set(sets, {&input, &input, &flow});
  const auto compiled = shader::compile(
      make_source("t.comp",
                  "#version 460\n#extension GL_ARM_tensors : require\n"
                  "layout(set = 0, binding = 0) uniform tensorARM<int, 1> x;\n"
                  "layout(set = 0, binding = 1) uniform tensorARM<int, 1> y;\n"
                  "layout(push_constant) uniform P { int by; };\n"
                  "void main() { int v; tensorReadARM(x, uint[](0), v); tensorWriteARM(y, uint[](0), v + by); }\n"),
      shader::Language::Glsl);
  ASSERT_TRUE(compiled);
  for (const bool pushed : {false, true}) {
    const AppTensor x = tensor(VK_FORMAT_R32_SINT, {1}), y = tensor(VK_FORMAT_R32_SINT, {1});
    fill(x, std::vector<std::int32_t>{30});
    fill(y, std::vector<std::int32_t>{0});
    const VkDescriptorSetLayout tensors =
        tensor_layout(2, pushed ? VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR : 0);
    const VkPipelineLayout own = pipeline_layout(tensors, 4);
    const VkPipeline shader = compute_pipeline(compiled->words, own);
    const VkDescriptorSet tensor_set = pushed ? VK_NULL_HANDLE : descriptor_set(tensors, {&x, &y});
    run([&](VkCommandBuffer commands) {
      const std::int32_t by = 12;
      upload(commands, input);
      upload(commands, flow);
      vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, shader);
      vk().vkCmdPushConstants(commands, own, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, &by);
      if (pushed) {
        for (std::uint32_t i = 0; i < 2; ++i) {
          const VkWriteDescriptorSetTensorARM view{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_TENSOR_ARM,
                                                   .tensorViewCount = 1,
                                                   .pTensorViews = i == 0 ? &x.view : &y.view};
          const VkWriteDescriptorSet write{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                           .pNext = &view,
                                           .dstBinding = i,
                                           .descriptorCount = 1,
                                           .descriptorType = VK_DESCRIPTOR_TYPE_TENSOR_ARM};
          vk().vkCmdPushDescriptorSetKHR(commands, VK_PIPELINE_BIND_POINT_COMPUTE, own, 0, 1, &write);
        }
      } else {
        vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, own, 0, 1, &tensor_set, 0, nullptr);
      }
      vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_DATA_GRAPH_ARM, pipeline);
      vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_DATA_GRAPH_ARM, layout, 0, 1, &set, 0, nullptr);
      vk().vkCmdDispatchDataGraphARM(commands, made, nullptr);
      vk().vkCmdDispatch(commands, 1, 1, 1);
    });
    EXPECT_THAT(contents<std::int32_t>(y), ElementsAre(42)) << pushed;
  }
}

// Programs that were written for other implementations enable the extension and not its feature.
TEST_P(LayerFlow, TheExtensionIsEnough) {
  if (GetParam() == testing::Validation::AboveLayer) GTEST_SKIP() << "the validation layer reports it";
  stop();
  features_.clear();
  start();
  VkPipeline made = VK_NULL_HANDLE;
  EXPECT_EQ(create_flow(flow_info(VK_FORMAT_R8_UNORM, 8, VK_DATA_GRAPH_OPTICAL_FLOW_PERFORMANCE_LEVEL_FAST_ARM, 0),
                        pipeline_layout(flow_layout()), made),
            VK_SUCCESS);
  vk().vkDestroyPipeline(device(), made, nullptr);
  EXPECT_THAT(take_messages(), ElementsAre(HasSubstr("the feature `dataGraphOpticalFlow` is used")));
}

TEST_P(LayerFlow, WhatIsNotOfferedIsRefused) {
  if (GetParam() == testing::Validation::AboveLayer) GTEST_SKIP() << "the validation layer reports it";
  const VkPipelineLayout layout = pipeline_layout(flow_layout());
  constexpr auto fast = VK_DATA_GRAPH_OPTICAL_FLOW_PERFORMANCE_LEVEL_FAST_ARM;
  const auto refused = [&](const VkDataGraphPipelineOpticalFlowCreateInfoARM& info, const std::string& why) {
    VkPipeline made = VK_NULL_HANDLE;
    EXPECT_EQ(create_flow(info, layout, made), VK_ERROR_INITIALIZATION_FAILED);
    EXPECT_EQ(made, VkPipeline{VK_NULL_HANDLE});
    EXPECT_THAT(take_messages(), ElementsAre(HasSubstr(why)));
  };
  auto info = flow_info(VK_FORMAT_R8_UNORM, 8, fast, 0);
  info.width = 63;
  refused(info, "an optical flow of 63 x 64 pixels; a side has 64 to 8192");
  refused(flow_info(VK_FORMAT_R8_UNORM, 3, fast, 0), "with the grid size 0x3");
  refused(flow_info(VK_FORMAT_R8G8_UNORM, 8, fast, 0), "of formats that");
  info = flow_info(VK_FORMAT_R8_UNORM, 8, fast, VK_DATA_GRAPH_OPTICAL_FLOW_CREATE_ENABLE_HINT_BIT_ARM);
  info.hintGridSize = 4;
  refused(info, "whose hint has another grid");
  const VkPipelineLayout after_bind = pipeline_layout(flow_layout(true));
  VkPipeline made = VK_NULL_HANDLE;
  EXPECT_EQ(create_flow(flow_info(VK_FORMAT_R8_UNORM, 8, fast, 0), after_bind, made), VK_ERROR_INITIALIZATION_FAILED);
  EXPECT_THAT(take_messages(), ElementsAre(HasSubstr("whose image at set 0, binding 0 is updated after it is bound")));
}

}  // namespace
}  // namespace slipway::layer
