#include "gpu/pipeline.hpp"

#include <format>
#include <optional>

#include "gpu/device_core.hpp"
#include "gpu/graphics_state_info.hpp"

namespace slipway::gpu {
namespace {

// One stage of a pipeline with everything that its create info points to.
class Stage {
 public:
  static Result<Stage> create(const DeviceCore& core, const ShaderInfo& shader, const PipelineOptions& options) {
    const VkShaderModuleCreateInfo create{.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                          .codeSize = shader.words.size_bytes(),
                                          .pCode = shader.words.data()};
    VkShaderModule handle = nullptr;
    const VkResult result = core.functions.vkCreateShaderModule(core.device, &create, nullptr, &handle);
    if (result != VK_SUCCESS) return vulkan_failed("vkCreateShaderModule", result, "pipeline", options.name);
    set_debug_name(core, VK_OBJECT_TYPE_SHADER_MODULE, handle, options.name);
    Stage stage;
    stage.shader_ = &shader;
    stage.module_ = Owned<VkShaderModule_T>(core, handle);
    for (const SpecializationEntry& entry : shader.specialization) {
      stage.entries_.push_back({entry.id, entry.offset, entry.size});
    }
    return stage;
  }

  // Good while the stage stays where it is.
  VkPipelineShaderStageCreateInfo info(VkShaderStageFlagBits kind) {
    specialization_ = {static_cast<std::uint32_t>(entries_.size()), entries_.data(),
                       shader_->specialization_data.size(), shader_->specialization_data.data()};
    return {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
            .stage = kind,
            .module = module_.get(),
            .pName = shader_->entry.c_str(),
            .pSpecializationInfo = entries_.empty() ? nullptr : &specialization_};
  }

 private:
  const ShaderInfo* shader_ = nullptr;
  Owned<VkShaderModule_T> module_;
  std::vector<VkSpecializationMapEntry> entries_;
  VkSpecializationInfo specialization_{};
};

// Creation feedback, robustness and the flags: what compute and graphics pipelines have in common.
struct Extras {
  Extras(const DeviceCore& core, const PipelineOptions& options) {
    feedback_info.pPipelineCreationFeedback = &feedback;
    if (core.plan.has_feature("pipelineRobustness")) {
      const bool buffers2 = core.plan.has_feature("robustBufferAccess2");
      const bool images2 = core.plan.has_feature("robustImageAccess2");
      robustness.storageBuffers = robustness.uniformBuffers = robustness.vertexInputs =
          buffers2 ? VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_ROBUST_BUFFER_ACCESS_2
                   : VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_ROBUST_BUFFER_ACCESS;
      robustness.images = images2 ? VK_PIPELINE_ROBUSTNESS_IMAGE_BEHAVIOR_ROBUST_IMAGE_ACCESS_2
                                  : VK_PIPELINE_ROBUSTNESS_IMAGE_BEHAVIOR_ROBUST_IMAGE_ACCESS;
      feedback_info.pNext = &robustness;
    }
    if (options.fail_on_cache_miss && core.plan.has_feature("pipelineCreationCacheControl")) {
      flags |= VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT;
    }
  }
  Extras(const Extras&) = delete;

  bool cache_hit() const {
    constexpr VkPipelineCreationFeedbackFlags hit =
        VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT | VK_PIPELINE_CREATION_FEEDBACK_APPLICATION_PIPELINE_CACHE_HIT_BIT;
    return (feedback.flags & hit) == hit;
  }

  VkPipelineCreationFeedback feedback{};
  VkPipelineRobustnessCreateInfo robustness{.sType = VK_STRUCTURE_TYPE_PIPELINE_ROBUSTNESS_CREATE_INFO};
  VkPipelineCreationFeedbackCreateInfo feedback_info{.sType = VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO};
  VkPipelineCreateFlags flags = 0;
};

VkPipelineCache cache_of(const PipelineOptions& options) { return options.cache ? options.cache->handle() : nullptr; }

Result<> check_subgroup_size(const DeviceCore& core, const ComputePipelineInfo& info) {
  const SubgroupFacts& facts = core.snapshot.subgroup;
  const std::uint32_t size = info.subgroup_size;
  if (size == 0 || (core.plan.has_feature("subgroupSizeControl") && size >= facts.min_size && size <= facts.max_size &&
                    (facts.required_size_stages & VK_SHADER_STAGE_COMPUTE_BIT))) {
    return {};
  }
  return fail(DiagnosticKind::DeviceLacks, Place::nowhere(),
              std::format("pipeline `{}` needs subgroups of {}, but the device has {} to {}", info.options.name, size,
                          facts.min_size, facts.max_size));
}

}  // namespace

struct PipelineMaker {
  static Result<Pipeline> finish(const DeviceCore& core, std::string_view call, VkResult result, VkPipeline handle,
                                 const PipelineLayout& layout, const PipelineOptions& options, bool graphics,
                                 bool cache_hit) {
    Pipeline pipeline;
    // Held before the result is looked at: a miss that only the feedback tells comes with a pipeline.
    if (handle) pipeline.pipeline_ = Owned<VkPipeline_T>(core, handle);
    if (result == VK_PIPELINE_COMPILE_REQUIRED || (result == VK_SUCCESS && options.fail_on_cache_miss && !cache_hit)) {
      return fail(DiagnosticKind::DeviceFailed, Place::nowhere(),
                  std::format("Pipeline cache miss for pipeline: {}", options.name));
    }
    if (result != VK_SUCCESS) return vulkan_failed(call, result, "pipeline", options.name);
    set_debug_name(core, VK_OBJECT_TYPE_PIPELINE, handle, options.name);
    pipeline.layout_ = &layout;
    pipeline.graphics_ = graphics;
    pipeline.cache_hit_ = cache_hit;
    pipeline.name_ = options.name;
    return pipeline;
  }
};

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
  return PipelineMaker::finish(core, "vkCreateComputePipelines", result, handle, *info.layout, info.options, false,
                               extras.cache_hit());
}

namespace {

Result<> check_state(const DeviceCore& core, const GraphicsPipelineInfo& info, const AttachmentFormats& formats) {
  Diagnostics problems;
  for (const std::string& missing : missing_for_state(core.snapshot, core.plan.features, info.state, formats)) {
    problems.error(DiagnosticKind::DeviceLacks, Place::nowhere(),
                   std::format("pipeline `{}`: {}", info.options.name, missing));
  }
  if (problems.has_errors()) return std::unexpected(problems.release());
  return {};
}

}  // namespace

Result<Pipeline> create_graphics_pipeline(const Device& device, const GraphicsPipelineInfo& info) {
  const DeviceCore& core = device.core();
  const AttachmentFormats attachments{info.color_formats, info.depth_stencil_format};
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
  return PipelineMaker::finish(core, "vkCreateGraphicsPipelines", result, handle, *info.layout, info.options, true,
                               extras.cache_hit());
}

}  // namespace slipway::gpu
