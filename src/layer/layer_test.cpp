// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the layer answers to queries, logs, and refuses. What it computes are rows of conformance runs
// (src/conformance/vulkan).
#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>

#include "spirv/tools.hpp"
#include "testing/layer_fixture.hpp"

namespace slipway::layer {
namespace {

using testing::AppGraph;
using testing::AppTensor;
using ::testing::ElementsAre;
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

std::vector<std::int32_t> iota(std::size_t count, std::int32_t first = 0) {
  std::vector<std::int32_t> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

// Two operators whose intermediate is stored, so that there is session memory.
constexpr std::string_view kProduct =
    "%0 = input i32[4, 6] at 0.0\n"
    "%1 = const i32[4, 6] graph_constant 0\n"
    "%2 = ADD(%0, %1) i32[4, 6]\n"
    "%3 = REDUCE_SUM(%2) i32[1, 6] axis=0\n"
    "%4 = ADD(%2, %3) i32[4, 6]\n"
    "output %4 at 0.1\n";

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

// --- graphs ----------------------------------------------------------------------------------------------------------

TEST_P(LayerApi, APipelineHasALog) {
  const AppTensor x = tensor(VK_FORMAT_R32_SINT, {4, 6}), y = tensor(VK_FORMAT_R32_SINT, {4, 6});
  const std::vector<std::int32_t> c = iota(24);
  const AppGraph made =
      graph(graph_module(std::string(kProduct)), "main", {&x, &y}, {{0, VK_FORMAT_R32_SINT, {4, 6}, c.data()}});
  EXPECT_NE(made.session_memory, VkDeviceMemory{VK_NULL_HANDLE});
  const VkDataGraphPipelineInfoARM info{.sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_INFO_ARM,
                                        .dataGraphPipeline = made.pipeline};
  std::uint32_t count = 0;
  MUST(vk().vkGetDataGraphPipelineAvailablePropertiesARM(device(), &info, &count, nullptr));
  std::vector<VkDataGraphPipelinePropertyARM> properties(count);
  MUST(vk().vkGetDataGraphPipelineAvailablePropertiesARM(device(), &info, &count, properties.data()));
  // Without a cache there is no identifier.
  ASSERT_THAT(properties, ElementsAre(VK_DATA_GRAPH_PIPELINE_PROPERTY_CREATION_LOG_ARM));
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
