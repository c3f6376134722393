// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each call below the layer fails in turn: the application gets an error, and everything is freed.
#include <dlfcn.h>
#include <gmock/gmock.h>

#include <cmath>
#include <numeric>

#include "platform/process.hpp"
#include "shader/compile.hpp"
#include "testing/layer_fixture.hpp"

namespace slipway::layer {
namespace {

using testing::AppGraph;
using testing::AppTensor;
using testing::must;

class LayerFaults : public testing::LayerTest {
 protected:
  LayerFaults() : LayerTest(testing::Validation::WithFaults) {}

  void SetUp() override {
    LayerTest::SetUp();
    const auto compiled = shader::compile(
        make_source(
            "t.comp",
            "#version 460\n#extension GL_ARM_tensors : require\n"
            "layout(set = 0, binding = 0) uniform tensorARM<int, 2> x;\n"
            "layout(set = 0, binding = 1) uniform tensorARM<int, 2> y;\n"
            "void main() { int v; tensorReadARM(x, uint[](0, 0), v); tensorWriteARM(y, uint[](0, 0), v + 1); }\n"),
        shader::Language::Glsl);
    ASSERT_TRUE(compiled);
    shader_ = compiled->words;
    library_ = dlopen(SLIPWAY_FAULT_LAYER "/libslipway_fault_layer.so", RTLD_NOW);
    if (library_ == nullptr) GTEST_SKIP() << "no layer with failures here";
    commands_ = reinterpret_cast<std::uint64_t (*)()>(dlsym(library_, "fault_layer_commands"));
    fail_at_ = reinterpret_cast<void (*)(std::uint64_t)>(dlsym(library_, "fault_layer_fail_at"));
    state_ = reinterpret_cast<void (*)(char*, char*, std::size_t)>(dlsym(library_, "fault_layer_state"));
  }

  void everything() {
    const AppTensor x = tensor(VK_FORMAT_R32_SINT, {4, 6}, {64, 4}), y = tensor(VK_FORMAT_R32_SINT, {4, 6});
    std::vector<std::int32_t> c(24, 5), values(24);
    std::iota(values.begin(), values.end(), 0);
    const AppGraph made = graph(testing::graph_module("%0 = input i32[4, 6] at 0.0\n"
                                                      "%1 = const i32[4, 6] graph_constant 0\n"
                                                      "%2 = ADD(%0, %1) i32[4, 6]\n"
                                                      "%3 = REDUCE_SUM(%2) i32[1, 6] axis=0\n"
                                                      "%4 = ADD(%2, %3) i32[4, 6]\n"
                                                      "output %4 at 0.1\n"),
                                "main", {&x, &y}, {{0, VK_FORMAT_R32_SINT, {4, 6}, c.data()}});
    const VkDescriptorSet set = descriptor_set(made.set_layout, {&x, &y});
    testing::fill(x, values);
    run([&](VkCommandBuffer commands) { dispatch(commands, made, set); });
    EXPECT_EQ(testing::contents<std::int32_t>(y)[23], 23 + 5 + (5 + 11 + 17 + 23 + 20));

    // A graph with many kernels, which has a command buffer of its own after a while.
    const AppTensor from = tensor(VK_FORMAT_R32_SFLOAT, {1, 2, 2}), to = tensor(VK_FORMAT_R32_SFLOAT, {1, 2, 2});
    const AppGraph chain = graph(testing::graph_module(testing::matrix_products(6, 2)), "main", {&from, &to});
    const VkDescriptorSet chain_set = descriptor_set(chain.set_layout, {&from, &to});
    testing::fill(from, std::vector<float>{1, 0, 0, 2});
    for (int i = 0; i < 3; ++i) {
      testing::fill(to, std::vector<float>(4));
      run([&](VkCommandBuffer commands) { dispatch(commands, chain, chain_set); });
      EXPECT_EQ(testing::contents<float>(to)[3], std::ldexp(1.0f, 64));
    }

    // A shader with tensors after the graph, in a secondary command buffer; its set is a copy of another one.
    const VkPipeline shader = compute_pipeline(shader_, made.layout);
    const AppTensor z = tensor(VK_FORMAT_R32_SINT, {4, 6});
    const VkDescriptorSet first = descriptor_set(made.set_layout, {&y, &z}), copy = descriptor_set(made.set_layout, {});
    const VkCopyDescriptorSet copies[] = {{VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET, nullptr, first, 0, 0, copy, 0, 0, 1},
                                          {VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET, nullptr, first, 1, 0, copy, 1, 0, 1}};
    vk().vkUpdateDescriptorSets(device(), 0, nullptr, 2, copies);
    const VkCommandBuffer secondary = command_buffer(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
    begin(secondary);
    dispatch(secondary, made, set);
    full_barrier(secondary);
    vk().vkCmdBindPipeline(secondary, VK_PIPELINE_BIND_POINT_COMPUTE, shader);
    vk().vkCmdBindDescriptorSets(secondary, VK_PIPELINE_BIND_POINT_COMPUTE, made.layout, 0, 1, &copy, 0, nullptr);
    vk().vkCmdDispatch(secondary, 1, 1, 1);
    MUST(vk().vkEndCommandBuffer(secondary));
    run([&](VkCommandBuffer commands) { vk().vkCmdExecuteCommands(commands, 1, &secondary); });
    EXPECT_EQ(testing::contents<std::int32_t>(z)[0], testing::contents<std::int32_t>(y)[0] + 1);

    // An image for tensors, and a tensor for images.
    const VkImageCreateInfo image_info{
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
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
    const std::int64_t shape[] = {3, 5, 4};
    const VkTensorDescriptionARM description{
        .sType = VK_STRUCTURE_TYPE_TENSOR_DESCRIPTION_ARM,
        .tiling = VK_TENSOR_TILING_OPTIMAL_ARM,
        .format = VK_FORMAT_R8_UINT,
        .dimensionCount = 3,
        .pDimensions = shape,
        .usage = VK_TENSOR_USAGE_TRANSFER_SRC_BIT_ARM | VK_TENSOR_USAGE_IMAGE_ALIASING_BIT_ARM};
    const VkTensorCreateInfoARM tensor_info{.sType = VK_STRUCTURE_TYPE_TENSOR_CREATE_INFO_ARM,
                                            .pDescription = &description};
    VkTensorARM alias = VK_NULL_HANDLE;
    MUST(vk().vkCreateTensorARM(device(), &tensor_info, nullptr, &alias));
    at_end([=, this] { vk().vkDestroyTensorARM(device(), alias, nullptr); });
  }

  bool has_nested() {
    VkPhysicalDeviceNestedCommandBufferFeaturesEXT nested{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_NESTED_COMMAND_BUFFER_FEATURES_EXT};
    VkPhysicalDeviceFeatures2 features{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &nested};
    instance_functions().vkGetPhysicalDeviceFeatures2(physical(), &features);
    return nested.nestedCommandBufferSimultaneousUse != VK_FALSE;
  }
  bool has_inherited_queries() {
    VkPhysicalDeviceFeatures features{};
    instance_functions().vkGetPhysicalDeviceFeatures(physical(), &features);
    return features.inheritedQueries != VK_FALSE;
  }

  std::string log_of(VkPipeline pipeline) {
    const VkDataGraphPipelineInfoARM of{.sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_INFO_ARM,
                                        .dataGraphPipeline = pipeline};
    VkDataGraphPipelinePropertyQueryResultARM log{
        .sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_PROPERTY_QUERY_RESULT_ARM,
        .property = VK_DATA_GRAPH_PIPELINE_PROPERTY_CREATION_LOG_ARM};
    MUST(vk().vkGetDataGraphPipelinePropertiesARM(device(), &of, 1, &log));
    std::string text(log.dataSize, ' ');
    log.pData = text.data();
    MUST(vk().vkGetDataGraphPipelinePropertiesARM(device(), &of, 1, &log));
    return text;
  }

  spirv::Words shader_;
  void* library_ = nullptr;
  void (*fail_at_)(std::uint64_t) = nullptr;
  std::uint64_t (*commands_)() = nullptr;
  void (*state_)(char*, char*, std::size_t) = nullptr;
};

// From the third time on, a graph is recorded with one call; with the same results, wherever its command buffers are
// used.
TEST_F(LayerFaults, GraphsAreRecordedOnce) {
  constexpr int operators = 6;
  const AppTensor x = tensor(VK_FORMAT_R32_SFLOAT, {1, 2, 2}), y = tensor(VK_FORMAT_R32_SFLOAT, {1, 2, 2}),
                  z = tensor(VK_FORMAT_R32_SFLOAT, {1, 2, 2});
  const AppGraph made = graph(testing::graph_module(testing::matrix_products(operators, 2)), "main", {&x, &y});
  const VkDescriptorSet set = descriptor_set(made.set_layout, {&x, &y}),
                        other = descriptor_set(made.set_layout, {&x, &z});
  testing::fill(x, std::vector<float>{1, 0, 0, 2});
  const auto run_it = [&](VkDescriptorSet with, const AppTensor& result, bool state = false, int times = 1) {
    testing::fill(result, std::vector<float>(4));
    commands_();
    std::uint64_t calls = 0;
    run([&](VkCommandBuffer commands) {
      if (state) vk().vkCmdSetLineWidth(commands, 1);
      for (int i = 0; i < times; ++i) {
        dispatch(commands, made, with);
        full_barrier(commands);
      }
      calls = commands_();
    });
    EXPECT_EQ(testing::contents<float>(result)[3], std::ldexp(1.0f, 1 << operators));
    return calls;
  };
  const std::string log = log_of(made.pipeline);
  constexpr std::string_view before = "recording: ";
  ASSERT_NE(log.find(before), std::string::npos) << log;
  const std::uint64_t all = std::stoull(log.substr(log.find(before) + before.size()));
  EXPECT_GE(all, std::uint64_t{3} * operators);
  EXPECT_EQ(run_it(set, y), all);
  EXPECT_EQ(run_it(set, y), all + 1);  // into a command buffer of its own, and executed
  EXPECT_EQ(run_it(set, y), 1u);
  EXPECT_EQ(run_it(set, y, false, 3), 3u);
  // Tensors that are not known; state of the application, which is set again.
  EXPECT_EQ(run_it(other, z), all);
  EXPECT_EQ(run_it(set, y, true), 1u);
  // A query that is active would have to be inherited.
  const VkQueryPoolCreateInfo query_info{
      .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = VK_QUERY_TYPE_OCCLUSION, .queryCount = 1};
  VkQueryPool queries = VK_NULL_HANDLE;
  MUST(vk().vkCreateQueryPool(device(), &query_info, nullptr, &queries));
  at_end([=, this] { vk().vkDestroyQueryPool(device(), queries, nullptr); });
  run([&](VkCommandBuffer commands) {
    vk().vkCmdResetQueryPool(commands, queries, 0, 1);
    vk().vkCmdBeginQuery(commands, queries, 0, 0);
    commands_();
    dispatch(commands, made, set);
    EXPECT_EQ(commands_(), all);
    vk().vkCmdEndQuery(commands, queries, 0);
    full_barrier(commands);
    commands_();
    dispatch(commands, made, set);
    EXPECT_EQ(commands_(), 1u);
  });
  // Another session has no command buffers yet; one that is destroyed frees its own.
  AppGraph again = made;
  again.session = session(made.pipeline, nullptr);
  for (int i = 0; i < 3; ++i) {
    commands_();
    run([&](VkCommandBuffer commands) { dispatch(commands, again, set); });
    EXPECT_EQ(commands_(), i == 0 ? all : i == 1 ? all + 1 : 1);
  }
  // Secondary command buffers execute others if the device has VK_EXT_nested_command_buffer; not with queries, which
  // would have to be inherited.
  const VkCommandBuffer secondary = command_buffer(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
  for (const bool queried : {false, true}) {
    if (queried && !has_inherited_queries()) continue;
    const VkCommandBufferInheritanceInfo inheritance{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
                                                     .occlusionQueryEnable = queried ? VK_TRUE : VK_FALSE};
    const VkCommandBufferBeginInfo info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                        .flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT,
                                        .pInheritanceInfo = &inheritance};
    MUST(vk().vkBeginCommandBuffer(secondary, &info));
    commands_();
    dispatch(secondary, made, set);
    EXPECT_EQ(commands_(), has_nested() && !queried ? 1 : all) << queried;
    MUST(vk().vkEndCommandBuffer(secondary));
    testing::fill(y, std::vector<float>(4));
    run([&](VkCommandBuffer commands) { vk().vkCmdExecuteCommands(commands, 1, &secondary); });
    EXPECT_EQ(testing::contents<float>(y)[3], std::ldexp(1.0f, 1 << operators));
  }
  // One that is pending twice, beside another one with the same graph.
  const VkCommandBuffer first = command_buffer(), second = command_buffer();
  for (const VkCommandBuffer commands : {first, second}) {
    begin(commands, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
    full_barrier(commands);
    dispatch(commands, made, set);
    MUST(vk().vkEndCommandBuffer(commands));
  }
  submit({first, second, first});
  EXPECT_EQ(testing::contents<float>(y)[3], std::ldexp(1.0f, 1 << operators));
  // More sets of tensors than are kept.
  std::vector<AppTensor> results;
  for (int i = 0; i < 20; ++i) results.push_back(tensor(VK_FORMAT_R32_SFLOAT, {1, 2, 2}));
  std::vector<VkDescriptorSet> sets;
  for (const AppTensor& result : results) sets.push_back(descriptor_set(made.set_layout, {&x, &result}));
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < sets.size(); ++i) run_it(sets[i], results[i]);
  }
  EXPECT_EQ(run_it(set, y), 1u);
}

// What the application has set for compute shaders is set again after a command buffer of the layer.
TEST_F(LayerFaults, ComputeStateStaysAroundGraphsThatAreRecordedOnce) {
  const AppTensor x = tensor(VK_FORMAT_R32_SFLOAT, {1, 2, 2}), y = tensor(VK_FORMAT_R32_SFLOAT, {1, 2, 2});
  const AppGraph made = graph(testing::graph_module(testing::matrix_products(6, 2)), "main", {&x, &y});
  const VkDescriptorSet set = descriptor_set(made.set_layout, {&x, &y});
  testing::fill(x, std::vector<float>{1, 0, 0, 2});
  const AppTensor a = tensor(VK_FORMAT_R32_SINT, {4, 6}), b = tensor(VK_FORMAT_R32_SINT, {4, 6});
  const VkDescriptorSetLayout sets = tensor_layout(2);
  const VkPipelineLayout layout = pipeline_layout(sets);
  const VkPipeline shader = compute_pipeline(shader_, layout);
  const VkDescriptorSet own = descriptor_set(sets, {&a, &b}), other = descriptor_set(sets, {&b, &a});
  for (int round = 0; round < 3; ++round) {
    testing::fill(a, std::vector<std::int32_t>(24, 10 * round));
    testing::fill(b, std::vector<std::int32_t>(24));
    testing::fill(y, std::vector<float>(4));
    commands_();
    run([&](VkCommandBuffer commands) {
      vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, shader);
      vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &other, 0, nullptr);
      vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &own, 0, nullptr);
      dispatch(commands, made, set);
      vk().vkCmdDispatch(commands, 1, 1, 1);
    });
    // The application's pipeline twice and its dispatch, and the graph.
    if (round == 2) {
      EXPECT_EQ(commands_(), 3u + 1u);
    }
    EXPECT_EQ(testing::contents<std::int32_t>(b)[0], 10 * round + 1);
    EXPECT_EQ(testing::contents<float>(y)[3], std::ldexp(1.0f, 64));
  }
}

// Copies of tensors with gaps name buffers, so that such a graph is recorded each time.
TEST_F(LayerFaults, GraphsWithGapsAreRecordedEachTime) {
  const AppTensor x = tensor(VK_FORMAT_R32_SFLOAT, {1, 2, 2}, {64, 16, 4}), y = tensor(VK_FORMAT_R32_SFLOAT, {1, 2, 2});
  const AppGraph made = graph(testing::graph_module(testing::matrix_products(6, 2)), "main", {&x, &y});
  const VkDescriptorSet set = descriptor_set(made.set_layout, {&x, &y});
  testing::fill(x, std::vector<float>{1, 0, 0, 2});
  for (int i = 0; i < 3; ++i) {
    commands_();
    run([&](VkCommandBuffer commands) { dispatch(commands, made, set); });
    EXPECT_GT(commands_(), 12u);
    EXPECT_EQ(testing::contents<float>(y)[3], std::ldexp(1.0f, 64));
  }
}

TEST_F(LayerFaults, EachCallFailsInTurn) {
  platform::set_environment("SLIPWAY_LAYER_CACHE", "off");
  std::size_t failures = 0;
  for (std::uint64_t n = 1;; ++n) {
    fail_at_(n);
    std::string error;
    try {
      everything();
    } catch (const std::runtime_error& thrown) {
      error = thrown.what();
    }
    stop();
    char failed[256], leaks[1024];
    state_(failed, leaks, sizeof failed);
    EXPECT_STREQ(leaks, "") << "after call " << n << ", " << failed;
    if (*failed == 0) {
      EXPECT_EQ(error, "");
      break;
    }
    // Memory of the layer may also be of another type, and a graph needs no command buffer of its own.
    constexpr std::string_view kOptional[] = {"vkAllocateMemory", "vkCreateCommandPool", "vkAllocateCommandBuffers",
                                              "vkBeginCommandBuffer"};
    if (!std::ranges::contains(kOptional, std::string_view(failed))) {
      EXPECT_NE(error, "") << failed;
    }
    ++failures;
    ASSERT_LT(n, 1000u);
  }
  platform::remove_environment("SLIPWAY_LAYER_CACHE");
  EXPECT_GT(failures, 40u);
  // Messages about what the application leaves undone after an error are not of interest.
  static_cast<void>(take_messages());
}

}  // namespace
}  // namespace slipway::layer
