// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs that the driver runs itself (VK_ARM_data_graph): the pipeline, and the session with its memory.
#include <deque>

#include "gpu/device/device.hpp"
#include "gpu/memory/allocate_memory.hpp"
#include "gpu/memory/tensor_description.hpp"
#include "gpu/pipeline/pipeline_parts.hpp"

namespace slipway::gpu {
namespace {

VmaAllocationCreateInfo session_memory_request() {
  VmaAllocationCreateInfo how{};
  how.preferredFlags = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  return how;
}

}  // namespace

Result<> PipelineBuilder::add_session(const DeviceCore& core, Pipeline& pipeline) {
  const VkDataGraphPipelineSessionCreateInfoARM create{
      .sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_SESSION_CREATE_INFO_ARM, .dataGraphPipeline = pipeline.handle()};
  VkDataGraphPipelineSessionARM session = nullptr;
  VkResult result = core.functions.vkCreateDataGraphPipelineSessionARM(core.device, &create, nullptr, &session);
  if (result != VK_SUCCESS)
    return vulkan_failed("vkCreateDataGraphPipelineSessionARM", result, "pipeline", pipeline.name());
  pipeline.session_ = Owned<VkDataGraphPipelineSessionARM_T>(core, session);

  const VkDataGraphPipelineSessionBindPointRequirementsInfoARM info{
      .sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_SESSION_BIND_POINT_REQUIREMENTS_INFO_ARM, .session = session};
  std::uint32_t count = 0;
  result = core.functions.vkGetDataGraphPipelineSessionBindPointRequirementsARM(core.device, &info, &count, nullptr);
  std::vector<VkDataGraphPipelineSessionBindPointRequirementARM> points(
      count, {.sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_SESSION_BIND_POINT_REQUIREMENT_ARM});
  if (result == VK_SUCCESS) {
    result =
        core.functions.vkGetDataGraphPipelineSessionBindPointRequirementsARM(core.device, &info, &count, points.data());
  }
  if (result != VK_SUCCESS) {
    return vulkan_failed("vkGetDataGraphPipelineSessionBindPointRequirementsARM", result, "pipeline", pipeline.name());
  }

  std::vector<VkBindDataGraphPipelineSessionMemoryInfoARM> binds;
  for (const VkDataGraphPipelineSessionBindPointRequirementARM& point : points) {
    for (std::uint32_t object = 0; object < point.numObjects; ++object) {
      const VkDataGraphPipelineSessionMemoryRequirementsInfoARM wanted{
          .sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_SESSION_MEMORY_REQUIREMENTS_INFO_ARM,
          .session = session,
          .bindPoint = point.bindPoint,
          .objectIndex = object};
      VkMemoryRequirements2 requirements{.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
      core.functions.vkGetDataGraphPipelineSessionMemoryRequirementsARM(core.device, &wanted, &requirements);
      const VkMemoryRequirements& needs = requirements.memoryRequirements;
      if (needs.size == 0) continue;
      Result<MemoryPtr> memory = allocate_memory(core, {needs.size, needs.alignment, needs.memoryTypeBits},
                                                 session_memory_request(), "session of", pipeline.name());
      if (!memory) return fail(std::move(memory.error()));
      VmaAllocationInfo where;
      vmaGetAllocationInfo(core.allocator, (*memory)->allocation(), &where);
      binds.push_back({.sType = VK_STRUCTURE_TYPE_BIND_DATA_GRAPH_PIPELINE_SESSION_MEMORY_INFO_ARM,
                       .session = session,
                       .bindPoint = point.bindPoint,
                       .objectIndex = object,
                       .memory = where.deviceMemory,
                       .memoryOffset = where.offset});
      pipeline.session_memory_.push_back(std::move(*memory));
      pipeline.session_size_ += needs.size;
    }
  }
  if (binds.empty()) return {};
  result = core.functions.vkBindDataGraphPipelineSessionMemoryARM(core.device, static_cast<std::uint32_t>(binds.size()),
                                                                  binds.data());
  if (result != VK_SUCCESS)
    return vulkan_failed("vkBindDataGraphPipelineSessionMemoryARM", result, "pipeline", pipeline.name());
  return {};
}

Result<Pipeline> create_graph_pipeline(const Device& device, const GraphPipelineInfo& info) {
  const DeviceCore& core = device.core();
  const Result<Stage> stage = Stage::create(core, info.graph, info.options);
  if (!stage) return fail(stage.error());

  // Deques, so that pointers into them stay valid.
  std::deque<VkTensorDescriptionARM> descriptions;
  std::vector<VkDataGraphPipelineResourceInfoARM> resources;
  for (const GraphTensor& bound : info.tensors) {
    const Tensor& tensor = *bound.tensor;
    resources.push_back({.sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_RESOURCE_INFO_ARM,
                         .pNext = &descriptions.emplace_back(tensor_description(tensor.info(), tensor.strides())),
                         .descriptorSet = bound.set,
                         .binding = bound.binding,
                         .arrayElement = 0});
  }
  std::vector<VkDataGraphPipelineConstantARM> constants;
  for (const GraphConstant& constant : info.constants) {
    constants.push_back({.sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_CONSTANT_ARM,
                         .pNext = &descriptions.emplace_back(tensor_description(constant.tensor, {})),
                         .id = constant.id,
                         .pConstantData = constant.data});
  }

  Extras extras(core, info.options);
  const VkPipelineCreationFeedbackCreateInfo feedback{.sType = VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO,
                                                      .pPipelineCreationFeedback = &extras.feedback};
  const VkDataGraphPipelineShaderModuleCreateInfoARM module{
      .sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_SHADER_MODULE_CREATE_INFO_ARM,
      .pNext = &feedback,
      .module = stage->module(),
      .pName = info.graph.entry.c_str(),
      .constantCount = static_cast<std::uint32_t>(constants.size()),
      .pConstants = constants.data()};
  const VkDataGraphPipelineCreateInfoARM create{.sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_CREATE_INFO_ARM,
                                                .pNext = &module,
                                                .flags = extras.flags,
                                                .layout = info.layout->handle(),
                                                .resourceInfoCount = static_cast<std::uint32_t>(resources.size()),
                                                .pResourceInfos = resources.data()};
  VkPipeline handle = nullptr;
  const VkResult result = core.functions.vkCreateDataGraphPipelinesARM(core.device, nullptr, cache_of(info.options), 1,
                                                                       &create, nullptr, &handle);
  Result<Pipeline> pipeline =
      PipelineBuilder::finish(core, "vkCreateDataGraphPipelinesARM", result, handle, *info.layout, info.options,
                              PipelineKind::Graph, extras.cache_hit());
  if (!pipeline) return pipeline;
  if (Result<> made = PipelineBuilder::add_session(core, *pipeline); !made) return fail(std::move(made.error()));
  return pipeline;
}

}  // namespace slipway::gpu
