// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random graphs and random sequences of calls, compared with the interpreter and with a model of the shaders.
// SLIPWAY_LAYER_SEED is the first seed, SLIPWAY_LAYER_GRAPHS and SLIPWAY_LAYER_SEQUENCES are counts.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <mutex>
#include <numeric>
#include <optional>
#include <random>
#include <thread>

#include "base/print_diagnostic.hpp"
#include "reference/run.hpp"
#include "shader/compile.hpp"
#include "testing/layer_fixture.hpp"
#include "testing/operator_graphs.hpp"
#include "testing/tosa/suite.hpp"
#include "tosa/check/verify.hpp"
#include "tosa/vulkan_format.hpp"
#include "tosa/write/write_spirv.hpp"
#include "tosa_cases/random_graph.hpp"

namespace slipway::layer {
namespace {

using testing::AppGraph;
using testing::AppTensor;
using testing::must;
using testing::number_of;

class LayerSequences : public testing::LayerTest, public ::testing::WithParamInterface<testing::Validation> {
 protected:
  LayerSequences() : LayerTest(GetParam()) {}

  // Gaps between rows, or none.
  std::vector<std::int64_t> random_strides(const std::vector<std::int64_t>& shape, std::int64_t size) {
    if (random_() % 2 == 0) return {};
    std::vector<std::int64_t> strides(shape.size());
    std::int64_t stride = size;
    for (std::size_t d = shape.size(); d-- > 0;) {
      strides[d] = stride;
      stride = stride * shape[d] + (d > 0 ? size * static_cast<std::int64_t>(random_() % 3) : 0);
    }
    return strides;
  }

  AppTensor random_tensor(VkFormat format, const std::vector<std::int64_t>& shape, std::int64_t size) {
    return tensor(format, shape, random_strides(shape, size));
  }

  void copy(VkCommandBuffer commands, const AppTensor& from, const AppTensor& to) {
    const VkTensorCopyARM region{.sType = VK_STRUCTURE_TYPE_TENSOR_COPY_ARM};
    const VkCopyTensorInfoARM info{.sType = VK_STRUCTURE_TYPE_COPY_TENSOR_INFO_ARM,
                                   .srcTensor = from.tensor,
                                   .dstTensor = to.tensor,
                                   .regionCount = 1,
                                   .pRegions = &region};
    vk().vkCmdCopyTensorARM(commands, &info);
  }

  // The results of a graph on the layer; nothing if a tensor has a type without a format.
  std::optional<std::vector<reference::Tensor>> run_graph(tosa::Graph graph, std::vector<reference::Tensor> inputs) {
    graph.name = "main";
    const auto has_format = [&](tosa::ValueId value) { return graph[value].type.data != tosa::DataType::I4; };
    if (!std::ranges::all_of(graph.inputs, has_format) || !std::ranges::all_of(graph.outputs, has_format))
      return std::nullopt;
    std::uint32_t binding = 0;
    graph.input_bindings.clear();
    graph.output_bindings.clear();
    for (std::size_t i = 0; i < graph.inputs.size(); ++i) graph.input_bindings.push_back({0, binding++});
    for (std::size_t i = 0; i < graph.outputs.size(); ++i) graph.output_bindings.push_back({0, binding++});
    const auto words = tosa::write_graph_module(graph);
    if (!words) throw std::runtime_error(format_diagnostics(words.error()));

    std::vector<AppTensor> tensors;
    const auto add = [&](tosa::ValueId value) {
      const tosa::TensorType& type = graph[value].type;
      const tensor::Shape shape = type.shape.empty() ? tensor::Shape{1} : type.shape;
      const auto format = static_cast<VkFormat>(tosa::tensor_format(type.data));
      tensors.push_back(
          random_tensor(format, {shape.begin(), shape.end()}, tensor::size_of(tosa::storage_of(type.data))));
    };
    for (const tosa::ValueId input : graph.inputs) add(input);
    for (const tosa::ValueId output : graph.outputs) add(output);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const std::vector<std::byte> bytes = inputs[i].to_bytes();
      const std::size_t size = tensor::size_of(tosa::storage_of(inputs[i].type.data));
      testing::for_each_element(tensors[i], size, [&](std::size_t index, std::byte* at) {
        std::memcpy(at, bytes.data() + index * size, size);
      });
    }
    std::vector<const AppTensor*> all;
    for (const AppTensor& one : tensors) all.push_back(&one);
    const AppGraph made = this->graph(*words, "main", all);
    const VkDescriptorSet set = descriptor_set(made.set_layout, all);
    run([&](VkCommandBuffer commands) { dispatch(commands, made, set); });
    std::vector<reference::Tensor> results;
    for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
      const tosa::TensorType& type = graph[graph.outputs[i]].type;
      const std::size_t size = tensor::size_of(tosa::storage_of(type.data));
      std::vector<std::byte> bytes;
      testing::for_each_element(tensors[inputs.size() + i], size,
                                [&](std::size_t, std::byte* at) { bytes.insert(bytes.end(), at, at + size); });
      results.push_back(reference::Tensor::from_bytes(type, bytes));
    }
    return results;
  }

  bool has_vertex_tensors() {
    VkPhysicalDeviceTensorPropertiesARM tensors{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TENSOR_PROPERTIES_ARM};
    VkPhysicalDeviceProperties2 all{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &tensors};
    instance_functions().vkGetPhysicalDeviceProperties2(physical(), &all);
    return (tensors.shaderTensorSupportedStages & VK_SHADER_STAGE_VERTEX_BIT) != 0;
  }

  // For vertex and compute shaders, with 8 bytes of push constants.
  VkPipelineLayout layout_of_both(VkDescriptorSetLayout set) {
    const VkPushConstantRange range{VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_COMPUTE_BIT, 0, 8};
    const VkPipelineLayoutCreateInfo create{.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                            .setLayoutCount = 1,
                                            .pSetLayouts = &set,
                                            .pushConstantRangeCount = 1,
                                            .pPushConstantRanges = &range};
    VkPipelineLayout made = VK_NULL_HANDLE;
    MUST(vk().vkCreatePipelineLayout(device(), &create, nullptr, &made));
    at_end([=, this] { vk().vkDestroyPipelineLayout(device(), made, nullptr); });
    return made;
  }

  // A pipeline of points without pixels, with an integer for each instance from a vertex buffer.
  VkPipeline vertex_pipeline(const spirv::Words& words, VkPipelineLayout layout) {
    return graphics_pipeline({.stages = {stage(VK_SHADER_STAGE_VERTEX_BIT, words)},
                              .bindings = {{0, 4, VK_VERTEX_INPUT_RATE_INSTANCE}},
                              .attributes = {{0, 0, VK_FORMAT_R32_SINT, 0}},
                              .topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST,
                              .rasterizes = false,
                              .dynamic = {VK_DYNAMIC_STATE_PRIMITIVE_TOPOLOGY}},
                             layout);
  }

  // Integers 0, 1, ... in a vertex buffer.
  VkBuffer vertex_buffer(std::int32_t count) {
    const VkBufferCreateInfo create{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                    .size = static_cast<VkDeviceSize>(count) * 4,
                                    .usage = VK_BUFFER_USAGE_VERTEX_BUFFER_BIT};
    VkBuffer made = VK_NULL_HANDLE;
    MUST(vk().vkCreateBuffer(device(), &create, nullptr, &made));
    at_end([=, this] { vk().vkDestroyBuffer(device(), made, nullptr); });
    VkMemoryRequirements needs{};
    vk().vkGetBufferMemoryRequirements(device(), made, &needs);
    std::byte* mapped = nullptr;
    MUST(vk().vkBindBufferMemory(device(), made, memory(needs, &mapped), 0));
    for (std::int32_t i = 0; i < count; ++i) std::memcpy(mapped + 4 * i, &i, 4);
    return made;
  }

  void draw_points(VkCommandBuffer commands, std::uint32_t count) {
    const VkRenderingInfo rendering{
        .sType = VK_STRUCTURE_TYPE_RENDERING_INFO, .renderArea = {{0, 0}, {1, 1}}, .layerCount = 1};
    everything_barrier(commands);
    vk().vkCmdBeginRendering(commands, &rendering);
    vk().vkCmdDraw(commands, count, 1, 0, 0);
    vk().vkCmdEndRendering(commands);
    everything_barrier(commands);
  }

  void everything_barrier(VkCommandBuffer commands) {
    const VkMemoryBarrier2 barrier{.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
                                   .srcStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
                                   .srcAccessMask = VK_ACCESS_2_MEMORY_WRITE_BIT,
                                   .dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
                                   .dstAccessMask = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT};
    const VkDependencyInfo info{
        .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO, .memoryBarrierCount = 1, .pMemoryBarriers = &barrier};
    vk().vkCmdPipelineBarrier2(commands, &info);
  }

  // A graph and a shader in a command buffer of its own. Safe from any thread.
  void record_and_submit(VkPipeline graph, VkDescriptorSetLayout sets, VkPipelineLayout layout, VkTensorViewARM from,
                         const AppTensor& to, const spirv::Words& code, std::mutex& submission) {
    const VkCommandPoolCreateInfo pool_info{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                            .queueFamilyIndex = family()};
    VkCommandPool pool = VK_NULL_HANDLE;
    MUST(vk().vkCreateCommandPool(device(), &pool_info, nullptr, &pool));
    const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_TENSOR_ARM, 2};
    const VkDescriptorPoolCreateInfo descriptors_info{
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 1, .pPoolSizes = &size};
    VkDescriptorPool descriptors = VK_NULL_HANDLE;
    MUST(vk().vkCreateDescriptorPool(device(), &descriptors_info, nullptr, &descriptors));
    const VkDescriptorSetAllocateInfo set_info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                               .descriptorPool = descriptors,
                                               .descriptorSetCount = 1,
                                               .pSetLayouts = &sets};
    VkDescriptorSet set = VK_NULL_HANDLE;
    MUST(vk().vkAllocateDescriptorSets(device(), &set_info, &set));
    const VkTensorViewARM views[] = {from, to.view};
    for (std::uint32_t i = 0; i < 2; ++i) {
      const VkWriteDescriptorSetTensorARM tensors{
          .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_TENSOR_ARM, .tensorViewCount = 1, .pTensorViews = &views[i]};
      const VkWriteDescriptorSet write{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                       .pNext = &tensors,
                                       .dstSet = set,
                                       .dstBinding = i,
                                       .descriptorCount = 1,
                                       .descriptorType = VK_DESCRIPTOR_TYPE_TENSOR_ARM};
      vk().vkUpdateDescriptorSets(device(), 1, &write, 0, nullptr);
    }
    const VkShaderModuleCreateInfo module{.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                          .codeSize = code.size() * sizeof(std::uint32_t),
                                          .pCode = code.data()};
    const VkComputePipelineCreateInfo shader_info{
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .pNext = &module,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .pName = "main"},
        .layout = layout};
    VkPipeline shader = VK_NULL_HANDLE;
    MUST(vk().vkCreateComputePipelines(device(), VK_NULL_HANDLE, 1, &shader_info, nullptr, &shader));
    const VkDataGraphPipelineSessionCreateInfoARM session_info{
        .sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_SESSION_CREATE_INFO_ARM, .dataGraphPipeline = graph};
    VkDataGraphPipelineSessionARM session = VK_NULL_HANDLE;
    MUST(vk().vkCreateDataGraphPipelineSessionARM(device(), &session_info, nullptr, &session));
    const VkDataGraphPipelineSessionMemoryRequirementsInfoARM needs_info{
        .sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_SESSION_MEMORY_REQUIREMENTS_INFO_ARM,
        .session = session,
        .bindPoint = VK_DATA_GRAPH_PIPELINE_SESSION_BIND_POINT_TRANSIENT_ARM};
    std::uint32_t count = 1;
    const VkDataGraphPipelineSessionBindPointRequirementsInfoARM points_info{
        .sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_SESSION_BIND_POINT_REQUIREMENTS_INFO_ARM, .session = session};
    VkDataGraphPipelineSessionBindPointRequirementARM point{
        .sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_SESSION_BIND_POINT_REQUIREMENT_ARM};
    MUST(vk().vkGetDataGraphPipelineSessionBindPointRequirementsARM(device(), &points_info, &count, &point));
    VkMemoryRequirements2 needs{.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
    vk().vkGetDataGraphPipelineSessionMemoryRequirementsARM(device(), &needs_info, &needs);
    VkMemoryAllocateInfo memory_info{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                     .allocationSize = needs.memoryRequirements.size};
    while ((needs.memoryRequirements.memoryTypeBits >> memory_info.memoryTypeIndex & 1) == 0)
      ++memory_info.memoryTypeIndex;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    MUST(vk().vkAllocateMemory(device(), &memory_info, nullptr, &memory));
    const VkBindDataGraphPipelineSessionMemoryInfoARM bind{
        .sType = VK_STRUCTURE_TYPE_BIND_DATA_GRAPH_PIPELINE_SESSION_MEMORY_INFO_ARM,
        .session = session,
        .bindPoint = point.bindPoint,
        .memory = memory};
    MUST(vk().vkBindDataGraphPipelineSessionMemoryARM(device(), 1, &bind));

    const VkCommandBufferAllocateInfo commands_info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                    .commandPool = pool,
                                                    .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                    .commandBufferCount = 1};
    VkCommandBuffer commands = nullptr;
    MUST(vk().vkAllocateCommandBuffers(device(), &commands_info, &commands));
    begin(commands);
    vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, shader);
    vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_DATA_GRAPH_ARM, graph);
    vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_DATA_GRAPH_ARM, layout, 0, 1, &set, 0, nullptr);
    vk().vkCmdDispatchDataGraphARM(commands, session, nullptr);
    full_barrier(commands);
    vk().vkCmdDispatch(commands, 1, 1, 1);
    MUST(vk().vkEndCommandBuffer(commands));
    {
      const std::scoped_lock lock(submission);
      submit({commands});
    }
    vk().vkDestroyCommandPool(device(), pool, nullptr);
    vk().vkDestroyDescriptorPool(device(), descriptors, nullptr);
    vk().vkDestroyPipeline(device(), shader, nullptr);
    vk().vkDestroyDataGraphPipelineSessionARM(device(), session, nullptr);
    vk().vkFreeMemory(device(), memory, nullptr);
  }

  std::mt19937_64 random_{1};
};

INSTANTIATE_TEST_SUITE_P(Validation, LayerSequences,
                         ::testing::Values(testing::Validation::AboveLayer, testing::Validation::BelowLayer),
                         [](const auto& test) {
                           return test.param == testing::Validation::AboveLayer ? "Above" : "Below";
                         });

// --- graphs ----------------------------------------------------------------------------------------------------------

TEST_P(LayerSequences, RandomGraphs) {
  const std::uint64_t first = number_of("SLIPWAY_LAYER_SEED", 0), count = number_of("SLIPWAY_LAYER_GRAPHS", 6);
  std::uint64_t ran = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const tosa_cases::GraphBuilder builder =
        tosa_cases::random_graph(seed, {.most_operators = 12, .max_elements = 100});
    const auto results = run_graph(builder.graph, builder.inputs());
    if (!results) continue;
    EXPECT_EQ(builder.disagreement(*results, builder.graph.outputs), "") << "seed " << seed;
    ++ran;
    stop();
  }
  EXPECT_GT(ran, 0u);
}

TEST_P(LayerSequences, MotionEngine) {
  int ran = 0;
  testing::for_each_operator_graph([&](const tosa::OperatorInfo&, const tosa::TypeRow&, tosa::Graph graph) {
    const tosa::Op op = graph.nodes.at(0).op;
    if (op != tosa::Op::MIN_SAD && op != tosa::Op::MIN_SAD_COST && op != tosa::Op::RAW_SAD) return;
    Diagnostics problems;
    tosa::verify(graph, problems);
    ASSERT_FALSE(problems.has_errors());
    std::vector<reference::Tensor> inputs;
    for (const tosa::ValueId input : graph.inputs) {
      inputs.push_back(reference::Tensor::zeros(graph[input].type));
      for (std::int64_t& value : inputs.back().integers) value = static_cast<std::int64_t>(random_() % 100);
    }
    const auto expected = reference::run(graph, inputs);
    ASSERT_TRUE(expected);
    const auto results = run_graph(graph, inputs);
    ASSERT_TRUE(results);
    for (std::size_t i = 0; i < results->size(); ++i) EXPECT_EQ((*results)[i].integers, (*expected)[i].integers);
    ++ran;
    stop();
  });
  EXPECT_GE(ran, 3);
}

// --- sequences of calls ----------------------------------------------------------------------------------------------

// A tensor of another format, with the bytes that it must have.
struct ModelledBytes {
  AppTensor app;
  std::size_t size = 0;  // of an element
  std::vector<std::byte> bytes;
};
constexpr std::pair<VkFormat, std::size_t> kOtherFormats[] = {{VK_FORMAT_R8_BOOL_ARM, 1}, {VK_FORMAT_R8_UINT, 1},
                                                              {VK_FORMAT_R16_SFLOAT, 2},  {VK_FORMAT_R16_SINT, 2},
                                                              {VK_FORMAT_R32_SFLOAT, 4},  {VK_FORMAT_R64_SINT, 8}};

// A tensor of integers, with the values that it must have.
struct Modelled {
  AppTensor app;
  std::vector<std::int32_t> values;
};

spirv::Words shader_of(std::string_view body, spirv::Stage stage = spirv::Stage::Compute) {
  const auto compiled =
      shader::compile(make_source("t", "#version 460\n#extension GL_ARM_tensors : require\n" + std::string(body)),
                      shader::Language::Glsl, {.stage = stage});
  if (!compiled) ADD_FAILURE() << format_diagnostics(compiled.error());
  return compiled ? compiled->words : spirv::Words();
}

TEST_P(LayerSequences, CopiesShadersAndGraphs) {
  const std::uint64_t first = number_of("SLIPWAY_LAYER_SEED", 0), count = number_of("SLIPWAY_LAYER_SEQUENCES", 40);
  constexpr std::int64_t rows = 4, columns = 6;
  constexpr auto elements = static_cast<std::size_t>(rows * columns);
  std::vector<Modelled> tensors(5);
  for (Modelled& one : tensors) one.app = random_tensor(VK_FORMAT_R32_SINT, {rows, columns}, 4);
  const VkDescriptorSetLayout layout = tensor_layout(2);
  const VkDescriptorSetLayout pushed = tensor_layout(2, VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR);
  const VkPipelineLayout add_layout = layout_of_both(layout), push_layout = pipeline_layout(pushed, 8);
  const spirv::Words code = shader_of(
      "layout(local_size_x = 6) in;\n"
      "layout(set = 0, binding = 0) uniform tensorARM<int, 2> x;\n"
      "layout(set = 0, binding = 1) uniform tensorARM<int, 2> y;\n"
      "layout(push_constant) uniform P { int times, by; };\n"
      "void main() { uint at[2] = uint[](gl_WorkGroupID.x, gl_LocalInvocationID.x); int v; tensorReadARM(x, at, v);\n"
      "  tensorWriteARM(y, at, v * times + by); }\n");
  const VkPipeline add = compute_pipeline(code, add_layout), add_pushed = compute_pipeline(code, push_layout);
  constexpr VkShaderStageFlags both = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_COMPUTE_BIT;
  const bool draws = has_vertex_tensors();
  VkPipeline drawn = VK_NULL_HANDLE;
  if (draws) {
    drawn = vertex_pipeline(
        shader_of("layout(location = 0) in int more;\n"
                  "layout(set = 0, binding = 0) uniform tensorARM<int, 2> x;\n"
                  "layout(set = 0, binding = 1) uniform tensorARM<int, 2> y;\n"
                  "layout(push_constant) uniform P { int times, by; };\n"
                  "void main() { uint at[2] = uint[](gl_VertexIndex / 6, gl_VertexIndex % 6); int v;\n"
                  "  tensorReadARM(x, at, v); tensorWriteARM(y, at, v * times + by + more); gl_PointSize = 1; }\n",
                  spirv::Stage::Vertex),
        add_layout);
  }
  constexpr std::int32_t vertex_values = 8;
  const VkBuffer vertices = vertex_buffer(vertex_values);
  // Two graphs for each pair of strides would be many; the tensors of graphs have no gaps.
  std::vector<Modelled> packed(3);
  for (Modelled& one : packed) one.app = tensor(VK_FORMAT_R32_SINT, {rows, columns});
  const spirv::Words words = testing::graph_module(
      "%0 = input i32[4, 6] at 0.0\n%1 = REDUCE_MAX(%0) i32[1, 6] axis=0 nan_mode=PROPAGATE\n"
      "%2 = SUB(%0, %1) i32[4, 6]\n"
      // Changes nothing: with these, the graph is long enough for a command buffer of its own.
      "%3 = REDUCE_MAX(%2) i32[1, 6] axis=0 nan_mode=PROPAGATE\n%4 = SUB(%2, %3) i32[4, 6]\n"
      "%5 = REDUCE_MAX(%4) i32[1, 6] axis=0 nan_mode=PROPAGATE\n%6 = SUB(%4, %5) i32[4, 6]\n"
      "output %6 at 0.1\n");
  const AppGraph difference = graph(words, "main", {&packed[0].app, &packed[1].app});
  // Pairs of tensors of other formats, which are copied.
  std::vector<std::array<ModelledBytes, 2>> others;
  for (const auto& [format, size] : kOtherFormats) {
    auto& pair = others.emplace_back();
    for (ModelledBytes& one : pair) {
      one.app = random_tensor(format, {2, 3, 5}, static_cast<std::int64_t>(size));
      one.size = size;
    }
  }
  std::vector<Modelled*> all;
  for (Modelled& one : tensors) all.push_back(&one);
  for (Modelled& one : packed) all.push_back(&one);
  const VkDescriptorSet set = descriptor_set(layout, {&tensors[0].app, &tensors[0].app});
  const VkDescriptorSet other = descriptor_set(layout, {&tensors[0].app, &tensors[0].app});
  const VkDescriptorSet graph_set = descriptor_set(difference.set_layout, {&packed[0].app, &packed[1].app});
  const VkCommandBuffer primary = command_buffer(), secondary = command_buffer(VK_COMMAND_BUFFER_LEVEL_SECONDARY);

  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    random_.seed(seed);
    const auto pick = [&](std::vector<Modelled*> from) { return from[random_() % from.size()]; };
    for (Modelled* one : all) {
      one->values.resize(elements);
      for (std::int32_t& value : one->values) value = static_cast<std::int32_t>(random_() % 1000) - 500;
      testing::fill(one->app, one->values);
    }
    for (auto& pair : others) {
      for (ModelledBytes& one : pair) {
        one.bytes.resize(30 * one.size);
        for (std::byte& byte : one.bytes) byte = static_cast<std::byte>(random_() % 2);
        testing::for_each_element(one.app, one.size, [&](std::size_t i, std::byte* at) {
          std::memcpy(at, one.bytes.data() + i * one.size, one.size);
        });
      }
    }
    // What each submission does to the values.
    std::vector<std::function<void()>> effects;
    const bool in_secondary = random_() % 3 == 0;
    const VkCommandBuffer commands = in_secondary ? secondary : primary;
    begin(commands);
    // Descriptor sets must not change once they are bound: one choice for the sequence.
    Modelled *x = pick(all), *y = pick(all);
    write(set, 0, x->app);
    write(set, 1, y->app);
    Modelled *gx = &packed[random_() % 3], *gy = &packed[random_() % 3];
    while (gy == gx) gy = &packed[random_() % 3];
    write(graph_set, 0, gx->app);
    write(graph_set, 1, gy->app);
    // The other set gets its descriptors from this one.
    const VkCopyDescriptorSet copies[] = {{VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET, nullptr, set, 0, 0, other, 0, 0, 1},
                                          {VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET, nullptr, set, 1, 0, other, 1, 0, 1}};
    vk().vkUpdateDescriptorSets(device(), 0, nullptr, 2, copies);
    const VkDescriptorSet used = random_() % 2 == 0 ? set : other;

    // What the shader must still have when a graph was dispatched in between.
    std::int32_t times = 1, by = 0;
    bool bound = false;
    std::int32_t more = 0;
    const auto shade = [&](Modelled* from, Modelled* to, std::int32_t also = 0) {
      effects.emplace_back([=, factor = times, sum = by + also] {
        std::vector<std::int32_t> result(elements);
        for (std::size_t i = 0; i < elements; ++i)
          result[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(from->values[i]) *
                                                    static_cast<std::uint32_t>(factor) +
                                                static_cast<std::uint32_t>(sum));
        to->values = std::move(result);
      });
    };
    for (std::uint64_t step = 2 + random_() % 6; step-- > 0;) {
      const std::uint64_t what = random_() % 6;
      switch (what) {
        case 0: {
          Modelled *from = pick(all), *to = pick(all);
          if (from == to) break;
          copy(commands, from->app, to->app);
          effects.emplace_back([=] { to->values = from->values; });
          break;
        }
        case 1:
        case 5: {
          if (!std::exchange(bound, true)) {
            times = static_cast<std::int32_t>(random_() % 3) + 1;
            by = static_cast<std::int32_t>(random_() % 100);
            const std::int32_t constants[] = {times, by};
            vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, add);
            vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, add_layout, 0, 1, &used, 0, nullptr);
            vk().vkCmdPushConstants(commands, add_layout, both, 0, 4, constants);
            vk().vkCmdPushConstants(commands, add_layout, both, 4, 4, constants + 1);
            if (draws) {
              more = static_cast<std::int32_t>(random_() % vertex_values);
              const VkDeviceSize offset = static_cast<VkDeviceSize>(more) * 4;
              vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, drawn);
              vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, add_layout, 0, 1, &used, 0,
                                           nullptr);
              vk().vkCmdBindVertexBuffers(commands, 0, 1, &vertices, &offset);
              vk().vkCmdSetPrimitiveTopology(commands, VK_PRIMITIVE_TOPOLOGY_POINT_LIST);
            }
          }
          if (what == 5 && draws) {
            draw_points(commands, elements);
            shade(x, y, more);
          } else {
            vk().vkCmdDispatch(commands, rows, 1, 1);
            shade(x, y);
          }
          break;
        }
        case 2: {
          dispatch(commands, difference, graph_set);
          effects.emplace_back([=] {
            for (std::size_t j = 0; j < 6; ++j) {
              std::int32_t most = gx->values[j];
              for (std::size_t i = 1; i < 4; ++i) most = std::max(most, gx->values[6 * i + j]);
              std::vector<std::int32_t>& to = gy->values;
              for (std::size_t i = 0; i < 4; ++i)
                to[6 * i + j] = static_cast<std::int32_t>(static_cast<std::uint32_t>(gx->values[6 * i + j]) -
                                                          static_cast<std::uint32_t>(most));
            }
          });
          break;
        }
        case 3: {
          Modelled *from = pick(all), *to = pick(all);
          const VkWriteDescriptorSetTensorARM views[] = {
              {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_TENSOR_ARM, nullptr, 1, &from->app.view},
              {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_TENSOR_ARM, nullptr, 1, &to->app.view}};
          std::vector<VkWriteDescriptorSet> writes(2, {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                                       .descriptorCount = 1,
                                                       .descriptorType = VK_DESCRIPTOR_TYPE_TENSOR_ARM});
          writes[0].pNext = &views[0];
          writes[1].pNext = &views[1];
          writes[1].dstBinding = 1;
          times = 2;
          by = -1;
          const std::int32_t constants[] = {times, by};
          vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, add_pushed);
          vk().vkCmdPushDescriptorSetKHR(commands, VK_PIPELINE_BIND_POINT_COMPUTE, push_layout, 0, 2, writes.data());
          vk().vkCmdPushConstants(commands, push_layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 8, constants);
          vk().vkCmdDispatch(commands, rows, 1, 1);
          shade(from, to);
          bound = false;
          break;
        }
        case 4: {
          auto& pair = others[random_() % others.size()];
          ModelledBytes *from = &pair[random_() % 2], *to = from == &pair[0] ? &pair[1] : &pair[0];
          copy(commands, from->app, to->app);
          effects.emplace_back([=] { to->bytes = from->bytes; });
          break;
        }
      }
      full_barrier(commands);
    }
    MUST(vk().vkEndCommandBuffer(commands));
    if (in_secondary) {
      begin(primary);
      vk().vkCmdExecuteCommands(primary, 1, &secondary);
      MUST(vk().vkEndCommandBuffer(primary));
    }
    for (std::uint64_t again = 1 + random_() % 3; again-- > 0;) {
      submit({primary});
      for (const auto& effect : effects) effect();
    }
    for (const Modelled* one : all)
      ASSERT_EQ(testing::contents<std::int32_t>(one->app), one->values) << "seed " << seed;
    for (const auto& pair : others) {
      for (const ModelledBytes& one : pair) {
        testing::for_each_element(one.app, one.size, [&](std::size_t i, const std::byte* at) {
          ASSERT_EQ(std::memcmp(at, one.bytes.data() + i * one.size, one.size), 0)
              << "seed " << seed << " element " << i;
        });
      }
    }
  }
}

// --- threads ---------------------------------------------------------------------------------------------------------

// Threads make, record and destroy objects of their own at the same time, and submit in turn.
TEST_P(LayerSequences, ThreadsWorkAtTheSameTime) {
  const std::uint64_t rounds = number_of("SLIPWAY_LAYER_ROUNDS", 4);
  start();
  const spirv::Words words = testing::graph_module(
      "%0 = input i32[4, 6] at 0.0\n%1 = ABS(%0) i32[4, 6]\n%2 = REDUCE_SUM(%1) i32[1, 6] axis=0\n"
      "%3 = SUB(%1, %2) i32[4, 6]\noutput %3 at 0.1\n");
  const VkDescriptorSetLayout layout = tensor_layout(2);
  const VkPipelineLayout graph_layout = pipeline_layout(layout);
  std::vector<AppTensor> tensors;
  for (int i = 0; i < 16; ++i) tensors.push_back(tensor(VK_FORMAT_R32_SINT, {4, 6}));
  const spirv::Words code = shader_of(
      "layout(set = 0, binding = 0) uniform tensorARM<int, 2> x;\n"
      "layout(set = 0, binding = 1) uniform tensorARM<int, 2> y;\n"
      "void main() { int v; tensorReadARM(x, uint[](0, 0), v); tensorWriteARM(y, uint[](0, 0), v); }\n");
  std::mutex submission;
  std::atomic<int> failed = 0;
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < 8; ++t) {
      threads.emplace_back([&, t] {
        for (std::uint64_t round = 0; round < rounds; ++round) {
          VkPipeline pipeline = VK_NULL_HANDLE;
          const std::vector<const AppTensor*> own = {&tensors[2 * t], &tensors[2 * t + 1]};
          if (create_graph(words, "main", own, {}, VK_NULL_HANDLE, graph_layout, pipeline) != VK_SUCCESS) {
            ++failed;
            continue;
          }
          const VkTensorViewCreateInfoARM view{.sType = VK_STRUCTURE_TYPE_TENSOR_VIEW_CREATE_INFO_ARM,
                                               .tensor = own[0]->tensor,
                                               .format = VK_FORMAT_R32_SINT};
          VkTensorViewARM made = VK_NULL_HANDLE;
          if (vk().vkCreateTensorViewARM(device(), &view, nullptr, &made) != VK_SUCCESS) ++failed;
          record_and_submit(pipeline, layout, graph_layout, made, *own[1], code, submission);
          vk().vkDestroyTensorViewARM(device(), made, nullptr);
          vk().vkDestroyPipeline(device(), pipeline, nullptr);
        }
      });
    }
  }
  EXPECT_EQ(failed, 0);
}

}  // namespace
}  // namespace slipway::layer
