// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The suite `data_graph`: VK_ARM_data_graph as programs use it.
#include <algorithm>
#include <thread>

#include "base/format.hpp"
#include "conformance/vulkan/api_cases.hpp"
#include "conformance/vulkan/case_shaders.hpp"
#include "spirv/tools.hpp"

namespace slipway::conformance {
namespace {

constexpr std::string_view kAbsolute = "%0 = input i32[6] at 0.0\n%1 = ABS(%0) i32[6]\noutput %1 at 0.1\n";

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

// A chain of matrix products, each of its input with itself: its intermediates are stored.
std::string matrix_products(int count, int size) {
  const std::string type = formatted("f32[1, {}, {}]", size, size);
  std::string lines = formatted("%0 = input {} at 0.0\n", type);
  for (int i = 1; i <= count; ++i)
    lines += formatted("%{} = MATMUL(%{}, %{}) {} A_zp=0 B_zp=0\n", i, i - 1, i - 1, type);
  return lines + formatted("output %{} at 0.1\n", count);
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

void a_graph_has_constants_and_session_memory(Application& app, Checks& checks) {
  const AppTensor x = app.tensor(VK_FORMAT_R32_SINT, {4, 6}), y = app.tensor(VK_FORMAT_R32_SINT, {4, 6});
  const std::vector<std::int32_t> c = counted(24, 100);
  const AppGraph made =
      app.graph(graph_module(std::string(kProduct)), "main", {&x, &y}, {{0, VK_FORMAT_R32_SINT, {4, 6}, c.data()}});
  const VkDescriptorSet set = app.descriptor_set(made.set_layout, {&x, &y});
  fill(x, counted(24));
  app.run([&](VkCommandBuffer commands) { app.dispatch(commands, made, set); });
  checks.equal(contents<std::int32_t>(y), product_of(counted(24), c), "y");
}

void graphs_take_tensors_with_gaps(Application& app, Checks& checks) {
  const AppTensor x = app.tensor(VK_FORMAT_R32_SINT, {4, 6}, {64, 4}),
                  y = app.tensor(VK_FORMAT_R32_SINT, {4, 6}, {32, 4});
  const std::vector<std::int32_t> c = counted(24);
  const AppGraph made =
      app.graph(graph_module(std::string(kProduct)), "main", {&x, &y}, {{0, VK_FORMAT_R32_SINT, {4, 6}, c.data()}});
  const VkDescriptorSet set = app.descriptor_set(made.set_layout, {&x, &y});
  fill(x, counted(24, 3));
  app.run([&](VkCommandBuffer commands) { app.dispatch(commands, made, set); });
  checks.equal(contents<std::int32_t>(y), product_of(counted(24, 3), c), "y");
}

void a_graph_restores_the_state_around_it(Application& app, Checks& checks) {
  const VkDescriptorSetLayout sets = app.tensor_layout(2);
  const VkPipelineLayout layout = app.pipeline_layout(sets, 16);
  const VkPipeline pipeline = app.compute_pipeline(compute_module(kIncrementShader), layout);
  const AppTensor a = app.tensor(VK_FORMAT_R32_SINT, {4, 6}), b = app.tensor(VK_FORMAT_R32_SINT, {4, 6});
  const AppTensor x = app.tensor(VK_FORMAT_R32_SINT, {4, 6}), y = app.tensor(VK_FORMAT_R32_SINT, {4, 6});
  const VkDescriptorSet set = app.descriptor_set(sets, {&a, &b});
  const std::vector<std::int32_t> c = counted(24);
  const AppGraph made =
      app.graph(graph_module(std::string(kProduct)), "main", {&x, &y}, {{0, VK_FORMAT_R32_SINT, {4, 6}, c.data()}});
  const VkDescriptorSet graph_set = app.descriptor_set(made.set_layout, {&x, &y});
  fill(a, counted(24));
  fill(x, counted(24));
  app.run([&](VkCommandBuffer commands) {
    const std::int32_t by[] = {7, 8, 9, 10};
    app.vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    app.vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    app.vk().vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 16, by);
    app.dispatch(commands, made, graph_set);
    app.vk().vkCmdDispatch(commands, 1, 1, 1);  // of the shader, with nothing bound again
  });
  checks.equal(contents<std::int32_t>(b), counted(24, 7), "b");
  checks.equal(contents<std::int32_t>(y), product_of(counted(24), c), "y");
}

void a_module_has_several_graphs(Application& app, Checks& checks) {
  const auto words = spirv::assemble(make_source("two.spvasm", std::string(kTwoGraphs)));
  if (!words) throw std::runtime_error(words.error().front().message);
  const AppTensor x = app.tensor(VK_FORMAT_R32_SINT, {4}), y = app.tensor(VK_FORMAT_R32_SINT, {4});
  const AppGraph absolute = app.graph(*words, "absolute", {&x, &y}), twice = app.graph(*words, "twice", {&x, &y});
  const VkDescriptorSet set = app.descriptor_set(absolute.set_layout, {&x, &y});
  fill(x, std::vector<std::int32_t>{-1, 2, -3, 4});
  app.run([&](VkCommandBuffer commands) { app.dispatch(commands, absolute, set); });
  checks.equal(contents<std::int32_t>(y), {1, 2, 3, 4}, "y");
  app.run([&](VkCommandBuffer commands) { app.dispatch(commands, twice, set); });
  checks.equal(contents<std::int32_t>(y), {-2, 4, -6, 8}, "y");
}

void graphs_run_in_secondary_command_buffers_and_again(Application& app, Checks& checks) {
  const AppTensor x = app.tensor(VK_FORMAT_R32_SINT, {4, 6}), y = app.tensor(VK_FORMAT_R32_SINT, {4, 6});
  const std::vector<std::int32_t> c(24);
  const AppGraph made =
      app.graph(graph_module(std::string(kProduct)), "main", {&x, &y}, {{0, VK_FORMAT_R32_SINT, {4, 6}, c.data()}});
  const VkDescriptorSet set = app.descriptor_set(made.set_layout, {&x, &y});
  const VkCommandBuffer secondary = app.command_buffer(VK_COMMAND_BUFFER_LEVEL_SECONDARY),
                        primary = app.command_buffer();
  app.begin(secondary, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
  app.dispatch(secondary, made, set);
  app.full_barrier(secondary);
  MUST(app.vk().vkEndCommandBuffer(secondary));
  app.begin(primary);
  app.vk().vkCmdExecuteCommands(primary, 1, &secondary);
  app.vk().vkCmdExecuteCommands(primary, 1, &secondary);
  MUST(app.vk().vkEndCommandBuffer(primary));
  for (const std::int32_t first : {0, 5}) {
    fill(x, counted(24, first));
    app.submit({primary});
    checks.equal(contents<std::int32_t>(y), product_of(counted(24, first), c), "y");
  }
}

void a_pipeline_has_a_log_and_an_identifier(Application& app, Checks& checks) {
  const VkPipelineCacheCreateInfo create{.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
  VkPipelineCache cache = VK_NULL_HANDLE;
  MUST(app.vk().vkCreatePipelineCache(app.device(), &create, nullptr, &cache));
  app.at_end([=, &app] { app.vk().vkDestroyPipelineCache(app.device(), cache, nullptr); });
  const AppTensor x = app.tensor(VK_FORMAT_R32_SINT, {4, 6}), y = app.tensor(VK_FORMAT_R32_SINT, {4, 6});
  const std::vector<std::int32_t> c = counted(24);
  const AppGraph made = app.graph(graph_module(std::string(kProduct)), "main", {&x, &y},
                                  {{0, VK_FORMAT_R32_SINT, {4, 6}, c.data()}}, cache);
  const VkDataGraphPipelineInfoARM info{.sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_INFO_ARM,
                                        .dataGraphPipeline = made.pipeline};
  std::uint32_t count = 0;
  MUST(app.vk().vkGetDataGraphPipelineAvailablePropertiesARM(app.device(), &info, &count, nullptr));
  std::vector<VkDataGraphPipelinePropertyARM> properties(count);
  MUST(app.vk().vkGetDataGraphPipelineAvailablePropertiesARM(app.device(), &info, &count, properties.data()));
  const auto has = [&](VkDataGraphPipelinePropertyARM property) { return std::ranges::contains(properties, property); };
  if (!has(VK_DATA_GRAPH_PIPELINE_PROPERTY_IDENTIFIER_ARM))
    throw Lacking("the device lacks identifiers of graph pipelines");
  std::vector<std::string> values;
  for (const VkDataGraphPipelinePropertyARM property : properties) {
    VkDataGraphPipelinePropertyQueryResultARM result{
        .sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_PROPERTY_QUERY_RESULT_ARM, .property = property};
    MUST(app.vk().vkGetDataGraphPipelinePropertiesARM(app.device(), &info, 1, &result));
    values.emplace_back(result.dataSize, '\0');
    result.pData = values.back().data();
    MUST(app.vk().vkGetDataGraphPipelinePropertiesARM(app.device(), &info, 1, &result));
    checks.expect(result.dataSize <= values.back().size(), "the size of a property grew between two calls");
  }
  // The identifier is enough to create the pipeline again.
  const std::string& identifier_bytes = values[static_cast<std::size_t>(
      std::ranges::find(properties, VK_DATA_GRAPH_PIPELINE_PROPERTY_IDENTIFIER_ARM) - properties.begin())];
  const VkDataGraphPipelineIdentifierCreateInfoARM identifier{
      .sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_IDENTIFIER_CREATE_INFO_ARM,
      .identifierSize = static_cast<std::uint32_t>(identifier_bytes.size()),
      .pIdentifier = reinterpret_cast<const std::uint8_t*>(identifier_bytes.data())};
  const VkDataGraphPipelineCreateInfoARM again{.sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_CREATE_INFO_ARM,
                                               .pNext = &identifier,
                                               .flags = VK_PIPELINE_CREATE_2_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT,
                                               .layout = made.layout};
  VkPipeline pipeline = VK_NULL_HANDLE;
  MUST(app.vk().vkCreateDataGraphPipelinesARM(app.device(), VK_NULL_HANDLE, cache, 1, &again, nullptr, &pipeline));
  app.vk().vkDestroyPipeline(app.device(), pipeline, nullptr);
}

// Submission by Vulkan 1.0, with a semaphore and a fence.
void graphs_are_submitted_the_old_way(Application& app, Checks& checks) {
  const AppTensor x = app.tensor(VK_FORMAT_R32_SINT, {6}), y = app.tensor(VK_FORMAT_R32_SINT, {6});
  const AppGraph absolute = app.graph(graph_module(std::string(kAbsolute)), "main", {&x, &y});
  const VkDescriptorSet set = app.descriptor_set(absolute.set_layout, {&x, &y});
  const VkSemaphoreCreateInfo semaphore_info{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
  const VkFenceCreateInfo fence_info{.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  VkSemaphore semaphore = VK_NULL_HANDLE;
  VkFence fence = VK_NULL_HANDLE;
  MUST(app.vk().vkCreateSemaphore(app.device(), &semaphore_info, nullptr, &semaphore));
  app.at_end([=, &app] { app.vk().vkDestroySemaphore(app.device(), semaphore, nullptr); });
  MUST(app.vk().vkCreateFence(app.device(), &fence_info, nullptr, &fence));
  app.at_end([=, &app] { app.vk().vkDestroyFence(app.device(), fence, nullptr); });
  fill(x, std::vector<std::int32_t>{-9, 8, -7, 6, -5, 4});
  const VkCommandBuffer commands = app.command_buffer();
  app.begin(commands);
  app.dispatch(commands, absolute, set);
  MUST(app.vk().vkEndCommandBuffer(commands));
  const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  const VkSubmitInfo submits[] = {{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                   .commandBufferCount = 1,
                                   .pCommandBuffers = &commands,
                                   .signalSemaphoreCount = 1,
                                   .pSignalSemaphores = &semaphore},
                                  {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                   .waitSemaphoreCount = 1,
                                   .pWaitSemaphores = &semaphore,
                                   .pWaitDstStageMask = &stage}};
  MUST(app.vk().vkQueueSubmit(app.queue(), 2, submits, fence));
  MUST(app.vk().vkWaitForFences(app.device(), 1, &fence, VK_TRUE, ~0ull));
  checks.equal(contents<std::int32_t>(y), {9, 8, 7, 6, 5, 4}, "y");
}

// A graph, a barrier, a shader, a barrier, a copy; the barrier in every form.
// Long, because each structure of Vulkan has its own lines.
void barriers_of_tensors_have_every_form(Application& app, Checks& checks) {
  const AppTensor x = app.tensor(VK_FORMAT_R32_SINT, {6}), y = app.tensor(VK_FORMAT_R32_SINT, {6}),
                  z = app.tensor(VK_FORMAT_R32_SINT, {6}), w = app.tensor(VK_FORMAT_R32_SINT, {6});
  const AppGraph absolute = app.graph(graph_module(std::string(kAbsolute)), "main", {&x, &y});
  const VkDescriptorSet graph_set = app.descriptor_set(absolute.set_layout, {&x, &y});
  const VkDescriptorSetLayout sets = app.tensor_layout(2);
  const VkPipelineLayout layout = app.pipeline_layout(sets);
  const VkPipeline pipeline = app.compute_pipeline(compute_module(kAddOneShader), layout);
  const VkDescriptorSet set = app.descriptor_set(sets, {&y, &z});
  const VkEventCreateInfo event_info{.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO,
                                     .flags = VK_EVENT_CREATE_DEVICE_ONLY_BIT};
  for (int form = 0; form < 5; ++form) {
    VkEvent event = VK_NULL_HANDLE;
    MUST(app.vk().vkCreateEvent(app.device(), &event_info, nullptr, &event));
    app.at_end([=, &app] { app.vk().vkDestroyEvent(app.device(), event, nullptr); });
    fill(x, std::vector<std::int32_t>{-1, 2, -3, 4, -5, form});
    app.run([&](VkCommandBuffer commands) {
      const auto depend = [&](VkPipelineStageFlags2 from, VkAccessFlags2 written, VkPipelineStageFlags2 to,
                              VkAccessFlags2 read, const AppTensor& on) {
        const bool coarse = form == 3;
        const VkTensorMemoryBarrierARM barrier{
            .sType = VK_STRUCTURE_TYPE_TENSOR_MEMORY_BARRIER_ARM,
            .srcStageMask = coarse ? VkPipelineStageFlags2{VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT} : from,
            .srcAccessMask = written,
            .dstStageMask = coarse ? VkPipelineStageFlags2{VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT} : to,
            .dstAccessMask = read,
            .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
            .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
            .tensor = on.tensor};
        const VkTensorDependencyInfoARM several{.sType = VK_STRUCTURE_TYPE_TENSOR_DEPENDENCY_INFO_ARM,
                                                .tensorMemoryBarrierCount = 1,
                                                .pTensorMemoryBarriers = &barrier};
        const VkMemoryBarrier2 memory{.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
                                      .srcStageMask = barrier.srcStageMask,
                                      .srcAccessMask = written,
                                      .dstStageMask = barrier.dstStageMask,
                                      .dstAccessMask = read};
        VkDependencyInfo info{.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
        if (form == 0) info.pNext = &barrier;
        if (form == 1 || form == 2) info.pNext = &several;
        if (form >= 3) {
          info.memoryBarrierCount = 1;
          info.pMemoryBarriers = &memory;
        }
        if (form == 2) {
          app.vk().vkCmdSetEvent2(commands, event, &info);
          app.vk().vkCmdWaitEvents2(commands, 1, &event, &info);
          // The next dependency sets the event again.
          const VkMemoryBarrier2 order{.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
                                       .srcStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
                                       .dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT};
          const VkDependencyInfo all{
              .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO, .memoryBarrierCount = 1, .pMemoryBarriers = &order};
          app.vk().vkCmdPipelineBarrier2(commands, &all);
          app.vk().vkCmdResetEvent2(commands, event, to);
          app.vk().vkCmdPipelineBarrier2(commands, &all);
        } else if (form == 4) {
          // Vulkan 1.0 knows no graphs.
          const VkMemoryBarrier old{.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                    .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                    .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};
          app.vk().vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                        VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &old, 0, nullptr, 0, nullptr);
        } else {
          app.vk().vkCmdPipelineBarrier2(commands, &info);
        }
      };
      app.dispatch(commands, absolute, graph_set);
      depend(VK_PIPELINE_STAGE_2_DATA_GRAPH_BIT_ARM, VK_ACCESS_2_DATA_GRAPH_WRITE_BIT_ARM,
             VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_STORAGE_READ_BIT, y);
      app.vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
      app.vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
      app.vk().vkCmdDispatch(commands, 1, 1, 1);
      depend(VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT, VK_PIPELINE_STAGE_2_COPY_BIT,
             VK_ACCESS_2_TRANSFER_READ_BIT, z);
      copy_tensor(app, commands, z, w);
    });
    checks.equal(contents<std::int32_t>(w), {2, 3, 4, 5, 6, form + 1}, "w");
  }
}

// A shader object, and a graph between its binding and its dispatch.
void shader_objects_have_tensors(Application& app, Checks& checks) {
  VkPhysicalDeviceShaderObjectFeaturesEXT features{.sType =
                                                       VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OBJECT_FEATURES_EXT};
  app.restart_with(VK_EXT_SHADER_OBJECT_EXTENSION_NAME, reinterpret_cast<VkBaseOutStructure*>(&features));
  const AppTensor x = app.tensor(VK_FORMAT_R32_SINT, {6}), y = app.tensor(VK_FORMAT_R32_SINT, {6}),
                  z = app.tensor(VK_FORMAT_R32_SINT, {6});
  const AppGraph absolute = app.graph(graph_module(std::string(kAbsolute)), "main", {&x, &z});
  const VkDescriptorSet graph_set = app.descriptor_set(absolute.set_layout, {&x, &z});
  const VkDescriptorSetLayout sets = app.tensor_layout(2);
  const VkPipelineLayout layout = app.pipeline_layout(sets);
  const VkDescriptorSet set = app.descriptor_set(sets, {&x, &y});
  const spirv::Words words = compute_module(kAddOneShader);
  const VkShaderCreateInfoEXT create{.sType = VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT,
                                     .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                     .codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT,
                                     .codeSize = words.size() * sizeof(std::uint32_t),
                                     .pCode = words.data(),
                                     .pName = "main",
                                     .setLayoutCount = 1,
                                     .pSetLayouts = &sets};
  VkShaderEXT made = VK_NULL_HANDLE;
  MUST(app.vk().vkCreateShadersEXT(app.device(), 1, &create, nullptr, &made));
  app.at_end([=, &app] { app.vk().vkDestroyShaderEXT(app.device(), made, nullptr); });
  fill(x, std::vector<std::int32_t>{-1, -2, -3, 4, 5, 6});
  app.run([&](VkCommandBuffer commands) {
    const VkShaderStageFlagBits stage = VK_SHADER_STAGE_COMPUTE_BIT;
    app.vk().vkCmdBindShadersEXT(commands, 1, &stage, &made);
    app.vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    app.dispatch(commands, absolute, graph_set);
    app.vk().vkCmdDispatch(commands, 1, 1, 1);
  });
  checks.equal(contents<std::int32_t>(y), {0, -1, -2, 5, 6, 7}, "y");
  checks.equal(contents<std::int32_t>(z), {1, 2, 3, 4, 5, 6}, "z");
}

void bindings_for_all_stages_are_for_graphs(Application& app, Checks& checks) {
  VkPhysicalDeviceMaintenance6Features features{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_6_FEATURES};
  app.restart_with(VK_KHR_MAINTENANCE_6_EXTENSION_NAME, reinterpret_cast<VkBaseOutStructure*>(&features));
  const AppTensor x = app.tensor(VK_FORMAT_R32_SINT, {6}), y = app.tensor(VK_FORMAT_R32_SINT, {6});
  const AppGraph absolute = app.graph(graph_module(std::string(kAbsolute)), "main", {&x, &y});
  const VkDescriptorSet set = app.descriptor_set(absolute.set_layout, {&x, &y});
  const VkBindDescriptorSetsInfo bind{.sType = VK_STRUCTURE_TYPE_BIND_DESCRIPTOR_SETS_INFO,
                                      .stageFlags = VK_SHADER_STAGE_ALL,
                                      .layout = absolute.layout,
                                      .descriptorSetCount = 1,
                                      .pDescriptorSets = &set};
  fill(x, std::vector<std::int32_t>{-1, -2, -3, 4, 5, 6});
  app.run([&](VkCommandBuffer commands) {
    app.vk().vkCmdBindDescriptorSets2KHR(commands, &bind);
    app.vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_DATA_GRAPH_ARM, absolute.pipeline);
    app.vk().vkCmdDispatchDataGraphARM(commands, absolute.session, nullptr);
  });
  // Whether a graph uses these bindings is not decided by the specification, so that the validation layer may differ.
  static_cast<void>(app.take_messages());
  checks.equal(contents<std::int32_t>(y), {1, 2, 3, 4, 5, 6}, "y");
}

// The values of a pipeline cache are merged with the identifiers of its graphs.
void merged_caches_know_the_graphs_of_both(Application& app, Checks& checks) {
  const VkPipelineCacheCreateInfo create{.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
  VkPipelineCache from = VK_NULL_HANDLE, to = VK_NULL_HANDLE;
  for (VkPipelineCache* one : {&from, &to}) {
    MUST(app.vk().vkCreatePipelineCache(app.device(), &create, nullptr, one));
    app.at_end([&app, cache = *one] { app.vk().vkDestroyPipelineCache(app.device(), cache, nullptr); });
  }
  const AppTensor x = app.tensor(VK_FORMAT_R32_SINT, {6}), y = app.tensor(VK_FORMAT_R32_SINT, {6});
  const AppGraph made = app.graph(graph_module(std::string(kAbsolute)), "main", {&x, &y}, {}, from);
  const VkDataGraphPipelineInfoARM info{.sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_INFO_ARM,
                                        .dataGraphPipeline = made.pipeline};
  VkDataGraphPipelinePropertyQueryResultARM result{
      .sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_PROPERTY_QUERY_RESULT_ARM,
      .property = VK_DATA_GRAPH_PIPELINE_PROPERTY_IDENTIFIER_ARM};
  MUST(app.vk().vkGetDataGraphPipelinePropertiesARM(app.device(), &info, 1, &result));
  std::string bytes(result.dataSize, '\0');
  result.pData = bytes.data();
  MUST(app.vk().vkGetDataGraphPipelinePropertiesARM(app.device(), &info, 1, &result));
  const VkDataGraphPipelineIdentifierCreateInfoARM identifier{
      .sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_IDENTIFIER_CREATE_INFO_ARM,
      .identifierSize = static_cast<std::uint32_t>(bytes.size()),
      .pIdentifier = reinterpret_cast<const std::uint8_t*>(bytes.data())};
  const VkDataGraphPipelineCreateInfoARM again{.sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_CREATE_INFO_ARM,
                                               .pNext = &identifier,
                                               .flags = VK_PIPELINE_CREATE_2_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT,
                                               .layout = made.layout};
  VkPipeline pipeline = VK_NULL_HANDLE;
  checks.expect(app.vk().vkCreateDataGraphPipelinesARM(app.device(), VK_NULL_HANDLE, to, 1, &again, nullptr,
                                                       &pipeline) == VK_PIPELINE_COMPILE_REQUIRED,
                "an identifier that the cache does not have is not VK_PIPELINE_COMPILE_REQUIRED");
  MUST(app.vk().vkMergePipelineCaches(app.device(), to, 1, &from));
  MUST(app.vk().vkCreateDataGraphPipelinesARM(app.device(), VK_NULL_HANDLE, to, 1, &again, nullptr, &pipeline));
  app.vk().vkDestroyPipeline(app.device(), pipeline, nullptr);
}

// A pipeline for tensors with gaps takes tensors without, and with other gaps.
void tensors_of_a_pipeline_may_have_other_gaps(Application& app, Checks& checks) {
  const AppTensor x = app.tensor(VK_FORMAT_R32_SINT, {2, 3}, {16, 4}),
                  y = app.tensor(VK_FORMAT_R32_SINT, {2, 3}, {32, 4});
  const AppTensor packed = app.tensor(VK_FORMAT_R32_SINT, {2, 3}),
                  wide = app.tensor(VK_FORMAT_R32_SINT, {2, 3}, {64, 4});
  const AppGraph absolute = app.graph(
      graph_module("%0 = input i32[2, 3] at 0.0\n%1 = ABS(%0) i32[2, 3]\noutput %1 at 0.1\n"), "main", {&x, &y});
  const VkDescriptorSet set = app.descriptor_set(absolute.set_layout, {&packed, &wide});
  fill(packed, std::vector<std::int32_t>{-1, -2, -3, 4, 5, 6});
  app.run([&](VkCommandBuffer commands) { app.dispatch(commands, absolute, set); });
  checks.equal(contents<std::int32_t>(wide), {1, 2, 3, 4, 5, 6}, "wide");
}

// Sparsity hints and constants that are given in another order than their ids.
// Long, because each structure of Vulkan has its own lines.
void constants_have_ids_and_hints(Application& app, Checks& checks) {
  const AppTensor x = app.tensor(VK_FORMAT_R32_SINT, {4}), y = app.tensor(VK_FORMAT_R32_SINT, {4});
  const spirv::Words words = graph_module(
      "%0 = input i32[4] at 0.0\n%1 = const i32[4] graph_constant 3\n%2 = const i32[4] graph_constant 1\n"
      "%3 = ADD(%0, %1) i32[4]\n%4 = SUB(%3, %2) i32[4]\noutput %4 at 0.1\n");
  const std::vector<std::int32_t> three = {300, 0, 300, 0}, one = {1, 2, 3, 4};
  const std::int64_t shape[] = {4};
  const VkTensorDescriptionARM description{.sType = VK_STRUCTURE_TYPE_TENSOR_DESCRIPTION_ARM,
                                           .tiling = VK_TENSOR_TILING_LINEAR_ARM,
                                           .format = VK_FORMAT_R32_SINT,
                                           .dimensionCount = 1,
                                           .pDimensions = shape,
                                           .usage = VK_TENSOR_USAGE_DATA_GRAPH_BIT_ARM};
  const VkDataGraphPipelineConstantTensorSemiStructuredSparsityInfoARM sparse{
      .sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_CONSTANT_TENSOR_SEMI_STRUCTURED_SPARSITY_INFO_ARM,
      .pNext = &description,
      .dimension = 0,
      .zeroCount = 1,
      .groupSize = 2};
  const VkDataGraphPipelineConstantARM constants[] = {{.sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_CONSTANT_ARM,
                                                       .pNext = &sparse,
                                                       .id = 3,
                                                       .pConstantData = three.data()},
                                                      {.sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_CONSTANT_ARM,
                                                       .pNext = &description,
                                                       .id = 1,
                                                       .pConstantData = one.data()}};
  const VkDataGraphPipelineShaderModuleCreateInfoARM shader{
      .sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_SHADER_MODULE_CREATE_INFO_ARM,
      .module = app.module(words),
      .pName = "main",
      .constantCount = 2,
      .pConstants = constants};
  // Options of the compiler, the engine, and feedback are accepted.
  const VkDataGraphPipelineCompilerControlCreateInfoARM control{
      .sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_COMPILER_CONTROL_CREATE_INFO_ARM,
      .pNext = &shader,
      .pVendorOptions = ""};
  VkPipelineCreationFeedback whole{};
  const VkPipelineCreationFeedbackCreateInfo feedback{.sType = VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO,
                                                      .pNext = &control,
                                                      .pPipelineCreationFeedback = &whole};
  const VkDataGraphPipelineResourceInfoARM resources[] = {
      {.sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_RESOURCE_INFO_ARM, .pNext = &description, .binding = 0},
      {.sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_RESOURCE_INFO_ARM, .pNext = &description, .binding = 1}};
  const VkDescriptorSetLayout sets = app.tensor_layout(2);
  const VkPipelineLayout layout = app.pipeline_layout(sets);
  const VkDataGraphPipelineCreateInfoARM create{.sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_CREATE_INFO_ARM,
                                                .pNext = &feedback,
                                                .layout = layout,
                                                .resourceInfoCount = 2,
                                                .pResourceInfos = resources};
  AppGraph made{.set_layout = sets, .layout = layout};
  MUST(app.vk().vkCreateDataGraphPipelinesARM(app.device(), VK_NULL_HANDLE, VK_NULL_HANDLE, 1, &create, nullptr,
                                              &made.pipeline));
  app.at_end([&app, pipeline = made.pipeline] { app.vk().vkDestroyPipeline(app.device(), pipeline, nullptr); });
  made.session = app.session(made.pipeline, nullptr);
  const VkDescriptorSet set = app.descriptor_set(sets, {&x, &y});
  fill(x, std::vector<std::int32_t>{10, 20, 30, 40});
  app.run([&](VkCommandBuffer commands) { app.dispatch(commands, made, set); });
  checks.equal(contents<std::int32_t>(y), {309, 18, 327, 36}, "y");
}

void objects_have_names_and_private_data(Application& app, Checks& checks) {
  VkPrivateDataSlot slot = VK_NULL_HANDLE;
  const VkPrivateDataSlotCreateInfo create{.sType = VK_STRUCTURE_TYPE_PRIVATE_DATA_SLOT_CREATE_INFO};
  MUST(app.vk().vkCreatePrivateDataSlot(app.device(), &create, nullptr, &slot));
  app.at_end([=, &app] { app.vk().vkDestroyPrivateDataSlot(app.device(), slot, nullptr); });
  const AppTensor x = app.tensor(VK_FORMAT_R32_SINT, {6}), y = app.tensor(VK_FORMAT_R32_SINT, {6});
  const AppGraph made = app.graph(graph_module(std::string(kAbsolute)), "main", {&x, &y});
  const std::pair<VkObjectType, std::uint64_t> objects[] = {
      {VK_OBJECT_TYPE_TENSOR_ARM, reinterpret_cast<std::uint64_t>(x.tensor)},
      {VK_OBJECT_TYPE_TENSOR_VIEW_ARM, reinterpret_cast<std::uint64_t>(x.view)},
      {VK_OBJECT_TYPE_PIPELINE, reinterpret_cast<std::uint64_t>(made.pipeline)},
      {VK_OBJECT_TYPE_DATA_GRAPH_PIPELINE_SESSION_ARM, reinterpret_cast<std::uint64_t>(made.session)},
      {VK_OBJECT_TYPE_DEVICE_MEMORY, reinterpret_cast<std::uint64_t>(x.memory)},
  };
  const auto set_name = reinterpret_cast<PFN_vkSetDebugUtilsObjectNameEXT>(
      app.instance_functions().vkGetDeviceProcAddr(app.device(), "vkSetDebugUtilsObjectNameEXT"));
  std::uint64_t value = 1;
  for (const auto& [type, handle] : objects) {
    const VkDebugUtilsObjectNameInfoEXT name{.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
                                             .objectType = type,
                                             .objectHandle = handle,
                                             .pObjectName = "a name"};
    if (set_name != nullptr) {
      MUST(set_name(app.device(), &name));
    }
    MUST(app.vk().vkSetPrivateData(app.device(), type, handle, slot, value));
    std::uint64_t found = 0;
    app.vk().vkGetPrivateData(app.device(), type, handle, slot, &found);
    checks.equal(found, value++, formatted("the private data of an object of type {}", static_cast<int>(type)));
  }
  // A new object has none, although its handle may be that of one that was destroyed.
  const VkTensorViewCreateInfoARM view{
      .sType = VK_STRUCTURE_TYPE_TENSOR_VIEW_CREATE_INFO_ARM, .tensor = x.tensor, .format = x.format};
  for (int i = 0; i < 4; ++i) {
    VkTensorViewARM again = VK_NULL_HANDLE;
    MUST(app.vk().vkCreateTensorViewARM(app.device(), &view, nullptr, &again));
    const auto handle = reinterpret_cast<std::uint64_t>(again);
    std::uint64_t found = 7;
    app.vk().vkGetPrivateData(app.device(), VK_OBJECT_TYPE_TENSOR_VIEW_ARM, handle, slot, &found);
    checks.equal(found, 0, "the private data of a new object");
    MUST(app.vk().vkSetPrivateData(app.device(), VK_OBJECT_TYPE_TENSOR_VIEW_ARM, handle, slot, 5));
    app.vk().vkDestroyTensorViewARM(app.device(), again, nullptr);
  }
}

// Sets are freed and allocated again, pools are reset, command buffers are recorded again.
void pools_are_reset_and_used_again(Application& app, Checks& checks) {
  const AppTensor x = app.tensor(VK_FORMAT_R32_SINT, {6}), y = app.tensor(VK_FORMAT_R32_SINT, {6});
  const AppGraph absolute = app.graph(graph_module(std::string(kAbsolute)), "main", {&x, &y});
  const VkDescriptorPool sets =
      app.descriptor_pool({{VK_DESCRIPTOR_TYPE_TENSOR_ARM, 2}}, VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT);
  const VkCommandPoolCreateInfo pool_info{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .queueFamilyIndex = app.family()};
  VkCommandPool pool = VK_NULL_HANDLE;
  MUST(app.vk().vkCreateCommandPool(app.device(), &pool_info, nullptr, &pool));
  app.at_end([=, &app] { app.vk().vkDestroyCommandPool(app.device(), pool, nullptr); });
  const VkCommandBufferAllocateInfo commands_info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                  .commandPool = pool,
                                                  .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                  .commandBufferCount = 1};
  VkCommandBuffer commands = nullptr;
  MUST(app.vk().vkAllocateCommandBuffers(app.device(), &commands_info, &commands));
  for (std::int32_t round = 0; round < 4; ++round) {
    const VkDescriptorSet set = app.allocate_set(sets, absolute.set_layout);
    app.write(set, 0, x);
    app.write(set, 1, y);
    fill(x, std::vector<std::int32_t>(6, -round));
    app.begin(commands);
    app.dispatch(commands, absolute, set);
    MUST(app.vk().vkEndCommandBuffer(commands));
    app.submit({commands});
    checks.equal(contents<std::int32_t>(y), std::vector<std::int32_t>(6, round), "y");
    MUST(app.vk().vkResetCommandPool(app.device(), pool, 0));
    if (round % 2 == 0)
      MUST(app.vk().vkFreeDescriptorSets(app.device(), sets, 1, &set));
    else
      MUST(app.vk().vkResetDescriptorPool(app.device(), sets, 0));
  }
}

// One command buffer twice in one submission.
void command_buffers_are_submitted_at_the_same_time(Application& app, Checks& checks) {
  const AppTensor x = app.tensor(VK_FORMAT_R32_SINT, {6}), y = app.tensor(VK_FORMAT_R32_SINT, {6});
  const AppGraph doubled = app.graph(
      graph_module("%0 = input i32[6] at 0.0\n%1 = ADD(%0, %0) i32[6]\noutput %1 at 0.1\n"), "main", {&x, &y});
  const VkDescriptorSet set = app.descriptor_set(doubled.set_layout, {&x, &y});
  const VkCommandBuffer commands = app.command_buffer();
  app.begin(commands, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
  app.full_barrier(commands);
  app.dispatch(commands, doubled, set);
  app.full_barrier(commands);
  copy_tensor(app, commands, y, x);
  app.full_barrier(commands);
  MUST(app.vk().vkEndCommandBuffer(commands));
  fill(x, counted(6, 1));
  app.submit({commands, commands, commands});
  checks.equal(contents<std::int32_t>(x), {8, 16, 24, 32, 40, 48}, "x");
}

// Threads record graphs of one session for two sets of tensors, each into a command buffer of its own.
void threads_share_a_session(Application& app, Checks& checks) {
  const AppTensor x = app.tensor(VK_FORMAT_R32_SFLOAT, {1, 2, 2}), y = app.tensor(VK_FORMAT_R32_SFLOAT, {1, 2, 2}),
                  z = app.tensor(VK_FORMAT_R32_SFLOAT, {1, 2, 2});
  const AppGraph made = app.graph(graph_module(matrix_products(6, 2)), "main", {&x, &y});
  const VkDescriptorSet sets[] = {app.descriptor_set(made.set_layout, {&x, &y}),
                                  app.descriptor_set(made.set_layout, {&x, &z})};
  fill(x, std::vector<float>{1, 0, 0, 2});
  std::vector<VkCommandBuffer> recorded(8);
  for (VkCommandBuffer& commands : recorded) {
    const VkCommandPoolCreateInfo create{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                         .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                         .queueFamilyIndex = app.family()};
    VkCommandPool pool = VK_NULL_HANDLE;
    MUST(app.vk().vkCreateCommandPool(app.device(), &create, nullptr, &pool));
    app.at_end([=, &app] { app.vk().vkDestroyCommandPool(app.device(), pool, nullptr); });
    const VkCommandBufferAllocateInfo allocate{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                               .commandPool = pool,
                                               .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                               .commandBufferCount = 1};
    MUST(app.vk().vkAllocateCommandBuffers(app.device(), &allocate, &commands));
  }
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < recorded.size(); ++t) {
      threads.emplace_back([&, t] {
        for (int round = 0; round < 20; ++round) {
          app.begin(recorded[t], VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
          app.full_barrier(recorded[t]);
          app.dispatch(recorded[t], made, sets[t % 2]);
          app.vk().vkEndCommandBuffer(recorded[t]);
        }
      });
    }
  }
  app.submit(recorded);
  for (const AppTensor* result : {&y, &z}) checks.equal(contents<float>(*result)[3], 0x1p64f, "the last element");
}

// The operations of the queue family can be asked for, one by one too, and TOSA is among them.
void operations_are_queried(Application& app, Checks& checks) {
  app.start();
  const auto& vk = app.instance_functions();
  std::uint32_t count = 0;
  MUST(vk.vkGetPhysicalDeviceQueueFamilyDataGraphPropertiesARM(app.physical(), app.family(), &count, nullptr));
  checks.expect(count > 0, "a queue family for data graphs has no operation");
  std::vector<VkQueueFamilyDataGraphPropertiesARM> all(
      count, {.sType = VK_STRUCTURE_TYPE_QUEUE_FAMILY_DATA_GRAPH_PROPERTIES_ARM});
  MUST(vk.vkGetPhysicalDeviceQueueFamilyDataGraphPropertiesARM(app.physical(), app.family(), &count, all.data()));
  checks.expect(std::ranges::any_of(all,
                                    [](const VkQueueFamilyDataGraphPropertiesARM& one) {
                                      return std::string_view(one.operation.name) == "TOSA.001000.1";
                                    }),
                "no operation is TOSA.001000.1");
  if (all.size() < 2) return;
  count = 1;
  checks.expect(vk.vkGetPhysicalDeviceQueueFamilyDataGraphPropertiesARM(app.physical(), app.family(), &count,
                                                                        all.data()) == VK_INCOMPLETE,
                "an array that is too short is not VK_INCOMPLETE");
}

// A graph runs many times in one command buffer: each result is the next input.
void resubmits(Application& app, Checks& checks) {
  const AppTensor x = app.tensor(VK_FORMAT_R32_SINT, {6}), y = app.tensor(VK_FORMAT_R32_SINT, {6});
  const AppGraph doubled = app.graph(
      graph_module("%0 = input i32[6] at 0.0\n%1 = ADD(%0, %0) i32[6]\noutput %1 at 0.1\n"), "main", {&x, &y});
  const VkDescriptorSet there = app.descriptor_set(doubled.set_layout, {&x, &y}),
                        back = app.descriptor_set(doubled.set_layout, {&y, &x});
  fill(x, counted(6, 1));
  const VkCommandBuffer commands = app.command_buffer();
  app.begin(commands);
  for (int i = 0; i < 5; ++i) {
    app.full_barrier(commands);
    app.dispatch(commands, doubled, i % 2 == 0 ? there : back);
  }
  app.full_barrier(commands);
  copy_tensor(app, commands, y, x);
  app.full_barrier(commands);
  MUST(app.vk().vkEndCommandBuffer(commands));
  for (int i = 0; i < 3; ++i) app.submit({commands});
  std::vector<std::int32_t> expected = counted(6, 1);
  for (std::int32_t& value : expected) value <<= 15;
  checks.equal(contents<std::int32_t>(y), expected, "y");
}

// Several sessions of one pipeline are in flight in one submission.
void sessions_of_one_pipeline(Application& app, Checks& checks) {
  const std::vector<std::int32_t> c = counted(24, 100);
  const AppTensor x = app.tensor(VK_FORMAT_R32_SINT, {4, 6});
  std::vector<AppTensor> results;
  for (int i = 0; i < 4; ++i) results.push_back(app.tensor(VK_FORMAT_R32_SINT, {4, 6}));
  AppGraph made = app.graph(graph_module(std::string(kProduct)), "main", {&x, &results[0]},
                            {{0, VK_FORMAT_R32_SINT, {4, 6}, c.data()}});
  fill(x, counted(24));
  app.run([&](VkCommandBuffer commands) {
    for (const AppTensor& result : results) {
      made.session = app.session(made.pipeline, nullptr);
      app.dispatch(commands, made, app.descriptor_set(made.set_layout, {&x, &result}));
    }
  });
  for (const AppTensor& result : results)
    checks.equal(contents<std::int32_t>(result), product_of(counted(24), c), "the result of a session");
}

}  // namespace

std::vector<ApiCase> graph_api_cases() {
  return {{"queries/operations", operations_are_queried},
          {"constants/session_memory", a_graph_has_constants_and_session_memory},
          {"constants/ids_and_hints", constants_have_ids_and_hints},
          {"tensors/gaps", graphs_take_tensors_with_gaps},
          {"tensors/other_gaps", tensors_of_a_pipeline_may_have_other_gaps},
          {"state/compute", a_graph_restores_the_state_around_it},
          {"state/shader_object", shader_objects_have_tensors},
          {"state/all_stages", bindings_for_all_stages_are_for_graphs},
          {"several_graphs/one_module", a_module_has_several_graphs},
          {"sessions/one_pipeline", sessions_of_one_pipeline},
          {"resubmission/secondary", graphs_run_in_secondary_command_buffers_and_again},
          {"resubmission/chain", resubmits},
          {"resubmission/simultaneous", command_buffers_are_submitted_at_the_same_time},
          {"resubmission/pools", pools_are_reset_and_used_again},
          {"resubmission/vulkan_1_0", graphs_are_submitted_the_old_way},
          {"barriers/every_form", barriers_of_tensors_have_every_form},
          {"properties/identifier", a_pipeline_has_a_log_and_an_identifier},
          {"properties/merged_caches", merged_caches_know_the_graphs_of_both},
          {"properties/private_data", objects_have_names_and_private_data},
          {"threads/one_session", threads_share_a_session}};
}

}  // namespace slipway::conformance
