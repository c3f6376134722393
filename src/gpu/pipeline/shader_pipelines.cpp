// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gpu/pipeline/pipeline.hpp"

#include <optional>

#include "base/format.hpp"
#include "gpu/device/device.hpp"
#include "gpu/pipeline/graphics_state_info.hpp"
#include "gpu/pipeline/pipeline_parts.hpp"

namespace slipway::gpu {
namespace {

Result<> check_subgroup_size(const DeviceCore& core, const ComputePipelineInfo& info) {
  const vk::SubgroupFacts& facts = core.snapshot.subgroup;
  const std::uint32_t size = info.subgroup_size;
  if (size == 0 || (core.plan.has_feature("subgroupSizeControl") && size >= facts.min_size && size <= facts.max_size &&
                    (facts.required_size_stages & VK_SHADER_STAGE_COMPUTE_BIT))) {
    return {};
  }
  return fail(DiagnosticKind::DeviceLacks, SourceLocation::nowhere(),
              formatted("pipeline `{}` needs subgroups of {}, but the device has {} to {}", info.options.name, size,
                        facts.min_size, facts.max_size));
}

}  // namespace

Result<Pipeline> create_compute_pipeline(const Device& device, const ComputePipelineInfo& info) {
  const DeviceCore& core = device.core();
  if (Result<> checked = check_subgroup_size(core, info); !checked) return fail(std::move(checked.error()));
  Result<Stage> stage = Stage::create(core, info.shader, info.options);
  if (!stage) return fail(std::move(stage.error()));
  Extras extras(core, info.options);
  VkPipelineShaderStageRequiredSubgroupSizeCreateInfo subgroup{
      .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
      .requiredSubgroupSize = info.subgroup_size};
  VkComputePipelineCreateInfo create{.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                     .pNext = &extras.feedback_info,
                                     .flags = extras.flags,
                                     .stage = stage->info(VK_SHADER_STAGE_COMPUTE_BIT),
                                     .layout = info.layout->handle()};
  if (info.subgroup_size) create.stage.pNext = &subgroup;
  VkPipeline handle = nullptr;
  const VkResult result =
      core.functions.vkCreateComputePipelines(core.device, cache_of(info.options), 1, &create, nullptr, &handle);
  return PipelineBuilder::finish(core, "vkCreateComputePipelines", result, handle, *info.layout, info.options,
                                 PipelineKind::Compute, extras.cache_hit());
}

namespace {

Result<> check_state(const DeviceCore& core, const GraphicsPipelineInfo& info, const vk::AttachmentFormats& formats) {
  Diagnostics problems;
  for (const std::string& missing : vk::missing_for_state(core.snapshot, core.plan.features, info.state, formats)) {
    problems.error(DiagnosticKind::DeviceLacks, SourceLocation::nowhere(),
                   formatted("pipeline `{}`: {}", info.options.name, missing));
  }
  if (problems.has_errors()) return std::unexpected(problems.release());
  return {};
}

}  // namespace

Result<Pipeline> create_graphics_pipeline(const Device& device, const GraphicsPipelineInfo& info) {
  const DeviceCore& core = device.core();
  const vk::AttachmentFormats attachments{info.color_formats, info.depth_stencil_format};
  if (Result<> checked = check_state(core, info, attachments); !checked) return fail(std::move(checked.error()));
  Result<Stage> vertex = Stage::create(core, info.vertex, info.options);
  if (!vertex) return fail(std::move(vertex.error()));
  std::vector stages = {vertex->info(VK_SHADER_STAGE_VERTEX_BIT)};
  std::optional<Stage> fragment;
  if (!info.fragment.words.empty()) {
    Result<Stage> made = Stage::create(core, info.fragment, info.options);
    if (!made) return fail(std::move(made.error()));
    stages.push_back(fragment.emplace(std::move(*made)).info(VK_SHADER_STAGE_FRAGMENT_BIT));
  }

  Extras extras(core, info.options);
  GraphicsStateInfo state(info.state, attachments);
  state.rendering.pNext = &extras.feedback_info;
  const VkGraphicsPipelineCreateInfo create{.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                            .pNext = &state.rendering,
                                            .flags = extras.flags,
                                            .stageCount = static_cast<std::uint32_t>(stages.size()),
                                            .pStages = stages.data(),
                                            .pVertexInputState = &state.vertex_input,
                                            .pInputAssemblyState = &state.assembly,
                                            .pViewportState = &state.viewport,
                                            .pRasterizationState = &state.rasterization,
                                            .pMultisampleState = &state.multisample,
                                            .pDepthStencilState = &state.depth_stencil,
                                            .pColorBlendState = &state.blend,
                                            .pDynamicState = &state.dynamic,
                                            .layout = info.layout->handle()};
  VkPipeline handle = nullptr;
  const VkResult result =
      core.functions.vkCreateGraphicsPipelines(core.device, cache_of(info.options), 1, &create, nullptr, &handle);
  return PipelineBuilder::finish(core, "vkCreateGraphicsPipelines", result, handle, *info.layout, info.options,
                                 PipelineKind::Graphics, extras.cache_hit());
}

}  // namespace slipway::gpu
