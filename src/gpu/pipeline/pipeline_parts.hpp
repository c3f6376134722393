// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What pipelines of every kind are made of. Inside this module only.
#pragma once

#include <vector>

#include "base/format.hpp"
#include "gpu/device/device_core.hpp"
#include "gpu/pipeline/pipeline.hpp"

namespace slipway::gpu {

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

  VkShaderModule module() const { return module_.get(); }
  // Valid until the stage is moved or destroyed.
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

inline VkPipelineCache cache_of(const PipelineOptions& options) {
  return options.cache ? options.cache->handle() : nullptr;
}

struct PipelineBuilder {
  static Result<Pipeline> finish(const DeviceCore& core, std::string_view call, VkResult result, VkPipeline handle,
                                 const PipelineLayout& layout, const PipelineOptions& options, PipelineKind kind,
                                 bool cache_hit) {
    Pipeline pipeline;
    // Owned before the result is checked: a miss that only the feedback reports comes with a pipeline.
    if (handle) pipeline.pipeline_ = Owned<VkPipeline_T>(core, handle);
    if (result == VK_PIPELINE_COMPILE_REQUIRED || (result == VK_SUCCESS && options.fail_on_cache_miss && !cache_hit)) {
      return fail(DiagnosticKind::DeviceFailed, SourceLocation::nowhere(),
                  formatted("Pipeline cache miss for pipeline: {}", options.name));
    }
    if (result != VK_SUCCESS) return vulkan_failed(call, result, "pipeline", options.name);
    set_debug_name(core, VK_OBJECT_TYPE_PIPELINE, handle, options.name);
    pipeline.layout_ = &layout;
    pipeline.kind_ = kind;
    pipeline.cache_hit_ = cache_hit;
    pipeline.name_ = options.name;
    return pipeline;
  }
  // Makes the session of a graph, with memory for all that the driver asks for.
  static Result<> add_session(const DeviceCore& core, Pipeline& pipeline);
};

}  // namespace slipway::gpu
