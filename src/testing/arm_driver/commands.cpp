// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Command buffers: dispatches of shaders with tensors and of graphs.
#include <algorithm>
#include <cstring>
#include <functional>

#include "base/format.hpp"
#include "base/print_diagnostic.hpp"
#include "reference/run.hpp"
#include "spirv/tensors/emulate.hpp"
#include "testing/arm_driver/driver.hpp"

namespace slipway::testing::arm_driver {
namespace {

VkResult BeginCommandBuffer(VkCommandBuffer buffer, const VkCommandBufferBeginInfo* info) {
  join_host();
  {
    const std::lock_guard lock(state().mutex);
    state().commands.erase(buffer);
  }
  return state().real.vkBeginCommandBuffer(buffer, info);
}

void CmdBindPipeline(VkCommandBuffer buffer, VkPipelineBindPoint point, VkPipeline pipeline) {
  const std::lock_guard lock(state().mutex);
  Commands& commands = state().commands[buffer];
  if (point == VK_PIPELINE_BIND_POINT_DATA_GRAPH_ARM) {
    commands.graph = object_of<GraphPipeline>(pipeline);
    return;
  }
  const auto tensors = state().tensor_pipelines.find(pipeline);
  const bool is_ours = tensors != state().tensor_pipelines.end();
  if (point == VK_PIPELINE_BIND_POINT_COMPUTE) commands.compute = is_ours ? tensors->second.get() : nullptr;
  if (!is_ours) state().real.vkCmdBindPipeline(buffer, point, pipeline);
}

void CmdBindDescriptorSets(VkCommandBuffer buffer, VkPipelineBindPoint point, VkPipelineLayout layout,
                           std::uint32_t first, std::uint32_t count, const VkDescriptorSet* sets,
                           std::uint32_t dynamic_count, const std::uint32_t* dynamic) {
  {
    const std::lock_guard lock(state().mutex);
    for (std::uint32_t i = 0; i < count; ++i) state().commands[buffer].sets[point][first + i] = sets[i];
  }
  if (point != VK_PIPELINE_BIND_POINT_DATA_GRAPH_ARM)
    state().real.vkCmdBindDescriptorSets(buffer, point, layout, first, count, sets, dynamic_count, dynamic);
}

// --- shaders with tensors --------------------------------------------------------------------------------------------

// All tensors that a command uses.
std::vector<spirv::TensorBinding> tensors_of(const Commands& commands, VkPipelineBindPoint point) {
  std::vector<spirv::TensorBinding> bindings;
  const auto sets = commands.sets.find(point);
  if (sets == commands.sets.end()) return bindings;
  for (const auto& [number, set] : sets->second) {
    for (const auto& [at, tensor] : state().descriptors[set]) {
      if (at.second == 0) bindings.push_back({.set = number, .binding = at.first, .elements = {}});
      const Description& of = tensor->description;
      bindings.back().elements.push_back({.element = of.element(), .shape = of.shape, .strides = of.strides});
    }
  }
  return bindings;
}

std::string key_of(std::span<const spirv::TensorBinding> bindings) {
  std::string key;
  for (const spirv::TensorBinding& binding : bindings) {
    key += formatted("{}.{}:", binding.set, binding.binding);
    for (const spirv::TensorLayout& layout : binding.elements) {
      key += formatted("{}{}", tensor::name_of(layout.element), tensor::shape_text(layout.shape));
      for (const std::uint64_t stride : layout.strides) key += formatted("/{}", stride);
    }
  }
  return key;
}

VkPipeline make_pipeline(VkDevice device, const TensorPipeline& pipeline,
                         std::span<const spirv::TensorBinding> bindings) {
  spirv::Specialization values;
  for (const VkSpecializationMapEntry& entry : pipeline.entries) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, pipeline.data.data() + entry.offset, std::min(entry.size, sizeof bits));
    values[entry.constantID] = bits;
  }
  const auto words =
      spirv::read_module(spirv::Words(pipeline.words), "shader").and_then([&](const spirv::Module& module) {
        return spirv::emulate_tensors(module, bindings, values);
      });
  if (!words) complain(words.error().front().message);
  const Real& real = state().real;
  const VkShaderModuleCreateInfo create{
      .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = words->size() * 4, .pCode = words->data()};
  const VkSpecializationInfo specialization{static_cast<std::uint32_t>(pipeline.entries.size()),
                                            pipeline.entries.data(), pipeline.data.size(), pipeline.data.data()};
  VkComputePipelineCreateInfo info{.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                   .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                             .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                             .pName = pipeline.entry.c_str(),
                                             .pSpecializationInfo = &specialization},
                                   .layout = pipeline.layout};
  VkPipeline made = nullptr;
  if (real.vkCreateShaderModule(device, &create, nullptr, &info.stage.module) != VK_SUCCESS ||
      real.vkCreateComputePipelines(device, nullptr, 1, &info, nullptr, &made) != VK_SUCCESS)
    complain("lavapipe does not take a rewritten shader");
  real.vkDestroyShaderModule(device, info.stage.module, nullptr);
  return made;
}

void CmdDispatch(VkCommandBuffer buffer, std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  {
    const std::lock_guard lock(state().mutex);
    Commands& commands = state().commands[buffer];
    if (TensorPipeline* pipeline = commands.compute) {
      const std::vector<spirv::TensorBinding> bindings = tensors_of(commands, VK_PIPELINE_BIND_POINT_COMPUTE);
      VkPipeline& made = pipeline->by_shapes[key_of(bindings)];
      if (!made) made = make_pipeline(state().device, *pipeline, bindings);
      state().real.vkCmdBindPipeline(buffer, VK_PIPELINE_BIND_POINT_COMPUTE, made);
    }
  }
  state().real.vkCmdDispatch(buffer, x, y, z);
}

// --- graphs ----------------------------------------------------------------------------------------------------------

VkEvent make_event() {
  const VkEventCreateInfo info{.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
  VkEvent made = nullptr;
  if (state().real.vkCreateEvent(state().device, &info, nullptr, &made) != VK_SUCCESS) complain("no event");
  return made;
}

// Returns the bound tensors. Ends the process if they are not those that the pipeline was compiled for.
std::vector<Tensor*> bound_tensors(Commands& commands, std::span<const tosa::Binding> bindings) {
  std::vector<Tensor*> tensors;
  for (const tosa::Binding& at : bindings) {
    const auto& sets = commands.sets[VK_PIPELINE_BIND_POINT_DATA_GRAPH_ARM];
    const auto set = sets.find(at.set);
    const auto compiled = commands.graph->tensors.find({at.set, at.binding});
    if (set == sets.end() || compiled == commands.graph->tensors.end()) complain("a graph without one of its tensors");
    const DescriptorTensors& written = state().descriptors[set->second];
    const auto bound = written.find({at.binding, 0});
    if (bound == written.end()) complain("a graph whose descriptor is not written");
    if (bound->second->description != compiled->second)
      complain("a graph is bound to another tensor than its pipeline was made for");
    if (!bound->second->memory) complain("a graph is bound to a tensor without memory");
    tensors.push_back(bound->second);
  }
  return tensors;
}

void CmdDispatchDataGraphARM(VkCommandBuffer buffer, VkDataGraphPipelineSessionARM handle,
                             const VkDataGraphPipelineDispatchInfoARM*) {
  const std::lock_guard lock(state().mutex);
  const Real& real = state().real;
  Commands& commands = state().commands[buffer];
  const Session& session = *object_of<Session>(handle);
  if (!commands.graph) complain("a graph is dispatched, and no pipeline is bound");
  if (session.pipeline != commands.graph) complain("the session is of another pipeline");
  if (!session.bound) complain("the session has no memory");
  const tosa::Graph& graph = commands.graph->graph;
  GraphRun& run = commands.runs.emplace_back();
  run.pipeline = commands.graph;
  run.inputs = bound_tensors(commands, graph.input_bindings);
  run.outputs = bound_tensors(commands, graph.output_bindings);
  run.now = make_event();
  run.begin = make_event();
  run.end = make_event();
  real.vkSetEvent(state().device, run.now);
  const auto wait = [&](VkEvent event) {
    real.vkCmdWaitEvents(buffer, 1, &event, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0,
                         nullptr, 0, nullptr, 0, nullptr);
  };
  // An event that is always set: lavapipe finishes all previous work before it waits for an event, but not before it
  // sets one.
  wait(run.now);
  real.vkCmdSetEvent(buffer, run.begin, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
  wait(run.end);
  real.vkCmdResetEvent(buffer, run.end, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
}

// Calls `visit` with the bytes of every element, in row-major order.
void for_each_element(const Tensor& tensor, const std::function<void(std::byte*)>& visit) {
  const Description& of = tensor.description;
  std::vector<std::int64_t> at(of.shape.size());
  for (bool more = true; more;) {
    std::uint64_t offset = 0;
    for (std::size_t d = 0; d < at.size(); ++d) offset += static_cast<std::uint64_t>(at[d]) * of.strides[d];
    visit(tensor.memory + offset);
    more = false;
    for (std::size_t d = at.size(); d-- > 0 && !more;) {
      more = ++at[d] < of.shape[d];
      if (!more) at[d] = 0;
    }
  }
}

void compute(const GraphRun& run) {
  const tosa::Graph& graph = run.pipeline->graph;
  std::vector<reference::Tensor> inputs;
  for (std::size_t i = 0; i < run.inputs.size(); ++i) {
    std::vector<std::byte> packed;
    const std::uint32_t size = tensor::size_of(run.inputs[i]->description.element());
    for_each_element(*run.inputs[i],
                     [&](const std::byte* element) { packed.insert(packed.end(), element, element + size); });
    inputs.push_back(reference::Tensor::from_bytes(graph[graph.inputs[i]].type, packed));
  }
  const auto outputs = reference::run(graph, std::move(inputs));
  if (!outputs) complain(outputs.error().front().message);
  for (std::size_t i = 0; i < outputs->size(); ++i) {
    const std::vector<std::byte> packed = (*outputs)[i].to_bytes();
    const std::uint32_t size = tensor::size_of(run.outputs[i]->description.element());
    const std::byte* next = packed.data();
    for_each_element(*run.outputs[i], [&](std::byte* element) {
      std::memcpy(element, next, size);
      next += size;
    });
  }
}

void host(VkDevice device, const std::vector<const GraphRun*>& runs) {
  const Real& real = state().real;
  for (const GraphRun* run : runs) {
    while (real.vkGetEventStatus(device, run->begin) != VK_EVENT_SET) std::this_thread::yield();
    compute(*run);
    real.vkResetEvent(device, run->begin);
    real.vkSetEvent(device, run->end);
  }
}

VkResult QueueSubmit2(VkQueue queue, std::uint32_t count, const VkSubmitInfo2* infos, VkFence fence) {
  std::vector<const GraphRun*> runs;
  {
    const std::lock_guard lock(state().mutex);
    for (std::uint32_t i = 0; i < count; ++i) {
      for (std::uint32_t c = 0; c < infos[i].commandBufferInfoCount; ++c) {
        for (const GraphRun& run : state().commands[infos[i].pCommandBufferInfos[c].commandBuffer].runs)
          runs.push_back(&run);
      }
    }
  }
  if (!runs.empty()) {
    join_host();
    state().host = std::thread(host, state().device, std::move(runs));
  }
  return state().real.vkQueueSubmit2(queue, count, infos, fence);
}

}  // namespace

GraphRun::~GraphRun() {
  for (const VkEvent event : {now, begin, end}) state().real.vkDestroyEvent(state().device, event, nullptr);
}

void join_host() {
  if (state().host.joinable()) state().host.join();
}

PFN_vkVoidFunction find_commands(std::string_view name) {
  static const Named table[] = {
      ARM_DRIVER_FUNCTION(BeginCommandBuffer),      ARM_DRIVER_FUNCTION(CmdBindPipeline),
      ARM_DRIVER_FUNCTION(CmdBindDescriptorSets),   ARM_DRIVER_FUNCTION(CmdDispatch),
      ARM_DRIVER_FUNCTION(CmdDispatchDataGraphARM), ARM_DRIVER_FUNCTION(QueueSubmit2),
  };
  // Since Vulkan 1.3 the same function has a name without the suffix.
  if (name == "vkQueueSubmit2KHR") name.remove_suffix(3);
  return find_in(table, name);
}

}  // namespace slipway::testing::arm_driver
