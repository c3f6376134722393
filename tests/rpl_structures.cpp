// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program of a user: the structures of slipway/rpl_vulkan.hpp have the values that the programs declare.
//
//   rpl_structures tests/corpus/rpl_tools/layouts.rpl examples/rpl_compute/scale.rpl
#include <slipway/version.h>
#include <slipway/rpl.hpp>
#include <slipway/rpl_vulkan.hpp>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#if SLIPWAY_VERSION < 200
#error "SLIPWAY_VERSION is not the version of the headers"
#endif

namespace {

int failures = 0;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::printf("does not hold: %s\n", what);
  ++failures;
}
#define EXPECT(...) expect((__VA_ARGS__), #__VA_ARGS__)

// How many descriptors of a type the bindings have; each binding is visible to `stages`.
std::uint32_t descriptors(const std::vector<VkDescriptorSetLayoutBinding>& bindings, VkDescriptorType type,
                          VkShaderStageFlags stages) {
  std::uint32_t count = 0;
  for (const VkDescriptorSetLayoutBinding& binding : bindings) {
    EXPECT(binding.stageFlags == stages);
    if (binding.descriptorType == type) count += binding.descriptorCount;
  }
  return count;
}

void check_graphics(const slipway::RplPipeline& pipeline) {
  constexpr VkShaderStageFlags kStages = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
  const slipway::RplMetadata& metadata = pipeline.metadata;
  const auto shared = slipway::rpl_set_bindings(metadata, 3);
  EXPECT(shared.size() == 6);
  EXPECT(descriptors(shared, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, kStages) == 2);
  EXPECT(descriptors(shared, VK_DESCRIPTOR_TYPE_SAMPLER, kStages) == 1);
  EXPECT(descriptors(shared, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, kStages) == 5);
  EXPECT(descriptors(shared, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, kStages) == 1);
  const auto of_pass = slipway::rpl_set_bindings(metadata, 0);
  EXPECT(descriptors(of_pass, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, kStages) == 1);
  EXPECT(descriptors(of_pass, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, kStages) == 1);
  const VkPushConstantRange push = slipway::rpl_push_constants(metadata);
  EXPECT(push.stageFlags == kStages && push.offset == 0 && push.size == 80);

  const std::vector<VkShaderModule> modules(pipeline.modules.size());
  const slipway::RplGraphicsPipelineInfo info(pipeline, modules, VK_NULL_HANDLE);
  EXPECT(info.create_info.stageCount == 2 && info.create_info.pNext == &info.rendering);
  EXPECT(info.stages[0].stage == VK_SHADER_STAGE_VERTEX_BIT && info.stages[1].stage == VK_SHADER_STAGE_FRAGMENT_BIT);
  EXPECT(info.vertex_input.vertexBindingDescriptionCount == 2);
  EXPECT(info.vertex_bindings[0].stride == 36 && info.vertex_bindings[0].inputRate == VK_VERTEX_INPUT_RATE_VERTEX);
  EXPECT(info.vertex_bindings[1].stride == 92 && info.vertex_bindings[1].inputRate == VK_VERTEX_INPUT_RATE_INSTANCE);
  // The third column of `turn`, a matrix of 16-bit floats: three locations, six bytes apart.
  const auto* const end = info.vertex_attributes + info.vertex_input.vertexAttributeDescriptionCount;
  const auto* const column =
      std::find_if(info.vertex_attributes, end, [](const auto& each) { return each.location == 13; });
  EXPECT(column != end && column->binding == 1 && column->offset == 80 && column->format == VK_FORMAT_R16G16B16_SFLOAT);
  EXPECT(info.rasterization.cullMode == VK_CULL_MODE_NONE);
  EXPECT(info.rasterization.depthBiasEnable == VK_TRUE && info.rasterization.depthBiasClamp == 0.5f);
  EXPECT(info.color_blend.attachmentCount == 2);
  EXPECT(info.blends[0].blendEnable == VK_TRUE && info.blends[1].blendEnable == VK_FALSE);
  EXPECT(info.rendering.colorAttachmentCount == 2 && info.dynamic.dynamicStateCount == 2);

  EXPECT(info.status == RPL_OK);
  const slipway::RplGraphicsPipelineInfo wrong(pipeline, {}, VK_NULL_HANDLE);
  EXPECT(wrong.status == RPL_WRONG_CALL);

  rpl_vulkan_features needed;
  rpl_vulkan_begin_features(&needed, nullptr);
  const auto missing = slipway::rpl_missing_features(metadata, needed);
  EXPECT(missing.size() == metadata.requirements.features.size() + 1 && missing.back() == "dynamicRendering");
  EXPECT(std::find(missing.begin(), missing.end(), "depthBiasClamp") != missing.end());
  rpl_vulkan_add_features(&metadata, &needed);
  EXPECT(needed.core.features.depthBiasClamp == VK_TRUE && needed.core.features.wideLines == VK_FALSE);
  EXPECT(slipway::rpl_missing_features(metadata, needed).empty());
}

void check_compute(const slipway::RplPipeline& pipeline) {
  const VkComputePipelineCreateInfo info = slipway::rpl_compute_pipeline(pipeline, VK_NULL_HANDLE, VK_NULL_HANDLE);
  EXPECT(info.sType == VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO);
  EXPECT(info.stage.stage == VK_SHADER_STAGE_COMPUTE_BIT);
  EXPECT(info.stage.pName == pipeline.modules[0].entry_points[0].function.data);
  EXPECT(pipeline.metadata.settings.workgroup_size_x == 32);
  EXPECT(slipway::rpl_push_constants(pipeline.metadata).size == 0);
  const auto bindings = slipway::rpl_set_bindings(pipeline.metadata, 2);
  EXPECT(descriptors(bindings, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, VK_SHADER_STAGE_COMPUTE_BIT) == 1);
  EXPECT(descriptors(bindings, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_SHADER_STAGE_COMPUTE_BIT) == 1);
}

}  // namespace

int main(int, char** arguments) try {
  slipway::RplVariant graphics;
  graphics.entry_points = {{"vertex", "vertex_main"}, {"fragment", "fragment_main"}};
  check_graphics(*slipway::RplProgram::load({arguments[1]}).value().compile(graphics).value());
  slipway::RplVariant compute;
  compute.kind = RPL_PIPELINE_KIND_COMPUTE;
  compute.entry_points = {{"compute", "compute_main"}};
  compute.options = {{"group", "32"}};
  check_compute(*slipway::RplProgram::load({arguments[2]}).value().compile(compute).value());
  return failures;
} catch (const slipway::Error& error) {
  for (const slipway::Problem& problem : error.problems()) std::fputs(problem.text.c_str(), stderr);
  return 3;
}
