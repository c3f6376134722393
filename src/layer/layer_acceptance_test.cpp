// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What programs that were written for other implementations of the extensions do, although the specification does not
// allow it or leaves it open: it works, with a warning where it is wrong. The validation layer is below; above, it
// would refuse most of this.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "base/print_diagnostic.hpp"
#include "platform/process.hpp"
#include "shader/compile.hpp"
#include "spirv/tools.hpp"
#include "testing/layer_fixture.hpp"

namespace slipway::layer {
namespace {

using testing::AppConstant;
using testing::AppGraph;
using testing::AppTensor;
using testing::contents;
using ::testing::ElementsAre;
using testing::fill;
using ::testing::HasSubstr;
using testing::must;
using ::testing::Not;

spirv::Words assembled(const std::string& text) {
  const auto words = spirv::assemble(make_source("t.spvasm", text));
  if (!words) ADD_FAILURE() << format_diagnostics(words.error());
  return words ? *words : spirv::Words();
}

// What modules of graphs begin with. `%x` is at binding 0 and `%y` at binding 1.
constexpr std::string_view kPreamble =
    "OpCapability Shader\nOpCapability Int8\nOpCapability VulkanMemoryModel\nOpCapability TensorsARM\n"
    "OpCapability GraphARM\nOpExtension \"SPV_ARM_tensors\"\nOpExtension \"SPV_ARM_graph\"\n"
    "%tosa = OpExtInstImport \"TOSA.001000.1\"\nOpMemoryModel Logical Vulkan\n"
    "OpDecorate %x DescriptorSet 0\nOpDecorate %x Binding 0\nOpDecorate %y DescriptorSet 0\nOpDecorate %y Binding 1\n"
    "%bool = OpTypeBool\n%uint = OpTypeInt 32 0\n%uchar = OpTypeInt 8 0\n%uint_0 = OpConstant %uint 0\n"
    "%uint_1 = OpConstant %uint 1\n%uint_2 = OpConstant %uint 2\n%uint_3 = OpConstant %uint 3\n"
    "%uint_4 = OpConstant %uint 4\n%one = OpTypeArray %uint %uint_1\n%shape_1 = OpConstantComposite %one %uint_1\n"
    "%shape_4 = OpConstantComposite %one %uint_4\n%tensor = OpTypeTensorARM %uint %uint_1 %shape_4\n";

// Adds the elements of an array of tensors with three elements, and sets the two elements of another one.
spirv::Words arrays() {
  return assembled(std::string(kPreamble) +
                   "%inputs = OpTypeArray %tensor %uint_3\n%outputs = OpTypeArray %tensor %uint_2\n"
                   "%px = OpTypePointer UniformConstant %inputs\n%py = OpTypePointer UniformConstant %outputs\n"
                   "%x = OpVariable %px UniformConstant\n%y = OpVariable %py UniformConstant\n"
                   "%type = OpTypeGraphARM 1 %inputs %outputs\nOpGraphEntryPointARM %g \"main\" %x %y\n"
                   "%g = OpGraphARM %type\n%a = OpGraphInputARM %tensor %uint_0 %uint_0\n"
                   "%b = OpGraphInputARM %tensor %uint_0 %uint_1\n%c = OpGraphInputARM %tensor %uint_0 %uint_2\n"
                   "%ab = OpExtInst %tensor %tosa ADD %a %b\n%bc = OpExtInst %tensor %tosa SUB %b %c\n"
                   "OpGraphSetOutputARM %ab %uint_0 %uint_1\nOpGraphSetOutputARM %bc %uint_0 %uint_0\n"
                   "OpGraphEndARM\n");
}

class LayerAcceptance : public testing::LayerTest {
 protected:
  LayerAcceptance() : LayerTest(testing::Validation::BelowLayer) {}

  // Runs a graph with one input and one output.
  void run_graph(const spirv::Words& words, const std::string& entry, const AppTensor& x, const AppTensor& y,
                 const std::vector<AppConstant>& constants = {}) {
    const AppGraph made = graph(words, entry, {&x, &y}, constants);
    const VkDescriptorSet set = descriptor_set(made.set_layout, {&x, &y});
    run([&](VkCommandBuffer commands) { dispatch(commands, made, set); });
  }

  // Runs the graph of `arrays`. The descriptors of both bindings are written one by one; after the set is bound, if
  // `after_bind`.
  void run_arrays(const std::vector<const AppTensor*>& inputs, const std::vector<const AppTensor*>& outputs,
                  bool after_bind);
};

// --- modules ---------------------------------------------------------------------------------------------------------

TEST_F(LayerAcceptance, RescaleWithoutARoundingModeRoundsOnce) {
  const spirv::Words words = assembled(
      std::string(kPreamble) +
      "%true = OpConstantTrue %bool\n%false = OpConstantFalse %bool\n%uchar_0 = OpConstant %uchar 0\n"
      "%uchar_2 = OpConstant %uchar 2\n%uchar_4 = OpTypeTensorARM %uchar %uint_1 %shape_4\n"
      "%uchars = OpTypeTensorARM %uchar %uint_1 %shape_1\n%uints = OpTypeTensorARM %uint %uint_1 %shape_1\n"
      "%multiplier = OpConstantComposite %uints %uint_2\n%shift = OpConstantComposite %uchars %uchar_2\n"
      "%zero = OpConstantComposite %uchars %uchar_0\n%p = OpTypePointer UniformConstant %uchar_4\n"
      "%x = OpVariable %p UniformConstant\n%y = OpVariable %p UniformConstant\n"
      "%type = OpTypeGraphARM 1 %uchar_4 %uchar_4\nOpGraphEntryPointARM %g \"main\" %x %y\n%g = OpGraphARM %type\n"
      "%a = OpGraphInputARM %uchar_4 %uint_0\n"
      "%b = OpExtInst %uchar_4 %tosa RESCALE %true %uint_0 %false %false %false %a %multiplier %shift %zero %zero\n"
      "OpGraphSetOutputARM %b %uint_0\nOpGraphEndARM\n");
  const AppTensor x = tensor(VK_FORMAT_R8_SINT, {4}), y = tensor(VK_FORMAT_R8_SINT, {4});
  fill(x, std::vector<std::int8_t>{-3, 3, 5, 100});
  run_graph(words, "main", x, y);
  EXPECT_THAT(contents<std::int8_t>(y), ElementsAre(-1, 2, 3, 50));  // half of it: 0.5 rounds up
  EXPECT_THAT(take_messages(), ElementsAre(HasSubstr("`rounding_mode` is 0, which is not a rounding mode")));
}

TEST_F(LayerAcceptance, TheOnlyGraphIsTakenUnderAnyName) {
  const AppTensor x = tensor(VK_FORMAT_R32_SINT, {4}), y = tensor(VK_FORMAT_R32_SINT, {4});
  fill(x, std::vector<std::int32_t>{-1, 2, -3, 4});
  run_graph(testing::graph_module("%0 = input i32[4] at 0.0\n%1 = ABS(%0) i32[4]\noutput %1 at 0.1\n"),
            "Graph Pipeline", x, y);
  EXPECT_THAT(contents<std::int32_t>(y), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(take_messages(), ElementsAre(HasSubstr("no graph `Graph Pipeline`; its only graph, `main`, is taken")));
}

// A pipeline that is made again does not report again what is repaired in it.
TEST_F(LayerAcceptance, EachRepairIsReportedOnce) {
  const AppTensor x = tensor(VK_FORMAT_R32_SINT, {4}), y = tensor(VK_FORMAT_R32_SINT, {4});
  fill(x, std::vector<std::int32_t>{-1, 2, -3, 4});
  const spirv::Words words = testing::graph_module("%0 = input i32[2] at 0.0\n%1 = ABS(%0) i32[2]\noutput %1 at 0.1\n");
  for (int i = 0; i < 3; ++i) run_graph(words, "Graph Pipeline", x, y);
  run_graph(words, "other", x, y);
  EXPECT_THAT(contents<std::int32_t>(y), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(take_messages(), ElementsAre(HasSubstr("no graph `Graph Pipeline`"), HasSubstr("which is taken"),
                                           HasSubstr("no graph `other`")));
}

TEST_F(LayerAcceptance, ExtensionsImplyTheirFeatures) {
  implied_ = true;
  const AppTensor x = tensor(VK_FORMAT_R32_SINT, {4}), y = tensor(VK_FORMAT_R32_SINT, {4});
  fill(x, std::vector<std::int32_t>{-1, 2, -3, 4});
  run_graph(testing::graph_module("%0 = input i32[4] at 0.0\n%1 = ABS(%0) i32[4]\noutput %1 at 0.1\n"), "main", x, y);
  EXPECT_THAT(contents<std::int32_t>(y), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(take_messages(),
              ElementsAre("slipway: the feature `tensors` is used, but only its extension was enabled; it is "
                          "taken as enabled",
                          HasSubstr("the feature `dataGraph` is used")));
}

// SLIPWAY_LAYER_VALIDATE: what is repaired otherwise is refused.
TEST_F(LayerAcceptance, AStrictLayerRepairsNothing) {
  platform::set_environment("SLIPWAY_LAYER_VALIDATE", "on");
  start();
  platform::remove_environment("SLIPWAY_LAYER_VALIDATE");
  const AppTensor x = tensor(VK_FORMAT_R32_SINT, {4}), y = tensor(VK_FORMAT_R32_SINT, {4});
  fill(x, std::vector<std::int32_t>{-1, 2, -3, 4});
  const VkPipelineLayout layout = pipeline_layout(tensor_layout(2));
  const auto refused = [&](const std::string& lines, const std::string& entry, const std::string& why) {
    VkPipeline made = VK_NULL_HANDLE;
    EXPECT_EQ(create_graph(testing::graph_module(lines), entry, {&x, &y}, {}, VK_NULL_HANDLE, layout, made),
              VK_ERROR_INITIALIZATION_FAILED)
        << why;
    EXPECT_THAT(take_messages(), ElementsAre(HasSubstr(why)));
  };
  const std::string abs = "%0 = input i32[4] at 0.0\n%1 = ABS(%0) i32[4]\noutput %1 at 0.1\n";
  refused(abs, "Graph Pipeline", "no graph `Graph Pipeline`");
  refused("%0 = input i32[2] at 0.0\n%1 = ABS(%0) i32[2]\noutput %1 at 0.1\n", "main",
          "has the shape [2] in the module");
  run_graph(testing::graph_module(abs), "main", x, y);
  EXPECT_THAT(contents<std::int32_t>(y), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(take_messages(), ::testing::IsEmpty());

  stop();
  implied_ = true;
  platform::set_environment("SLIPWAY_LAYER_VALIDATE", "on");
  start();
  platform::remove_environment("SLIPWAY_LAYER_VALIDATE");
  EXPECT_THROW(tensor(VK_FORMAT_R32_SINT, {4}), std::runtime_error);
  EXPECT_THAT(take_messages(),
              ElementsAre("slipway: the feature `tensors` is used, but only its extension was enabled"));
}

// The severity is in the messenger's arguments, and in the log once.
TEST_F(LayerAcceptance, MessagesNameTheirSeverityOnce) {
  const AppTensor x = tensor(VK_FORMAT_R32_SINT, {4}), y = tensor(VK_FORMAT_R32_SINT, {2});
  const VkPipelineLayout layout = pipeline_layout(tensor_layout(2));
  VkPipeline made = VK_NULL_HANDLE;
  EXPECT_EQ(create_graph(testing::graph_module("%0 = input i32[4] at 0.0\n%1 = ABS(%0) i32[4]\noutput %1 at 0.1\n"),
                         "main", {&x, &y}, {}, VK_NULL_HANDLE, layout, made),
            VK_ERROR_INITIALIZATION_FAILED);
  EXPECT_THAT(take_messages(),
              ElementsAre("slipway: output 0 of graph `main` has the shape [4], and what is bound to it "
                          "[2] [shape-mismatch]"));
}

// --- shapes ----------------------------------------------------------------------------------------------------------

TEST_F(LayerAcceptance, TheTensorDecidesTheShape) {
  const AppTensor x = tensor(VK_FORMAT_R32_SINT, {3, 5}), y = tensor(VK_FORMAT_R32_SINT, {5, 3});
  fill(x, std::vector<std::int32_t>{0, -1, 2, -3, 4, -5, 6, -7, 8, -9, 10, -11, 12, -13, 14});
  run_graph(testing::graph_module("%0 = input i32[2, 2] at 0.0\n%1 = ABS(%0) i32[2, 2]\n"
                                  "%2 = TRANSPOSE(%1) i32[2, 2] perms=[1, 0]\noutput %2 at 0.1\n"),
            "main", x, y);
  EXPECT_THAT(contents<std::int32_t>(y), ElementsAre(0, 5, 10, 1, 6, 11, 2, 7, 12, 3, 8, 13, 4, 9, 14));
  EXPECT_THAT(take_messages(), ElementsAre(HasSubstr("has the shape [2, 2] in the module, and the tensor that is bound "
                                                     "to it [3, 5], which is taken")));
}

TEST_F(LayerAcceptance, TensorsOfAnotherRankHaveTheirElementsInOrder) {
  const AppTensor x = tensor(VK_FORMAT_R32_SINT, {6}), y = tensor(VK_FORMAT_R32_SINT, {2, 3}, {16, 4});
  fill(x, std::vector<std::int32_t>{1, -2, 3, -4, 5, -6});
  run_graph(testing::graph_module("%0 = input i32[3, 2] at 0.0\n%1 = ABS(%0) i32[3, 2]\noutput %1 at 0.1\n"), "main", x,
            y);
  EXPECT_THAT(contents<std::int32_t>(y), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_EQ(take_messages().size(), 2u);
}

TEST_F(LayerAcceptance, ShapesThatCannotBeAreRefused) {
  const AppTensor x = tensor(VK_FORMAT_R32_SINT, {3, 5}), y = tensor(VK_FORMAT_R32_SINT, {3, 5});
  const VkPipelineLayout layout = pipeline_layout(tensor_layout(2));
  for (const std::string lines :
       {"%0 = input i32[2, 2] at 0.0\n%1 = RESHAPE(%0) i32[4] shape=[4]\noutput %1 at 0.1\n",
        "%0 = input i32[4, 5, 6] at 0.0\n%1 = ABS(%0) i32[4, 5, 6]\noutput %1 at 0.1\n",
        "%0 = input i32[3, 5] at 0.0\n%1 = REDUCE_SUM(%0) i32[3, 1] axis=1\noutput %1 at 0.1\n"}) {
    VkPipeline made = VK_NULL_HANDLE;
    EXPECT_EQ(create_graph(testing::graph_module(lines), "main", {&x, &y}, {}, VK_NULL_HANDLE, layout, made),
              VK_ERROR_INITIALIZATION_FAILED)
        << lines;
    EXPECT_THAT(take_messages(), ::testing::Contains(HasSubstr("[shape-mismatch]"))) << lines;
  }
}

TEST_F(LayerAcceptance, ConstantsHaveTheShapeOfTheirDescription) {
  const spirv::Words words = assembled(
      std::string(kPreamble) +
      "%open = OpTypeTensorARM %uint %uint_2\n%p = OpTypePointer UniformConstant %open\n"
      "%x = OpVariable %p UniformConstant\n%y = OpVariable %p UniformConstant\n%k = OpGraphConstantARM %open 7\n"
      "%type = OpTypeGraphARM 1 %open %open\nOpGraphEntryPointARM %g \"main\" %x %y\n%g = OpGraphARM %type\n"
      "%a = OpGraphInputARM %open %uint_0\n%b = OpExtInst %open %tosa ADD %a %k\n"
      "OpGraphSetOutputARM %b %uint_0\nOpGraphEndARM\n");
  const AppTensor x = tensor(VK_FORMAT_R32_SINT, {2, 3}), y = tensor(VK_FORMAT_R32_SINT, {2, 3});
  fill(x, std::vector<std::int32_t>{0, 1, 2, 3, 4, 5});
  const std::vector<std::int32_t> row = {10, 20, 30};
  run_graph(words, "main", x, y, {{7, VK_FORMAT_R32_SINT, {1, 3}, row.data()}});
  EXPECT_THAT(contents<std::int32_t>(y), ElementsAre(10, 21, 32, 13, 24, 35));
}

// Outputs that no operator computes: the input itself, a constant, one value twice.
TEST_F(LayerAcceptance, OutputsMayBeInputsAndConstants) {
  const AppTensor x = tensor(VK_FORMAT_R32_SINT, {4}), same = tensor(VK_FORMAT_R32_SINT, {4}),
                  constant = tensor(VK_FORMAT_R32_SINT, {4}), first = tensor(VK_FORMAT_R32_SINT, {2, 2}),
                  second = tensor(VK_FORMAT_R32_SINT, {2, 2});
  fill(x, std::vector<std::int32_t>{1, 2, 3, 4});
  const AppGraph made = graph(testing::graph_module("%0 = input i32[4] at 0.0\n%1 = const i32[4] [5, 6, 7, 8]\n"
                                                    "%2 = RESHAPE(%0) i32[2, 2] shape=[2, 2]\noutput %0 at 0.1\n"
                                                    "output %1 at 0.2\noutput %2 at 0.3\noutput %2 at 0.4\n"),
                              "main", {&x, &same, &constant, &first, &second});
  const VkDescriptorSet set = descriptor_set(made.set_layout, {&x, &same, &constant, &first, &second});
  run([&](VkCommandBuffer commands) { dispatch(commands, made, set); });
  EXPECT_THAT(contents<std::int32_t>(same), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(contents<std::int32_t>(constant), ElementsAre(5, 6, 7, 8));
  EXPECT_THAT(contents<std::int32_t>(first), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(contents<std::int32_t>(second), ElementsAre(1, 2, 3, 4));
}

// --- arrays of tensors -----------------------------------------------------------------------------------------------

void LayerAcceptance::run_arrays(const std::vector<const AppTensor*>& inputs,
                                 const std::vector<const AppTensor*>& outputs, bool after_bind) {
  const std::vector<VkDescriptorSetLayoutBinding> bindings = {
      {0, VK_DESCRIPTOR_TYPE_TENSOR_ARM, 3, VK_SHADER_STAGE_ALL, nullptr},
      {1, VK_DESCRIPTOR_TYPE_TENSOR_ARM, 2, VK_SHADER_STAGE_ALL, nullptr}};
  const std::vector<VkDescriptorBindingFlags> flags(2, VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT);
  const VkDescriptorSetLayoutBindingFlagsCreateInfo more{
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
      .bindingCount = 2,
      .pBindingFlags = flags.data()};
  const VkDescriptorSetLayoutCreateInfo create{
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
      .pNext = after_bind ? &more : nullptr,
      .flags =
          after_bind ? VkDescriptorSetLayoutCreateFlags{VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT} : 0,
      .bindingCount = 2,
      .pBindings = bindings.data()};
  VkDescriptorSetLayout sets = VK_NULL_HANDLE;
  MUST(vk().vkCreateDescriptorSetLayout(device(), &create, nullptr, &sets));
  at_end([=, this] { vk().vkDestroyDescriptorSetLayout(device(), sets, nullptr); });
  AppGraph made{.layout = pipeline_layout(sets)};

  const std::int64_t shape[] = {4};
  const VkTensorDescriptionARM description{.sType = VK_STRUCTURE_TYPE_TENSOR_DESCRIPTION_ARM,
                                           .tiling = VK_TENSOR_TILING_LINEAR_ARM,
                                           .format = VK_FORMAT_R32_SINT,
                                           .dimensionCount = 1,
                                           .pDimensions = shape,
                                           .usage = VK_TENSOR_USAGE_DATA_GRAPH_BIT_ARM};
  std::vector<VkDataGraphPipelineResourceInfoARM> resources;
  for (const auto& [binding, count] : {std::pair(0u, 3u), std::pair(1u, 2u)}) {
    for (std::uint32_t i = 0; i < count; ++i)
      resources.push_back({.sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_RESOURCE_INFO_ARM,
                           .pNext = &description,
                           .binding = binding,
                           .arrayElement = i});
  }
  const VkDataGraphPipelineShaderModuleCreateInfoARM shader{
      .sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_SHADER_MODULE_CREATE_INFO_ARM,
      .module = module(arrays()),
      .pName = "main"};
  const VkDataGraphPipelineCreateInfoARM pipeline{.sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_CREATE_INFO_ARM,
                                                  .pNext = &shader,
                                                  .layout = made.layout,
                                                  .resourceInfoCount = static_cast<std::uint32_t>(resources.size()),
                                                  .pResourceInfos = resources.data()};
  MUST(vk().vkCreateDataGraphPipelinesARM(device(), VK_NULL_HANDLE, VK_NULL_HANDLE, 1, &pipeline, nullptr,
                                          &made.pipeline));
  at_end([this, handle = made.pipeline] { vk().vkDestroyPipeline(device(), handle, nullptr); });
  made.session = session(made.pipeline, &made.session_memory);

  const VkDescriptorSet set = allocate_set(
      descriptor_pool({{VK_DESCRIPTOR_TYPE_TENSOR_ARM, 5}},
                      after_bind ? VkDescriptorPoolCreateFlags{VK_DESCRIPTOR_POOL_CREATE_UPDATE_AFTER_BIND_BIT} : 0),
      sets);
  const auto write_all = [&] {
    for (std::uint32_t binding = 0; binding < 2; ++binding) {
      std::vector<VkTensorViewARM> views;
      for (const AppTensor* one : binding == 0 ? inputs : outputs) views.push_back(one->view);
      const VkWriteDescriptorSetTensorARM tensors{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_TENSOR_ARM,
                                                  .tensorViewCount = static_cast<std::uint32_t>(views.size()),
                                                  .pTensorViews = views.data()};
      const VkWriteDescriptorSet write{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                       .pNext = &tensors,
                                       .dstSet = set,
                                       .dstBinding = binding,
                                       .descriptorCount = tensors.tensorViewCount,
                                       .descriptorType = VK_DESCRIPTOR_TYPE_TENSOR_ARM};
      vk().vkUpdateDescriptorSets(device(), 1, &write, 0, nullptr);
    }
  };
  if (!after_bind) write_all();
  run([&](VkCommandBuffer commands) {
    dispatch(commands, made, set);
    if (after_bind) write_all();
  });
}

TEST_F(LayerAcceptance, GraphsHaveArraysOfTensors) {
  const AppTensor a = tensor(VK_FORMAT_R32_SINT, {4}), b = tensor(VK_FORMAT_R32_SINT, {4}),
                  c = tensor(VK_FORMAT_R32_SINT, {4}), difference = tensor(VK_FORMAT_R32_SINT, {4}),
                  sum = tensor(VK_FORMAT_R32_SINT, {4});
  fill(a, std::vector<std::int32_t>{1, 2, 3, 4});
  fill(b, std::vector<std::int32_t>{10, 20, 30, 40});
  fill(c, std::vector<std::int32_t>{100, 200, 300, 400});
  for (const bool after_bind : {false, true}) {
    fill(sum, std::vector<std::int32_t>(4));
    fill(difference, std::vector<std::int32_t>(4));
    run_arrays({&a, &b, &c}, {&difference, &sum}, after_bind);
    EXPECT_THAT(contents<std::int32_t>(sum), ElementsAre(11, 22, 33, 44)) << after_bind;
    EXPECT_THAT(contents<std::int32_t>(difference), ElementsAre(-90, -180, -270, -360)) << after_bind;
  }
}

// --- queries ---------------------------------------------------------------------------------------------------------

TEST_F(LayerAcceptance, NullHandlesAreReported) {
  const VkDataGraphPipelineInfoARM nothing{.sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_INFO_ARM};
  VkDataGraphPipelinePropertyQueryResultARM result{.sType =
                                                       VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_PROPERTY_QUERY_RESULT_ARM};
  std::uint32_t count = 0;
  for (const VkDataGraphPipelineInfoARM* info : {&nothing, static_cast<const VkDataGraphPipelineInfoARM*>(nullptr)}) {
    EXPECT_EQ(vk().vkGetDataGraphPipelineAvailablePropertiesARM(device(), info, &count, nullptr), VK_ERROR_UNKNOWN);
    EXPECT_EQ(vk().vkGetDataGraphPipelinePropertiesARM(device(), info, 1, &result), VK_ERROR_UNKNOWN);
  }
  EXPECT_THAT(take_messages(), ElementsAre(HasSubstr("AvailablePropertiesARM: `dataGraphPipeline` is null"),
                                           HasSubstr("PipelinePropertiesARM: `dataGraphPipeline` is null"),
                                           HasSubstr("AvailablePropertiesARM: `pPipelineInfo` is null"),
                                           HasSubstr("PipelinePropertiesARM: `pPipelineInfo` is null")));

  VkTensorARM tensor = VK_NULL_HANDLE;
  const VkTensorCreateInfoARM no_description{.sType = VK_STRUCTURE_TYPE_TENSOR_CREATE_INFO_ARM};
  EXPECT_EQ(vk().vkCreateTensorARM(device(), &no_description, nullptr, &tensor), VK_ERROR_UNKNOWN);
  VkTensorViewARM view = VK_NULL_HANDLE;
  const VkTensorViewCreateInfoARM no_tensor{.sType = VK_STRUCTURE_TYPE_TENSOR_VIEW_CREATE_INFO_ARM};
  EXPECT_EQ(vk().vkCreateTensorViewARM(device(), &no_tensor, nullptr, &view), VK_ERROR_UNKNOWN);
  const VkBindTensorMemoryInfoARM bind{.sType = VK_STRUCTURE_TYPE_BIND_TENSOR_MEMORY_INFO_ARM};
  EXPECT_EQ(vk().vkBindTensorMemoryARM(device(), 1, &bind), VK_ERROR_UNKNOWN);
  VkMemoryRequirements2 needs{.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
  const VkTensorMemoryRequirementsInfoARM of{.sType = VK_STRUCTURE_TYPE_TENSOR_MEMORY_REQUIREMENTS_INFO_ARM};
  vk().vkGetTensorMemoryRequirementsARM(device(), &of, &needs);
  const VkDeviceTensorMemoryRequirementsARM of_none{.sType = VK_STRUCTURE_TYPE_DEVICE_TENSOR_MEMORY_REQUIREMENTS_ARM};
  vk().vkGetDeviceTensorMemoryRequirementsARM(device(), &of_none, &needs);
  VkDataGraphPipelineSessionARM session = VK_NULL_HANDLE;
  const VkDataGraphPipelineSessionCreateInfoARM no_pipeline{
      .sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_SESSION_CREATE_INFO_ARM};
  EXPECT_EQ(vk().vkCreateDataGraphPipelineSessionARM(device(), &no_pipeline, nullptr, &session), VK_ERROR_UNKNOWN);
  const VkDataGraphPipelineSessionMemoryRequirementsInfoARM no_session{
      .sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_SESSION_MEMORY_REQUIREMENTS_INFO_ARM};
  vk().vkGetDataGraphPipelineSessionMemoryRequirementsARM(device(), &no_session, &needs);
  const VkBindDataGraphPipelineSessionMemoryInfoARM bind_session{
      .sType = VK_STRUCTURE_TYPE_BIND_DATA_GRAPH_PIPELINE_SESSION_MEMORY_INFO_ARM};
  EXPECT_EQ(vk().vkBindDataGraphPipelineSessionMemoryARM(device(), 1, &bind_session), VK_ERROR_UNKNOWN);
  run([&](VkCommandBuffer commands) {
    const VkCopyTensorInfoARM copy{.sType = VK_STRUCTURE_TYPE_COPY_TENSOR_INFO_ARM};
    vk().vkCmdCopyTensorARM(commands, &copy);
    vk().vkCmdDispatchDataGraphARM(commands, VK_NULL_HANDLE, nullptr);
  });
  const std::vector<std::string> messages = take_messages();
  EXPECT_EQ(messages.size(), 10u);
  EXPECT_THAT(messages, ::testing::Each(HasSubstr("is null")));
}

TEST_F(LayerAcceptance, TosaProfilesAreThoseOfTosa) {
  const VolkInstanceTable& functions = instance_functions();
  std::uint32_t count = 0;
  MUST(functions.vkGetPhysicalDeviceQueueFamilyDataGraphPropertiesARM(physical(), family(), &count, nullptr));
  std::vector<VkQueueFamilyDataGraphPropertiesARM> operations(
      count, {.sType = VK_STRUCTURE_TYPE_QUEUE_FAMILY_DATA_GRAPH_PROPERTIES_ARM});
  MUST(functions.vkGetPhysicalDeviceQueueFamilyDataGraphPropertiesARM(physical(), family(), &count, operations.data()));
  std::size_t seen = 0;
  for (const VkQueueFamilyDataGraphPropertiesARM& one : operations) {
    VkQueueFamilyDataGraphTOSAPropertiesARM tosa{.sType =
                                                     VK_STRUCTURE_TYPE_QUEUE_FAMILY_DATA_GRAPH_TOSA_PROPERTIES_ARM};
    MUST(functions.vkGetPhysicalDeviceQueueFamilyDataGraphEngineOperationPropertiesARM(
        physical(), family(), &one, reinterpret_cast<VkBaseOutStructure*>(&tosa)));
    std::vector<std::string> names;
    for (std::uint32_t i = 0; i < tosa.profileCount; ++i) names.emplace_back(tosa.pProfiles[i].name);
    for (std::uint32_t i = 0; i < tosa.extensionCount; ++i) names.emplace_back(tosa.pExtensions[i].name);
    if (std::string_view(one.operation.name) != "TOSA.001000.1") {
      EXPECT_THAT(names, ElementsAre()) << one.operation.name;
      continue;
    }
    ++seen;
    EXPECT_THAT(names, ElementsAre("PRO-INT", "PRO-FP", "EXT-INT16", "EXT-INT4", "EXT-BF16", "EXT-FP8E4M3",
                                   "EXT-FP8E5M2", "EXT-FFT", "EXT-DOUBLEROUND", "EXT-INEXACTROUND"));
    EXPECT_EQ(tosa.level, VK_DATA_GRAPH_TOSA_LEVEL_8K_ARM);
  }
  EXPECT_EQ(seen, 1u);
}

// Times of operators, as the emulation layer answers them.
TEST_F(LayerAcceptance, TheTimesOfOperatorsCanBeQueried) {
  constexpr auto property = static_cast<VkDataGraphPipelinePropertyARM>(0x7ffffffe);
  const auto available = [&](VkPipeline pipeline) {
    const VkDataGraphPipelineInfoARM info{.sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_INFO_ARM,
                                          .dataGraphPipeline = pipeline};
    std::uint32_t count = 8;
    std::vector<VkDataGraphPipelinePropertyARM> all(count);
    MUST(vk().vkGetDataGraphPipelineAvailablePropertiesARM(device(), &info, &count, all.data()));
    all.resize(count);
    return all;
  };
  const std::string lines = testing::matrix_products(3, 4);
  for (const bool wanted : {false, true}) {
    stop();
    if (wanted) platform::set_environment("SLIPWAY_LAYER_PROFILE", "on");
    start();
    platform::remove_environment("SLIPWAY_LAYER_PROFILE");
    const AppTensor x = tensor(VK_FORMAT_R32_SFLOAT, {1, 4, 4}), y = tensor(VK_FORMAT_R32_SFLOAT, {1, 4, 4});
    const AppGraph made = graph(testing::graph_module(lines), "main", {&x, &y});
    const VkDescriptorSet set = descriptor_set(made.set_layout, {&x, &y});
    fill(x, std::vector<float>(16, 0.5F));
    if (!wanted) {
      EXPECT_THAT(available(made.pipeline), Not(::testing::Contains(property)));
      continue;
    }
    EXPECT_THAT(available(made.pipeline), ::testing::Contains(property));
    for (int i = 0; i < 2; ++i) run([&](VkCommandBuffer commands) { dispatch(commands, made, set); });
    EXPECT_THAT(contents<float>(y), ::testing::Each(64.0F));  // after 1 and 4
    const VkDataGraphPipelineInfoARM info{.sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_INFO_ARM,
                                          .dataGraphPipeline = made.pipeline};
    std::string text(1 << 16, '\0');
    VkDataGraphPipelinePropertyQueryResultARM result{
        .sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_PROPERTY_QUERY_RESULT_ARM,
        .property = property,
        .dataSize = text.size(),
        .pData = text.data()};
    MUST(vk().vkGetDataGraphPipelinePropertiesARM(device(), &info, 1, &result));
    EXPECT_EQ(result.isText, VK_TRUE);
    text.resize(result.dataSize - 1);
    EXPECT_THAT(text, HasSubstr("\"operator_name\": \"MATMUL\""));
    EXPECT_THAT(text, HasSubstr("\"dispatch_count\": 6"));  // 3 of each of 2 recordings
    EXPECT_THAT(text, HasSubstr("\"submission\": 1"));
    EXPECT_THAT(text, Not(HasSubstr("\"submission\": 2")));
  }
}

// --- memory shared with images ---------------------------------------------------------------------------------------

// A linear tensor without strides has the rows of an image in the same memory, whichever is bound first, and those of
// nothing where there is no image.
TEST_F(LayerAcceptance, LinearTensorsHaveTheRowsOfALinearImage) {
  constexpr int width = 7, height = 4;
  const std::vector<std::int64_t> shape = {height, width, 1};
  const auto compiled =
      shader::compile(make_source("fill.comp",
                                  "#version 460\n#extension GL_ARM_tensors : require\n"
                                  "#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require\n"
                                  "layout(set = 0, binding = 0) uniform tensorARM<uint8_t, 3> x;\nvoid main() {\n"
                                  "  for (uint r = 0; r < 4; ++r) { for (uint c = 0; c < 7; ++c)\n"
                                  "    tensorWriteARM(x, uint[](r, c, 0u), uint8_t(16u * (r + 1u) + c)); } }\n"),
                      shader::Language::Glsl);
  ASSERT_TRUE(compiled) << format_diagnostics(compiled.error());
  const VkDescriptorSetLayout sets = tensor_layout(1);
  const VkPipelineLayout layout = pipeline_layout(sets);
  const VkPipeline pipeline = compute_pipeline(compiled->words, layout);
  enum class Bound { ImageFirst, TensorFirst, ImageAfterView, NoImage };
  for (const Bound order : {Bound::ImageFirst, Bound::TensorFirst, Bound::ImageAfterView, Bound::NoImage}) {
    const VkTensorDescriptionARM description{
        .sType = VK_STRUCTURE_TYPE_TENSOR_DESCRIPTION_ARM,
        .tiling = VK_TENSOR_TILING_LINEAR_ARM,
        .format = VK_FORMAT_R8_UINT,
        .dimensionCount = 3,
        .pDimensions = shape.data(),
        .usage = VK_TENSOR_USAGE_SHADER_BIT_ARM | VK_TENSOR_USAGE_IMAGE_ALIASING_BIT_ARM};
    const VkTensorCreateInfoARM info{.sType = VK_STRUCTURE_TYPE_TENSOR_CREATE_INFO_ARM, .pDescription = &description};
    AppTensor alias{.format = VK_FORMAT_R8_UINT, .shape = shape};
    MUST(vk().vkCreateTensorARM(device(), &info, nullptr, &alias.tensor));
    at_end([this, handle = alias.tensor] { vk().vkDestroyTensorARM(device(), handle, nullptr); });
    const VkImageCreateInfo image_info{
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .imageType = VK_IMAGE_TYPE_2D,
        .format = VK_FORMAT_R8_UINT,
        .extent = {width, height, 1},
        .mipLevels = 1,
        .arrayLayers = 1,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .tiling = VK_IMAGE_TILING_LINEAR,
        .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TENSOR_ALIASING_BIT_ARM};
    VkImage image = VK_NULL_HANDLE;
    MUST(vk().vkCreateImage(device(), &image_info, nullptr, &image));
    at_end([=, this] { vk().vkDestroyImage(device(), image, nullptr); });
    const VkTensorMemoryRequirementsInfoARM of{.sType = VK_STRUCTURE_TYPE_TENSOR_MEMORY_REQUIREMENTS_INFO_ARM,
                                               .tensor = alias.tensor};
    VkMemoryRequirements2 needs{.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
    vk().vkGetTensorMemoryRequirementsARM(device(), &of, &needs);
    VkMemoryRequirements both{};
    vk().vkGetImageMemoryRequirements(device(), image, &both);
    both.size = std::max(both.size, needs.memoryRequirements.size);
    both.memoryTypeBits &= needs.memoryRequirements.memoryTypeBits;
    std::byte* mapped = nullptr;
    const VkDeviceMemory shared = memory(both, &mapped);
    std::fill_n(mapped, both.size, std::byte{0});
    const VkBindTensorMemoryInfoARM bind{
        .sType = VK_STRUCTURE_TYPE_BIND_TENSOR_MEMORY_INFO_ARM, .tensor = alias.tensor, .memory = shared};
    const auto bind_image = [&] { MUST(vk().vkBindImageMemory(device(), image, shared, 0)); };
    if (order == Bound::ImageFirst) bind_image();
    MUST(vk().vkBindTensorMemoryARM(device(), 1, &bind));
    if (order == Bound::TensorFirst) bind_image();
    const VkTensorViewCreateInfoARM view{
        .sType = VK_STRUCTURE_TYPE_TENSOR_VIEW_CREATE_INFO_ARM, .tensor = alias.tensor, .format = VK_FORMAT_R8_UINT};
    MUST(vk().vkCreateTensorViewARM(device(), &view, nullptr, &alias.view));
    at_end([this, handle = alias.view] { vk().vkDestroyTensorViewARM(device(), handle, nullptr); });
    if (order == Bound::ImageAfterView) bind_image();
    const VkDescriptorSet set = descriptor_set(sets, {&alias});
    run([&](VkCommandBuffer commands) {
      vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
      vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
      vk().vkCmdDispatch(commands, 1, 1, 1);
    });
    const VkImageSubresource level{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0};
    VkSubresourceLayout rows{.rowPitch = width};
    if (order != Bound::NoImage) {
      vk().vkGetImageSubresourceLayout(device(), image, &level, &rows);
      ASSERT_GT(rows.rowPitch, VkDeviceSize{width}) << "the rows of the image have no gaps";
    }
    for (int r = 0; r < height; ++r) {
      for (int c = 0; c < width; ++c)
        EXPECT_EQ(std::to_integer<int>(
                      mapped[rows.offset + static_cast<std::size_t>(r) * rows.rowPitch + static_cast<std::size_t>(c)]),
                  16 * (r + 1) + c)
            << static_cast<int>(order) << ": " << r << ", " << c;
    }
  }
}

}  // namespace
}  // namespace slipway::layer
