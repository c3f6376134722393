// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The layer as applications use it: queries, tensors, descriptors, shaders, graphs, and the state around graphs.
#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <thread>

#include "base/print_diagnostic.hpp"
#include "shader/compile.hpp"
#include "spirv/tools.hpp"
#include "testing/layer_fixture.hpp"

namespace slipway::layer {
namespace {

using testing::AppGraph;
using testing::AppTensor;
using testing::contents;
using ::testing::ElementsAre;
using testing::fill;
using testing::graph_module;
using ::testing::HasSubstr;
using testing::LayerTest;
using testing::must;

// With the validation layer above the layer, and below it.
class LayerApi : public LayerTest, public ::testing::WithParamInterface<testing::Validation> {
 protected:
  LayerApi() : LayerTest(GetParam()) {}
};
INSTANTIATE_TEST_SUITE_P(Validation, LayerApi,
                         ::testing::Values(testing::Validation::AboveLayer, testing::Validation::BelowLayer),
                         [](const auto& test) {
                           return test.param == testing::Validation::AboveLayer ? "Above" : "Below";
                         });

spirv::Words glsl(std::string_view body) {
  const std::string text =
      "#version 460\n#extension GL_ARM_tensors : require\n"
      "#extension GL_EXT_shader_explicit_arithmetic_types : require\n" +
      std::string(body);
  const auto compiled = shader::compile(make_source("t.comp", text), shader::Language::Glsl);
  if (!compiled) ADD_FAILURE() << format_diagnostics(compiled.error());
  return compiled ? compiled->words : spirv::Words();
}

std::vector<std::int32_t> iota(std::size_t count, std::int32_t first = 0) {
  std::vector<std::int32_t> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

constexpr std::string_view kIncrement =
    "layout(set = 0, binding = 0) uniform tensorARM<int, 2> x;\n"
    "layout(set = 0, binding = 1) uniform tensorARM<int, 2> y;\n"
    "layout(push_constant) uniform P { int by; };\n"
    "void main() { for (uint i = 0; i < tensorSizeARM(x, 0); ++i) for (uint j = 0; j < tensorSizeARM(x, 1); ++j) {\n"
    "  int v; tensorReadARM(x, uint[](i, j), v); tensorWriteARM(y, uint[](i, j), v + by); } }\n";

// Two operators whose intermediate is stored, so that there is session memory.
constexpr std::string_view kProduct =
    "%0 = input i32[4, 6] at 0.0\n"
    "%1 = const i32[4, 6] graph_constant 0\n"
    "%2 = ADD(%0, %1) i32[4, 6]\n"
    "%3 = REDUCE_SUM(%2) i32[1, 6] axis=0\n"
    "%4 = ADD(%2, %3) i32[4, 6]\n"
    "output %4 at 0.1\n";

std::vector<std::int32_t> product_of(const std::vector<std::int32_t>& x, const std::vector<std::int32_t>& c) {
  std::vector<std::int32_t> y(24);
  for (std::size_t j = 0; j < 6; ++j) {
    std::int32_t sum = 0;
    for (std::size_t i = 0; i < 4; ++i) sum += x[6 * i + j] + c[6 * i + j];
    for (std::size_t i = 0; i < 4; ++i) y[6 * i + j] = x[6 * i + j] + c[6 * i + j] + sum;
  }
  return y;
}

// --- queries ---------------------------------------------------------------------------------------------------------

TEST_P(LayerApi, NamesItsExtensionsOnce) {
  std::uint32_t count = 0;
  MUST(instance_functions().vkEnumerateDeviceExtensionProperties(physical(), nullptr, &count, nullptr));
  std::vector<VkExtensionProperties> all(count);
  MUST(instance_functions().vkEnumerateDeviceExtensionProperties(physical(), nullptr, &count, all.data()));
  std::map<std::string, int> times;
  for (const VkExtensionProperties& one : all) ++times[one.extensionName];
  for (const char* name : {VK_ARM_TENSORS_EXTENSION_NAME, VK_ARM_DATA_GRAPH_EXTENSION_NAME,
                           VK_ARM_DATA_GRAPH_INSTRUCTION_SET_TOSA_EXTENSION_NAME, VK_EXT_TOOLING_INFO_EXTENSION_NAME})
    EXPECT_EQ(times[name], 1) << name;
  // A short array gets what fits.
  count = 1;
  EXPECT_EQ(instance_functions().vkEnumerateDeviceExtensionProperties(physical(), nullptr, &count, all.data()),
            VK_INCOMPLETE);
  EXPECT_EQ(count, 1u);
}

TEST_P(LayerApi, NamesItselfAsATool) {
  std::uint32_t count = 0;
  MUST(instance_functions().vkGetPhysicalDeviceToolProperties(physical(), &count, nullptr));
  std::vector<VkPhysicalDeviceToolProperties> tools(count,
                                                    {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TOOL_PROPERTIES});
  MUST(instance_functions().vkGetPhysicalDeviceToolProperties(physical(), &count, tools.data()));
  EXPECT_TRUE(std::ranges::any_of(tools, [](const VkPhysicalDeviceToolProperties& tool) {
    return std::string_view(tool.layer) == "VK_LAYER_SLIPWAY_machine_learning";
  }));
}

TEST_P(LayerApi, QueueFamiliesHaveInstructionSets) {
  std::uint32_t count = 0;
  MUST(instance_functions().vkGetPhysicalDeviceQueueFamilyDataGraphPropertiesARM(physical(), 0, &count, nullptr));
  std::vector<VkQueueFamilyDataGraphPropertiesARM> sets(
      count, {.sType = VK_STRUCTURE_TYPE_QUEUE_FAMILY_DATA_GRAPH_PROPERTIES_ARM});
  MUST(instance_functions().vkGetPhysicalDeviceQueueFamilyDataGraphPropertiesARM(physical(), 0, &count, sets.data()));
  std::vector<std::string> names;
  for (const auto& set : sets) names.emplace_back(set.operation.name);
  EXPECT_THAT(names, ElementsAre("TOSA.001000.1", "Arm.MotionEngine.100", "OpticalFlow"));
}

TEST_P(LayerApi, TensorsHaveTheShapesOfTheLimits) {
  VkPhysicalDeviceTensorPropertiesARM limits{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TENSOR_PROPERTIES_ARM};
  VkPhysicalDeviceProperties2 properties{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &limits};
  instance_functions().vkGetPhysicalDeviceProperties2(physical(), &properties);
  EXPECT_EQ(limits.maxTensorDimensionCount, 6u);
  EXPECT_GE(limits.maxDescriptorSetStorageTensors, 16u);
  tensor(VK_FORMAT_R8_SINT, std::vector<std::int64_t>(limits.maxTensorDimensionCount, 2));
  // As many descriptors of tensors as there may be.
  const std::uint32_t most =
      std::min(limits.maxDescriptorSetStorageTensors, limits.maxPerStageDescriptorSetStorageTensors);
  pipeline_layout(tensor_layout(most));
}

// --- tensors ---------------------------------------------------------------------------------------------------------

TEST_P(LayerApi, CopiesTensorsWithGaps) {
  const AppTensor from = tensor(VK_FORMAT_R32_SINT, {3, 4, 5}, {400, 64, 4}),
                  to = tensor(VK_FORMAT_R32_SINT, {3, 4, 5});
  fill(from, iota(60));
  run([&](VkCommandBuffer commands) {
    const VkTensorCopyARM region{.sType = VK_STRUCTURE_TYPE_TENSOR_COPY_ARM};
    const VkCopyTensorInfoARM info{.sType = VK_STRUCTURE_TYPE_COPY_TENSOR_INFO_ARM,
                                   .srcTensor = from.tensor,
                                   .dstTensor = to.tensor,
                                   .regionCount = 1,
                                   .pRegions = &region};
    vk().vkCmdCopyTensorARM(commands, &info);
  });
  EXPECT_EQ(contents<std::int32_t>(to), iota(60));
}

TEST_P(LayerApi, OnePipelineServesAllShapesAndStrides) {
  const VkDescriptorSetLayout sets = tensor_layout(2);
  const VkPipelineLayout layout = pipeline_layout(sets, 4);
  const VkPipeline pipeline = compute_pipeline(glsl(kIncrement), layout);
  for (const bool gaps : {false, true}) {
    const AppTensor x = tensor(VK_FORMAT_R32_SINT, {5, gaps ? 3 : 7},
                               gaps ? std::vector<std::int64_t>{20, 4} : std::vector<std::int64_t>{});
    const AppTensor y = tensor(VK_FORMAT_R32_SINT, x.shape);
    const auto count = static_cast<std::size_t>(x.shape[0] * x.shape[1]);
    fill(x, iota(count));
    const VkDescriptorSet set = descriptor_set(sets, {&x, &y});
    run([&](VkCommandBuffer commands) {
      const std::int32_t by = 10;
      vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
      vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
      vk().vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, &by);
      vk().vkCmdDispatch(commands, 1, 1, 1);
    });
    EXPECT_EQ(contents<std::int32_t>(y), iota(count, 10));
  }
}

TEST_P(LayerApi, PushedDescriptorsAndTemplatesHaveTensors) {
  // The validation layer does not know templates with tensors, and ends the process.
  if (GetParam() == testing::Validation::AboveLayer) GTEST_SKIP() << "the validation layer lacks this";
  const VkDescriptorSetLayout sets = tensor_layout(2, VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR);
  const VkPipelineLayout layout = pipeline_layout(sets, 4);
  const VkPipeline pipeline = compute_pipeline(glsl(kIncrement), layout);
  const AppTensor x = tensor(VK_FORMAT_R32_SINT, {2, 2}), y = tensor(VK_FORMAT_R32_SINT, {2, 2}),
                  z = tensor(VK_FORMAT_R32_SINT, {2, 2});
  const VkDescriptorUpdateTemplateEntry entry{0, 0, 1, VK_DESCRIPTOR_TYPE_TENSOR_ARM, 0, 8};
  const VkDescriptorUpdateTemplateEntry entries[] = {entry, {1, 0, 1, VK_DESCRIPTOR_TYPE_TENSOR_ARM, 8, 8}};
  const VkDescriptorUpdateTemplateCreateInfo create{
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO,
      .descriptorUpdateEntryCount = 2,
      .pDescriptorUpdateEntries = entries,
      .templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS_KHR,
      .pipelineBindPoint = VK_PIPELINE_BIND_POINT_COMPUTE,
      .pipelineLayout = layout};
  VkDescriptorUpdateTemplate made = VK_NULL_HANDLE;
  MUST(vk().vkCreateDescriptorUpdateTemplate(device(), &create, nullptr, &made));
  at_end([=, this] { vk().vkDestroyDescriptorUpdateTemplate(device(), made, nullptr); });
  fill(x, iota(4));
  run([&](VkCommandBuffer commands) {
    const std::int32_t by = 1;
    vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vk().vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, &by);
    std::vector<VkWriteDescriptorSetTensorARM> views(
        2, {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_TENSOR_ARM, .tensorViewCount = 1});
    views[0].pTensorViews = &x.view;
    views[1].pTensorViews = &y.view;
    std::vector<VkWriteDescriptorSet> writes(2, {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                                 .descriptorCount = 1,
                                                 .descriptorType = VK_DESCRIPTOR_TYPE_TENSOR_ARM});
    for (std::uint32_t i = 0; i < 2; ++i) {
      writes[i].pNext = &views[i];
      writes[i].dstBinding = i;
    }
    vk().vkCmdPushDescriptorSetKHR(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 2, writes.data());
    vk().vkCmdDispatch(commands, 1, 1, 1);
    full_barrier(commands);
    const VkTensorViewARM data[] = {y.view, z.view};
    vk().vkCmdPushDescriptorSetWithTemplateKHR(commands, made, layout, 0, data);
    vk().vkCmdDispatch(commands, 1, 1, 1);
  });
  EXPECT_THAT(contents<std::int32_t>(z), ElementsAre(2, 3, 4, 5));
}

TEST_P(LayerApi, ImagesAliasTensors) {
  // 5 texels a row, so that rows have gaps.
  const std::vector<std::int64_t> shape = {3, 5, 4};
  const VkTensorDescriptionARM description{
      .sType = VK_STRUCTURE_TYPE_TENSOR_DESCRIPTION_ARM,
      .tiling = VK_TENSOR_TILING_OPTIMAL_ARM,
      .format = VK_FORMAT_R8_UINT,
      .dimensionCount = 3,
      .pDimensions = shape.data(),
      .usage = VK_TENSOR_USAGE_TRANSFER_SRC_BIT_ARM | VK_TENSOR_USAGE_IMAGE_ALIASING_BIT_ARM};
  const VkTensorCreateInfoARM tensor_info{.sType = VK_STRUCTURE_TYPE_TENSOR_CREATE_INFO_ARM,
                                          .pDescription = &description};
  VkTensorARM alias = VK_NULL_HANDLE;
  MUST(vk().vkCreateTensorARM(device(), &tensor_info, nullptr, &alias));
  at_end([=, this] { vk().vkDestroyTensorARM(device(), alias, nullptr); });
  const VkImageCreateInfo image_info{.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                     .imageType = VK_IMAGE_TYPE_2D,
                                     .format = VK_FORMAT_R8G8B8A8_UINT,
                                     .extent = {5, 3, 1},
                                     .mipLevels = 1,
                                     .arrayLayers = 1,
                                     .samples = VK_SAMPLE_COUNT_1_BIT,
                                     .tiling = VK_IMAGE_TILING_OPTIMAL,
                                     .usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TENSOR_ALIASING_BIT_ARM};
  VkImage image = VK_NULL_HANDLE;
  MUST(vk().vkCreateImage(device(), &image_info, nullptr, &image));
  at_end([=, this] { vk().vkDestroyImage(device(), image, nullptr); });
  const VkTensorMemoryRequirementsInfoARM of{.sType = VK_STRUCTURE_TYPE_TENSOR_MEMORY_REQUIREMENTS_INFO_ARM,
                                             .tensor = alias};
  VkMemoryRequirements2 needs{.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
  vk().vkGetTensorMemoryRequirementsARM(device(), &of, &needs);
  VkMemoryRequirements image_needs{};
  vk().vkGetImageMemoryRequirements(device(), image, &image_needs);
  image_needs.size = std::max(image_needs.size, needs.memoryRequirements.size);
  image_needs.memoryTypeBits &= needs.memoryRequirements.memoryTypeBits;
  const VkDeviceMemory shared = memory(image_needs);
  MUST(vk().vkBindImageMemory(device(), image, shared, 0));
  const VkBindTensorMemoryInfoARM bind{
      .sType = VK_STRUCTURE_TYPE_BIND_TENSOR_MEMORY_INFO_ARM, .tensor = alias, .memory = shared};
  MUST(vk().vkBindTensorMemoryARM(device(), 1, &bind));
  const AppTensor result = tensor(VK_FORMAT_R8_UINT, shape);
  run([&](VkCommandBuffer commands) {
    const VkImageSubresourceRange whole{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    change_layout(commands, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    const VkClearColorValue color{.uint32 = {10, 20, 30, 40}};
    vk().vkCmdClearColorImage(commands, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &color, 1, &whole);
    change_layout(commands, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_TENSOR_ALIASING_ARM);
    const VkTensorCopyARM region{.sType = VK_STRUCTURE_TYPE_TENSOR_COPY_ARM};
    const VkCopyTensorInfoARM info{.sType = VK_STRUCTURE_TYPE_COPY_TENSOR_INFO_ARM,
                                   .srcTensor = alias,
                                   .dstTensor = result.tensor,
                                   .regionCount = 1,
                                   .pRegions = &region};
    vk().vkCmdCopyTensorARM(commands, &info);
  });
  const std::vector<std::uint8_t> texels = contents<std::uint8_t>(result);
  for (std::size_t i = 0; i < texels.size(); ++i) EXPECT_EQ(texels[i], 10 * (i % 4 + 1)) << i;
}

// --- graphs ----------------------------------------------------------------------------------------------------------

TEST_P(LayerApi, AGraphHasConstantsAndSessionMemory) {
  const AppTensor x = tensor(VK_FORMAT_R32_SINT, {4, 6}), y = tensor(VK_FORMAT_R32_SINT, {4, 6});
  const std::vector<std::int32_t> c = iota(24, 100);
  const AppGraph made =
      graph(graph_module(std::string(kProduct)), "main", {&x, &y}, {{0, VK_FORMAT_R32_SINT, {4, 6}, c.data()}});
  EXPECT_NE(made.session_memory, VkDeviceMemory{VK_NULL_HANDLE});
  const VkDescriptorSet set = descriptor_set(made.set_layout, {&x, &y});
  fill(x, iota(24));
  run([&](VkCommandBuffer commands) { dispatch(commands, made, set); });
  EXPECT_EQ(contents<std::int32_t>(y), product_of(iota(24), c));
}

TEST_P(LayerApi, GraphsTakeTensorsWithGaps) {
  const AppTensor x = tensor(VK_FORMAT_R32_SINT, {4, 6}, {64, 4}), y = tensor(VK_FORMAT_R32_SINT, {4, 6}, {32, 4});
  const std::vector<std::int32_t> c = iota(24);
  const AppGraph made =
      graph(graph_module(std::string(kProduct)), "main", {&x, &y}, {{0, VK_FORMAT_R32_SINT, {4, 6}, c.data()}});
  const VkDescriptorSet set = descriptor_set(made.set_layout, {&x, &y});
  fill(x, iota(24, 3));
  run([&](VkCommandBuffer commands) { dispatch(commands, made, set); });
  EXPECT_EQ(contents<std::int32_t>(y), product_of(iota(24, 3), c));
}

TEST_P(LayerApi, AGraphRestoresTheStateAroundIt) {
  const VkDescriptorSetLayout sets = tensor_layout(2);
  const VkPipelineLayout layout = pipeline_layout(sets, 16);
  const VkPipeline pipeline = compute_pipeline(glsl(kIncrement), layout);
  const AppTensor a = tensor(VK_FORMAT_R32_SINT, {4, 6}), b = tensor(VK_FORMAT_R32_SINT, {4, 6});
  const AppTensor x = tensor(VK_FORMAT_R32_SINT, {4, 6}), y = tensor(VK_FORMAT_R32_SINT, {4, 6});
  const VkDescriptorSet set = descriptor_set(sets, {&a, &b});
  const std::vector<std::int32_t> c = iota(24);
  const AppGraph made =
      graph(graph_module(std::string(kProduct)), "main", {&x, &y}, {{0, VK_FORMAT_R32_SINT, {4, 6}, c.data()}});
  const VkDescriptorSet graph_set = descriptor_set(made.set_layout, {&x, &y});
  fill(a, iota(24));
  fill(x, iota(24));
  run([&](VkCommandBuffer commands) {
    const std::int32_t by[] = {7, 8, 9, 10};
    vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    vk().vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 16, by);
    dispatch(commands, made, graph_set);
    vk().vkCmdDispatch(commands, 1, 1, 1);  // of the shader, with nothing bound again
  });
  EXPECT_EQ(contents<std::int32_t>(b), iota(24, 7));
  EXPECT_EQ(contents<std::int32_t>(y), product_of(iota(24), c));
}

// Two graphs in one module.
constexpr std::string_view kTwoGraphs = R"(
OpCapability Shader
OpCapability VulkanMemoryModel
OpCapability TensorsARM
OpCapability GraphARM
OpExtension "SPV_ARM_tensors"
OpExtension "SPV_ARM_graph"
%tosa = OpExtInstImport "TOSA.001000.1"
OpMemoryModel Logical Vulkan
OpDecorate %x DescriptorSet 0
OpDecorate %x Binding 0
OpDecorate %y DescriptorSet 0
OpDecorate %y Binding 1
%uint = OpTypeInt 32 0
%uint_0 = OpConstant %uint 0
%uint_1 = OpConstant %uint 1
%uint_4 = OpConstant %uint 4
%shape_type = OpTypeArray %uint %uint_1
%shape = OpConstantComposite %shape_type %uint_4
%tensor = OpTypeTensorARM %uint %uint_1 %shape
%pointer = OpTypePointer UniformConstant %tensor
%x = OpVariable %pointer UniformConstant
%y = OpVariable %pointer UniformConstant
%graph_type = OpTypeGraphARM 1 %tensor %tensor
OpGraphEntryPointARM %first "absolute" %x %y
OpGraphEntryPointARM %second "twice" %x %y
%first = OpGraphARM %graph_type
%a = OpGraphInputARM %tensor %uint_0
%b = OpExtInst %tensor %tosa ABS %a
OpGraphSetOutputARM %b %uint_0
OpGraphEndARM
%second = OpGraphARM %graph_type
%c = OpGraphInputARM %tensor %uint_0
%d = OpExtInst %tensor %tosa ADD %c %c
OpGraphSetOutputARM %d %uint_0
OpGraphEndARM
)";

TEST_P(LayerApi, AModuleHasSeveralGraphs) {
  const auto words = spirv::assemble(make_source("two.spvasm", std::string(kTwoGraphs)));
  ASSERT_TRUE(words) << format_diagnostics(words.error());
  const AppTensor x = tensor(VK_FORMAT_R32_SINT, {4}), y = tensor(VK_FORMAT_R32_SINT, {4});
  const AppGraph absolute = graph(*words, "absolute", {&x, &y}), twice = graph(*words, "twice", {&x, &y});
  const VkDescriptorSet set = descriptor_set(absolute.set_layout, {&x, &y});
  fill(x, std::vector<std::int32_t>{-1, 2, -3, 4});
  run([&](VkCommandBuffer commands) { dispatch(commands, absolute, set); });
  EXPECT_THAT(contents<std::int32_t>(y), ElementsAre(1, 2, 3, 4));
  run([&](VkCommandBuffer commands) { dispatch(commands, twice, set); });
  EXPECT_THAT(contents<std::int32_t>(y), ElementsAre(-2, 4, -6, 8));
}

TEST_P(LayerApi, GraphsRunInSecondaryCommandBuffersAndAgain) {
  const AppTensor x = tensor(VK_FORMAT_R32_SINT, {4, 6}), y = tensor(VK_FORMAT_R32_SINT, {4, 6});
  const std::vector<std::int32_t> c(24);
  const AppGraph made =
      graph(graph_module(std::string(kProduct)), "main", {&x, &y}, {{0, VK_FORMAT_R32_SINT, {4, 6}, c.data()}});
  const VkDescriptorSet set = descriptor_set(made.set_layout, {&x, &y});
  const VkCommandBuffer secondary = command_buffer(VK_COMMAND_BUFFER_LEVEL_SECONDARY), primary = command_buffer();
  begin(secondary, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
  dispatch(secondary, made, set);
  full_barrier(secondary);
  MUST(vk().vkEndCommandBuffer(secondary));
  begin(primary);
  vk().vkCmdExecuteCommands(primary, 1, &secondary);
  vk().vkCmdExecuteCommands(primary, 1, &secondary);
  MUST(vk().vkEndCommandBuffer(primary));
  for (const std::int32_t first : {0, 5}) {
    fill(x, iota(24, first));
    submit({primary});
    EXPECT_EQ(contents<std::int32_t>(y), product_of(iota(24, first), c));
  }
}

TEST_P(LayerApi, APipelineHasALogAndAnIdentifier) {
  const VkPipelineCacheCreateInfo create{.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
  VkPipelineCache cache = VK_NULL_HANDLE;
  MUST(vk().vkCreatePipelineCache(device(), &create, nullptr, &cache));
  at_end([=, this] { vk().vkDestroyPipelineCache(device(), cache, nullptr); });
  const AppTensor x = tensor(VK_FORMAT_R32_SINT, {4, 6}), y = tensor(VK_FORMAT_R32_SINT, {4, 6});
  const std::vector<std::int32_t> c = iota(24);
  const AppGraph made =
      graph(graph_module(std::string(kProduct)), "main", {&x, &y}, {{0, VK_FORMAT_R32_SINT, {4, 6}, c.data()}}, cache);
  const VkDataGraphPipelineInfoARM info{.sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_INFO_ARM,
                                        .dataGraphPipeline = made.pipeline};
  std::uint32_t count = 0;
  MUST(vk().vkGetDataGraphPipelineAvailablePropertiesARM(device(), &info, &count, nullptr));
  std::vector<VkDataGraphPipelinePropertyARM> properties(count);
  MUST(vk().vkGetDataGraphPipelineAvailablePropertiesARM(device(), &info, &count, properties.data()));
  ASSERT_THAT(properties, ElementsAre(VK_DATA_GRAPH_PIPELINE_PROPERTY_CREATION_LOG_ARM,
                                      VK_DATA_GRAPH_PIPELINE_PROPERTY_IDENTIFIER_ARM));
  std::vector<std::string> values;
  for (const VkDataGraphPipelinePropertyARM property : properties) {
    VkDataGraphPipelinePropertyQueryResultARM result{
        .sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_PROPERTY_QUERY_RESULT_ARM, .property = property};
    MUST(vk().vkGetDataGraphPipelinePropertiesARM(device(), &info, 1, &result));
    values.emplace_back(result.dataSize, '\0');
    result.pData = values.back().data();
    MUST(vk().vkGetDataGraphPipelinePropertiesARM(device(), &info, 1, &result));
  }
  EXPECT_THAT(values[0], HasSubstr("REDUCE_SUM"));
  // The identifier is enough to create the pipeline again.
  const VkDataGraphPipelineIdentifierCreateInfoARM identifier{
      .sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_IDENTIFIER_CREATE_INFO_ARM,
      .identifierSize = static_cast<std::uint32_t>(values[1].size()),
      .pIdentifier = reinterpret_cast<const std::uint8_t*>(values[1].data())};
  const VkDataGraphPipelineCreateInfoARM again{.sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_CREATE_INFO_ARM,
                                               .pNext = &identifier,
                                               .flags = VK_PIPELINE_CREATE_2_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT,
                                               .layout = made.layout};
  VkPipeline pipeline = VK_NULL_HANDLE;
  MUST(vk().vkCreateDataGraphPipelinesARM(device(), VK_NULL_HANDLE, cache, 1, &again, nullptr, &pipeline));
  vk().vkDestroyPipeline(device(), pipeline, nullptr);
}

TEST_P(LayerApi, ATensorOfAnotherShapeIsAnError) {
  const AppTensor x = tensor(VK_FORMAT_R32_SINT, {4, 6}), y = tensor(VK_FORMAT_R32_SINT, {4, 6});
  const AppTensor other = tensor(VK_FORMAT_R32_SINT, {6, 4});
  const std::vector<std::int32_t> c = iota(24);
  const AppGraph made =
      graph(graph_module(std::string(kProduct)), "main", {&x, &y}, {{0, VK_FORMAT_R32_SINT, {4, 6}, c.data()}});
  const VkDescriptorSet set = descriptor_set(made.set_layout, {&x, &other});
  run([&](VkCommandBuffer commands) { dispatch(commands, made, set); });
  EXPECT_THAT(take_messages(),
              ::testing::Contains(HasSubstr("the tensor at set 0, binding 1 has another shape or other strides")));
}

TEST_P(LayerApi, MalformedModulesAreRefused) {
  if (GetParam() == testing::Validation::AboveLayer) GTEST_SKIP() << "the validation layer ends the process";
  const AppTensor x = tensor(VK_FORMAT_R32_SINT, {4, 6}), y = tensor(VK_FORMAT_R32_SINT, {4, 6});
  const std::vector<std::int32_t> c = iota(24);
  const spirv::Words words = graph_module(std::string(kProduct));
  const VkPipelineLayout layout = pipeline_layout(tensor_layout(2));
  for (std::size_t length = words.size() - 1; length > spirv::kHeaderWords + 8; length -= 5) {
    VkPipeline made = VK_NULL_HANDLE;
    const spirv::Words part(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(length));
    EXPECT_LT(
        create_graph(part, "main", {&x, &y}, {{0, VK_FORMAT_R32_SINT, {4, 6}, c.data()}}, VK_NULL_HANDLE, layout, made),
        VK_SUCCESS);
    EXPECT_EQ(made, VkPipeline{VK_NULL_HANDLE});
  }
  static_cast<void>(take_messages());
}

}  // namespace
}  // namespace slipway::layer
