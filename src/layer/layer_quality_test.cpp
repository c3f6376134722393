// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the layer promises beside results (docs/spec/layer.md#quality): chains, allocations, exceptions, the order of
// destruction, loading and unloading, processes.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <thread>

#include "layer/chain.hpp"
#include "layer/dispatch.hpp"
#include "platform/process.hpp"
#include "shader/compile.hpp"
#include "testing/layer_fixture.hpp"
#include "testing/scratch_directory.hpp"

namespace slipway::layer {
namespace {

using testing::AppGraph;
using testing::AppTensor;
using ::testing::Contains;
using testing::contents;
using ::testing::Each;
using ::testing::ElementsAre;
using testing::fill;
using ::testing::HasSubstr;
using testing::must;

class LayerQuality : public testing::LayerTest, public ::testing::WithParamInterface<testing::Validation> {
 protected:
  LayerQuality() : LayerTest(GetParam()) {}
  bool below() const { return GetParam() == testing::Validation::BelowLayer; }

  AppGraph absolute(const AppTensor& x, const AppTensor& y) {
    return graph(testing::graph_module("%0 = input i32[6] at 0.0\n%1 = ABS(%0) i32[6]\noutput %1 at 0.1\n"), "main",
                 {&x, &y});
  }
};
INSTANTIATE_TEST_SUITE_P(Validation, LayerQuality,
                         ::testing::Values(testing::Validation::AboveLayer, testing::Validation::BelowLayer),
                         [](const auto& test) {
                           return test.param == testing::Validation::AboveLayer ? "Above" : "Below";
                         });

// --- chains and exceptions -------------------------------------------------------------------------------------------

TEST(LayerChain, UnknownStructuresArePassedOn) {
  constexpr auto unknown = static_cast<VkStructureType>(0x7ffffff0);
  constexpr VkStructureType removed[] = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TENSOR_FEATURES_ARM};
  constexpr VkStructureType edited[] = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
  struct Unknown {
    VkBaseInStructure base;
    std::uint64_t data[3];
  };
  Unknown last{{unknown, nullptr}, {7, 8, 9}};
  VkPhysicalDeviceVulkan12Features known{.sType = edited[0], .pNext = &last};
  VkPhysicalDeviceTensorFeaturesARM ours{.sType = removed[0], .pNext = &known};
  Unknown first{{unknown, reinterpret_cast<VkBaseInStructure*>(&ours)}, {1, 2, 3}};
  {
    ChainCopy copy;
    std::vector<const VkBaseInStructure*> found;
    for (auto* at = static_cast<const VkBaseInStructure*>(copy.make(&first, removed, edited)); at != nullptr;
         at = at->pNext)
      found.push_back(at);
    ASSERT_EQ(found.size(), 3u);
    // They are the application's own: their contents are not known.
    EXPECT_EQ(found[0], &first.base);
    EXPECT_EQ(found[1]->sType, edited[0]);
    EXPECT_NE(static_cast<const void*>(found[1]), &known);
    EXPECT_EQ(found[2], &last.base);
  }
  // The application's chain is as it was.
  EXPECT_EQ(first.base.pNext, reinterpret_cast<VkBaseInStructure*>(&ours));
  EXPECT_EQ(ours.pNext, &known);
  EXPECT_EQ(known.pNext, &last);
  // Structures of outputs are taken out only for the call.
  {
    const Unlinked without(&first, removed);
    EXPECT_EQ(static_cast<const void*>(first.base.pNext), &known);
  }
  EXPECT_EQ(static_cast<const void*>(first.base.pNext), &ours);
}

TEST(LayerChain, ExceptionsBecomeCodes) {
  EXPECT_EQ(guarded([]() -> VkResult { throw std::bad_alloc(); }), VK_ERROR_OUT_OF_HOST_MEMORY);
  EXPECT_EQ(guarded([]() -> VkResult { throw std::runtime_error("any"); }), VK_ERROR_INITIALIZATION_FAILED);
  EXPECT_EQ(guarded([]() -> VkResult { throw 1; }), VK_ERROR_INITIALIZATION_FAILED);
  EXPECT_EQ(guarded([] { return VK_INCOMPLETE; }), VK_INCOMPLETE);
  static_assert(noexcept(guarded([] { return VK_SUCCESS; })));
}

// --- allocations -----------------------------------------------------------------------------------------------------

TEST_P(LayerQuality, AllocationsThatFailAreCodes) {
  if (!below()) GTEST_SKIP() << "the validation layer allocates, too";
  const AppTensor x = tensor(VK_FORMAT_R32_SINT, {6}), y = tensor(VK_FORMAT_R32_SINT, {6});
  const AppGraph made = absolute(x, y);
  const VkAllocationCallbacks none{
      .pfnAllocation = [](void*, std::size_t, std::size_t, VkSystemAllocationScope) -> void* { return nullptr; },
      .pfnReallocation = [](void*, void*, std::size_t, std::size_t, VkSystemAllocationScope) -> void* {
        return nullptr;
      },
      .pfnFree = [](void*, void*) {}};
  const std::int64_t shape[] = {6};
  const VkTensorDescriptionARM description{.sType = VK_STRUCTURE_TYPE_TENSOR_DESCRIPTION_ARM,
                                           .tiling = VK_TENSOR_TILING_LINEAR_ARM,
                                           .format = VK_FORMAT_R32_SINT,
                                           .dimensionCount = 1,
                                           .pDimensions = shape,
                                           .usage = VK_TENSOR_USAGE_SHADER_BIT_ARM};
  const VkTensorCreateInfoARM tensor_info{.sType = VK_STRUCTURE_TYPE_TENSOR_CREATE_INFO_ARM,
                                          .pDescription = &description};
  VkTensorARM tensor = VK_NULL_HANDLE;
  EXPECT_EQ(vk().vkCreateTensorARM(device(), &tensor_info, &none, &tensor), VK_ERROR_OUT_OF_HOST_MEMORY);
  const VkTensorViewCreateInfoARM view_info{
      .sType = VK_STRUCTURE_TYPE_TENSOR_VIEW_CREATE_INFO_ARM, .tensor = x.tensor, .format = x.format};
  VkTensorViewARM view = VK_NULL_HANDLE;
  EXPECT_EQ(vk().vkCreateTensorViewARM(device(), &view_info, &none, &view), VK_ERROR_OUT_OF_HOST_MEMORY);
  const VkDataGraphPipelineSessionCreateInfoARM session_info{
      .sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_SESSION_CREATE_INFO_ARM, .dataGraphPipeline = made.pipeline};
  VkDataGraphPipelineSessionARM session = VK_NULL_HANDLE;
  EXPECT_EQ(vk().vkCreateDataGraphPipelineSessionARM(device(), &session_info, &none, &session),
            VK_ERROR_OUT_OF_HOST_MEMORY);
}

// --- order -----------------------------------------------------------------------------------------------------------

// What a pipeline or a set was made from may be gone when it is used, and a pipeline before its session.
TEST_P(LayerQuality, ObjectsAreDestroyedInAnyValidOrder) {
  const AppTensor x = tensor(VK_FORMAT_R32_SINT, {6}), y = tensor(VK_FORMAT_R32_SINT, {6});
  fill(x, std::vector<std::int32_t>{-1, -2, -3, 4, 5, 6});
  const spirv::Words words = testing::graph_module("%0 = input i32[6] at 0.0\n%1 = ABS(%0) i32[6]\noutput %1 at 0.1\n");
  const VkShaderModuleCreateInfo code{.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                      .codeSize = words.size() * sizeof(std::uint32_t),
                                      .pCode = words.data()};
  VkShaderModule module = VK_NULL_HANDLE;
  MUST(vk().vkCreateShaderModule(device(), &code, nullptr, &module));
  const VkPipelineLayout layout = pipeline_layout(tensor_layout(2));
  const VkTensorDescriptionARM description{.sType = VK_STRUCTURE_TYPE_TENSOR_DESCRIPTION_ARM,
                                           .tiling = VK_TENSOR_TILING_LINEAR_ARM,
                                           .format = VK_FORMAT_R32_SINT,
                                           .dimensionCount = 1,
                                           .pDimensions = x.shape.data(),
                                           .usage = VK_TENSOR_USAGE_DATA_GRAPH_BIT_ARM};
  const VkDataGraphPipelineResourceInfoARM resources[] = {
      {.sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_RESOURCE_INFO_ARM, .pNext = &description, .binding = 0},
      {.sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_RESOURCE_INFO_ARM, .pNext = &description, .binding = 1}};
  const VkDataGraphPipelineShaderModuleCreateInfoARM shader{
      .sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_SHADER_MODULE_CREATE_INFO_ARM, .module = module, .pName = "main"};
  const VkDataGraphPipelineCreateInfoARM create{.sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_CREATE_INFO_ARM,
                                                .pNext = &shader,
                                                .layout = layout,
                                                .resourceInfoCount = 2,
                                                .pResourceInfos = resources};
  AppGraph made{.layout = layout};
  MUST(vk().vkCreateDataGraphPipelinesARM(device(), VK_NULL_HANDLE, VK_NULL_HANDLE, 1, &create, nullptr,
                                          &made.pipeline));
  vk().vkDestroyShaderModule(device(), module, nullptr);
  made.session = session(made.pipeline, nullptr);
  // The layout of the set is gone before the set is written and used.
  const VkDescriptorSetLayoutBinding bindings[] = {{0, VK_DESCRIPTOR_TYPE_TENSOR_ARM, 1, VK_SHADER_STAGE_ALL, nullptr},
                                                   {1, VK_DESCRIPTOR_TYPE_TENSOR_ARM, 1, VK_SHADER_STAGE_ALL, nullptr}};
  const VkDescriptorSetLayoutCreateInfo layout_info{
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 2, .pBindings = bindings};
  VkDescriptorSetLayout sets = VK_NULL_HANDLE;
  MUST(vk().vkCreateDescriptorSetLayout(device(), &layout_info, nullptr, &sets));
  const VkDescriptorSet set = descriptor_set(sets, {});
  write(set, 0, x);
  write(set, 1, y);
  vk().vkDestroyDescriptorSetLayout(device(), sets, nullptr);
  run([&](VkCommandBuffer commands) { dispatch(commands, made, set); });
  EXPECT_THAT(contents<std::int32_t>(y), ElementsAre(1, 2, 3, 4, 5, 6));
  // The session is destroyed at the end, after its pipeline.
  vk().vkDestroyPipeline(device(), made.pipeline, nullptr);
  // Null handles are ignored.
  vk().vkDestroyTensorARM(device(), VK_NULL_HANDLE, nullptr);
  vk().vkDestroyTensorViewARM(device(), VK_NULL_HANDLE, nullptr);
  vk().vkDestroyPipeline(device(), VK_NULL_HANDLE, nullptr);
}

// Descriptors may be bound before the pipeline.
TEST_P(LayerQuality, DescriptorsAndPipelinesAreBoundInAnyOrder) {
  const AppTensor x = tensor(VK_FORMAT_R32_SINT, {6}), y = tensor(VK_FORMAT_R32_SINT, {6});
  const AppGraph made = absolute(x, y);
  const VkDescriptorSet set = descriptor_set(made.set_layout, {&x, &y});
  for (const bool pipeline_first : {false, true}) {
    fill(x, std::vector<std::int32_t>(6, pipeline_first ? -3 : -4));
    run([&](VkCommandBuffer commands) {
      const auto bind = [&] { vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_DATA_GRAPH_ARM, made.pipeline); };
      if (pipeline_first) bind();
      vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_DATA_GRAPH_ARM, made.layout, 0, 1, &set, 0,
                                   nullptr);
      if (!pipeline_first) bind();
      vk().vkCmdDispatchDataGraphARM(commands, made.session, nullptr);
    });
    EXPECT_THAT(contents<std::int32_t>(y), Each(pipeline_first ? 3 : 4));
  }
}

// --- mistakes of the application -------------------------------------------------------------------------------------

TEST_P(LayerQuality, MistakesAreReportedAndHarmless) {
  if (!below()) GTEST_SKIP() << "the validation layer reports them";
  const AppTensor x = tensor(VK_FORMAT_R32_SINT, {4, 6}), y = tensor(VK_FORMAT_R32_SINT, {4, 6});
  AppGraph made =
      graph(testing::graph_module(
                "%0 = input i32[4, 6] at 0.0\n%1 = ABS(%0) i32[4, 6]\n%2 = REDUCE_SUM(%1) i32[1, 6] axis=0\n"
                "%3 = SUB(%1, %2) i32[4, 6]\noutput %3 at 0.1\n"),
            "main", {&x, &y});
  const VkDescriptorSet set = descriptor_set(made.set_layout, {&x, &y}), half = descriptor_set(made.set_layout, {&x});
  fill(y, std::vector<std::int32_t>(24, 7));
  const auto reported = [&](const std::function<void(VkCommandBuffer)>& record, const std::string& why) {
    run(record);
    EXPECT_THAT(take_messages(), Contains(HasSubstr(why)));
    EXPECT_THAT(contents<std::int32_t>(y), Each(7));
  };
  reported([&](VkCommandBuffer commands) { dispatch(commands, made, half); }, "no tensor is bound to set 0, binding 1");
  reported([&](VkCommandBuffer commands) { vk().vkCmdDispatchDataGraphARM(commands, made.session, nullptr); },
           "its pipeline is not the one that is bound");
  // A session without the memory that it needs.
  const VkDataGraphPipelineSessionCreateInfoARM create{
      .sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_SESSION_CREATE_INFO_ARM, .dataGraphPipeline = made.pipeline};
  const AppGraph with_memory = made;
  MUST(vk().vkCreateDataGraphPipelineSessionARM(device(), &create, nullptr, &made.session));
  at_end([this, session = made.session] { vk().vkDestroyDataGraphPipelineSessionARM(device(), session, nullptr); });
  // GPUs compute the graph in one kernel, which needs none.
  VkPhysicalDeviceProperties properties{};
  instance_functions().vkGetPhysicalDeviceProperties(physical(), &properties);
  if (properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU) {
    reported([&](VkCommandBuffer commands) { dispatch(commands, made, set); },
             "the session of a data graph has no memory");
  }
  fill(x, std::vector<std::int32_t>(24, -1));
  run([&](VkCommandBuffer commands) { dispatch(commands, with_memory, set); });
  EXPECT_THAT(contents<std::int32_t>(y), Each(1 - 4));
}

// A graph whose kernels need no memory works with a session that has none.
TEST_P(LayerQuality, SessionsNeedNoMemoryWithoutIntermediates) {
  if (!below()) GTEST_SKIP() << "the validation layer asks for memory at each bind point";
  const AppTensor x = tensor(VK_FORMAT_R32_SINT, {6}), y = tensor(VK_FORMAT_R32_SINT, {6});
  AppGraph made = absolute(x, y);
  const VkDataGraphPipelineSessionCreateInfoARM create{
      .sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_SESSION_CREATE_INFO_ARM, .dataGraphPipeline = made.pipeline};
  MUST(vk().vkCreateDataGraphPipelineSessionARM(device(), &create, nullptr, &made.session));
  at_end([this, session = made.session] { vk().vkDestroyDataGraphPipelineSessionARM(device(), session, nullptr); });
  fill(x, std::vector<std::int32_t>(6, -8));
  const VkDescriptorSet set = descriptor_set(made.set_layout, {&x, &y});
  run([&](VkCommandBuffer commands) { dispatch(commands, made, set); });
  EXPECT_THAT(contents<std::int32_t>(y), Each(8));
}

// --- hostile modules -------------------------------------------------------------------------------------------------

// A module with a few words or bits that differ, or without its end.
spirv::Words mutated(spirv::Words words, std::mt19937_64& random) {
  const auto below = [&](std::size_t count) { return static_cast<std::size_t>(random() % count); };
  for (std::size_t change = 1 + below(3); change > 0; --change) {
    std::uint32_t& word = words[spirv::kHeaderWords + below(words.size() - spirv::kHeaderWords)];
    switch (below(5)) {
      case 0:
        word ^= 1u << below(32);
        break;
      case 1:
        word = static_cast<std::uint32_t>(below(64));
        break;
      case 2:
        word = words[below(words.size())];
        break;
      case 3:
        word = static_cast<std::uint32_t>(random());
        break;
      default:
        words.resize(spirv::kHeaderWords + 1 + below(words.size() - spirv::kHeaderWords));
        break;
    }
  }
  return words;
}

// Modules of graphs and shaders as hostile applications make them: each is accepted, or refused with a code and a
// message. SLIPWAY_LAYER_MUTATIONS is the number of modules, SLIPWAY_LAYER_SEED the first seed.
TEST(LayerHostile, MutatedModulesNeverCrash) {
  if (!testing::UseLayer::is_here()) GTEST_SKIP() << "no layer here";
  const auto number_of = [](const char* name, std::uint64_t otherwise) {
    const char* given = std::getenv(name);
    return given != nullptr ? std::strtoull(given, nullptr, 10) : otherwise;
  };
  const testing::UseLayer layer(testing::Validation::Off);
  platform::set_environment("SLIPWAY_LAYER_LOG", "off");  // messages come to the application
  testing::LayerApp app;
  app.validation_ = false;
  app.start();
  platform::remove_environment("SLIPWAY_LAYER_LOG");
  const AppTensor x = app.tensor(VK_FORMAT_R32_SINT, {4, 6}), y = app.tensor(VK_FORMAT_R32_SINT, {4, 6});
  const std::vector<std::int32_t> c(24, 5);
  const std::vector<testing::AppConstant> constants = {{0, VK_FORMAT_R32_SINT, {4, 6}, c.data()}};
  const spirv::Words graph = testing::graph_module(
      "%0 = input i32[4, 6] at 0.0\n%1 = const i32[4, 6] graph_constant 0\n%2 = ADD(%0, %1) i32[4, 6]\n"
      "%3 = REDUCE_SUM(%2) i32[1, 6] axis=0\n%4 = ADD(%2, %3) i32[4, 6]\noutput %4 at 0.1\n");
  const auto shader = shader::compile(
      make_source("t.comp",
                  "#version 460\n#extension GL_ARM_tensors : require\n"
                  "layout(set = 0, binding = 0) uniform tensorARM<int, 2> x[2];\n"
                  "layout(set = 0, binding = 1) uniform tensorARM<int, 2> y;\n"
                  "void main() { int v[3]; for (uint i = 0; i < tensorSizeARM(y, 0); ++i) {\n"
                  "  tensorReadARM(x[i % 2], uint[](i, 0u), v); tensorWriteARM(y, uint[](i, 1u), v[1] + 1); } }\n"),
      shader::Language::Glsl);
  ASSERT_TRUE(shader);
  const VkPipelineLayout layout = app.pipeline_layout(app.tensor_layout(2));
  const std::uint64_t first = number_of("SLIPWAY_LAYER_SEED", 1), count = number_of("SLIPWAY_LAYER_MUTATIONS", 400);
  std::array<std::size_t, 2> accepted{}, refused{};
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    std::mt19937_64 random(seed);
    const bool is_graph = seed % 2 == 0;
    const spirv::Words words = mutated(is_graph ? graph : shader->words, random);
    VkResult result = VK_SUCCESS;
    if (is_graph) {
      VkPipeline made = VK_NULL_HANDLE;
      result = app.create_graph(words, "main", {&x, &y}, constants, VK_NULL_HANDLE, layout, made);
      app.vk().vkDestroyPipeline(app.device(), made, nullptr);
    } else {
      // The driver does not look at the code yet.
      const VkShaderModuleCreateInfo code{.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                          .codeSize = words.size() * sizeof(std::uint32_t),
                                          .pCode = words.data()};
      VkShaderModule made = VK_NULL_HANDLE;
      result = app.vk().vkCreateShaderModule(app.device(), &code, nullptr, &made);
      if (result == VK_SUCCESS) app.vk().vkDestroyShaderModule(app.device(), made, nullptr);
    }
    ++(result == VK_SUCCESS ? accepted : refused)[is_graph ? 1 : 0];
    const std::vector<std::string> messages = app.take_messages();
    if (result == VK_SUCCESS) continue;
    EXPECT_EQ(result, is_graph ? VK_ERROR_INITIALIZATION_FAILED : VK_ERROR_INVALID_SHADER_NV) << "seed " << seed;
    EXPECT_FALSE(messages.empty()) << "seed " << seed;
  }
  for (int kind = 0; kind < 2; ++kind) {
    EXPECT_GT(accepted[static_cast<std::size_t>(kind)], 0u);
    EXPECT_GT(refused[static_cast<std::size_t>(kind)], 0u);
  }
}

// --- the library -----------------------------------------------------------------------------------------------------

// A copy of the library is loaded, asked, and unloaded, again and again.
TEST(LayerLibrary, IsUnloaded) {
  if (!testing::UseLayer::is_here()) GTEST_SKIP() << "no layer here";
  const testing::ScratchDirectory directory;
  const std::string copy = (directory.path() / "libcopy_of_the_layer.so").string();
  std::filesystem::copy_file(testing::UseLayer::library(), copy);
  for (int round = 0; round < 3; ++round) {
    void* library = dlopen(copy.c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    const auto negotiate = reinterpret_cast<PFN_vkNegotiateLoaderLayerInterfaceVersion>(
        dlsym(library, "vkNegotiateLoaderLayerInterfaceVersion"));
    ASSERT_NE(negotiate, nullptr);
    VkNegotiateLayerInterface interface{.sType = LAYER_NEGOTIATE_INTERFACE_STRUCT, .loaderLayerInterfaceVersion = 2};
    EXPECT_EQ(negotiate(&interface), VK_SUCCESS);
    std::uint32_t count = 0;
    const auto enumerate = reinterpret_cast<PFN_vkEnumerateInstanceLayerProperties>(
        interface.pfnGetInstanceProcAddr(nullptr, "vkEnumerateInstanceLayerProperties"));
    ASSERT_NE(enumerate, nullptr);
    EXPECT_EQ(enumerate(&count, nullptr), VK_SUCCESS);
    EXPECT_EQ(count, 1u);
    EXPECT_EQ(dlclose(library), 0);
    EXPECT_EQ(dlopen(copy.c_str(), RTLD_NOW | RTLD_NOLOAD), nullptr) << "the library stays in the process";
  }
}

// A process that has used the layer starts another one, which uses it, too; the first one goes on.
TEST_P(LayerQuality, ProcessesAreForked) {
  if (!below()) GTEST_SKIP() << "the validation layer has threads";
  VkPhysicalDeviceProperties properties{};
  instance_functions().vkGetPhysicalDeviceProperties(physical(), &properties);
  if (properties.deviceType != VK_PHYSICAL_DEVICE_TYPE_CPU) GTEST_SKIP() << "drivers of GPUs need not support it";
  const AppTensor x = tensor(VK_FORMAT_R32_SINT, {6}), y = tensor(VK_FORMAT_R32_SINT, {6});
  const AppGraph made = absolute(x, y);
  const VkDescriptorSet set = descriptor_set(made.set_layout, {&x, &y});
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(60);
    // An instance and a device of its own; the pipelines of a graph are made by threads.
    int status = 1;
    {
      testing::LayerApp app;
      app.validation_ = false;
      const AppTensor from = app.tensor(VK_FORMAT_R32_SINT, {6}), to = app.tensor(VK_FORMAT_R32_SINT, {6});
      const AppGraph own =
          app.graph(testing::graph_module("%0 = input i32[6] at 0.0\n%1 = NEGATE(%0) i32[6] input1_zp=0 output_zp=0\n"
                                          "output %1 at 0.1\n"),
                    "main", {&from, &to});
      const VkDescriptorSet own_set = app.descriptor_set(own.set_layout, {&from, &to});
      fill(from, std::vector<std::int32_t>{1, 2, 3, 4, 5, 6});
      app.run([&](VkCommandBuffer commands) { app.dispatch(commands, own, own_set); });
      if (contents<std::int32_t>(to)[5] == -6) status = 0;
    }
    _exit(status);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  fill(x, std::vector<std::int32_t>(6, -5));
  run([&](VkCommandBuffer commands) { dispatch(commands, made, set); });
  EXPECT_THAT(contents<std::int32_t>(y), Each(5));
}

}  // namespace
}  // namespace slipway::layer
