// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vulkan's create infos from the metadata of a compiled pipeline. Header only; needs Vulkan's headers, and calls no
// function of Vulkan.
//
//   for (std::uint32_t set = 0; set < 4; ++set) {
//     const auto bindings = slipway::rpl_set_bindings(pipeline.metadata, set);
//     VkDescriptorSetLayoutCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
//     info.bindingCount = std::uint32_t(bindings.size());
//     info.pBindings = bindings.data();
//     vkCreateDescriptorSetLayout(device, &info, nullptr, &set_layouts[set]);
//   }
//   // For the pipeline layout; a range of size 0 must be left out.
//   const VkPushConstantRange push_constants = slipway::rpl_push_constants(pipeline.metadata);
//   slipway::RplGraphicsPipelineInfo info(pipeline, shader_modules, pipeline_layout);
//   vkCreateGraphicsPipelines(device, cache, 1, &info.create_info, nullptr, &handle);
//
// Viewport and scissor are dynamic. Rendering is dynamic (VK_KHR_dynamic_rendering or Vulkan 1.3) with the formats of
// the program's settings; a program that uses a render pass sets `create_info.renderPass` and `create_info.pNext`.
#pragma once

#include <vulkan/vulkan_core.h>

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "slipway/rpl.hpp"

namespace slipway {

inline VkShaderStageFlags rpl_stages(const RplMetadata& metadata) {
  if (metadata.kind == RplPipelineKind::Compute) return VK_SHADER_STAGE_COMPUTE_BIT;
  return VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
}

// The bindings of the layout of a descriptor set, 0 to 3.
inline std::vector<VkDescriptorSetLayoutBinding> rpl_set_bindings(const RplMetadata& metadata, std::uint32_t set) {
  std::vector<VkDescriptorSetLayoutBinding> bindings;
  const auto add = [&](std::uint32_t binding, VkDescriptorType type, std::uint32_t count) {
    bindings.push_back({binding, type, count, rpl_stages(metadata), nullptr});
  };
  const RplDescriptorSet& from = metadata.sets.at(set);
  for (const RplBuffer& buffer : from.buffers) {
    const bool uniform = buffer.type == RplBuffer::Type::Uniform;
    add(buffer.binding, uniform ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1);
  }
  for (const RplSampler& sampler : from.samplers) add(sampler.binding, VK_DESCRIPTOR_TYPE_SAMPLER, 1);
  for (const RplImage& image : from.images) {
    add(image.binding, image.storage ? VK_DESCRIPTOR_TYPE_STORAGE_IMAGE : VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
        image.count);
  }
  return bindings;
}

// The one push constant range of the pipeline layout; its size is 0 without push constants.
inline VkPushConstantRange rpl_push_constants(const RplMetadata& metadata) {
  return {rpl_stages(metadata), 0, metadata.push_constant_size};
}

namespace rpl_details {

inline std::vector<VkPipelineShaderStageCreateInfo> stages_of(const RplPipeline& pipeline,
                                                              const std::vector<VkShaderModule>& modules) {
  if (modules.size() != pipeline.modules.size()) throw std::invalid_argument("one shader module for each RplModule");
  std::vector<VkPipelineShaderStageCreateInfo> stages;
  for (std::size_t i = 0; i < modules.size(); ++i) {
    for (const RplEntryPoint& entry : pipeline.modules[i].entry_points) {
      VkPipelineShaderStageCreateInfo stage{};
      stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
      stage.stage = entry.stage == "vertex"     ? VK_SHADER_STAGE_VERTEX_BIT
                    : entry.stage == "fragment" ? VK_SHADER_STAGE_FRAGMENT_BIT
                                                : VK_SHADER_STAGE_COMPUTE_BIT;
      stage.module = modules[i];
      stage.pName = entry.function.c_str();
      stages.push_back(stage);
    }
  }
  return stages;
}

inline VkStencilOpState stencil_of(const RplStencil& from) {
  return {static_cast<VkStencilOp>(from.on_fail),
          static_cast<VkStencilOp>(from.on_pass),
          static_cast<VkStencilOp>(from.on_depth_fail),
          static_cast<VkCompareOp>(from.compare),
          from.compare_mask,
          from.write_mask,
          from.reference};
}

}  // namespace rpl_details

// The create info of a compute pipeline. The pipeline must live longer than the result.
inline VkComputePipelineCreateInfo rpl_compute_pipeline(const RplPipeline& pipeline, VkShaderModule module,
                                                        VkPipelineLayout layout) {
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage = rpl_details::stages_of(pipeline, {module}).at(0);
  info.layout = layout;
  return info;
}

// The create info of a graphics pipeline and everything that it points to. The pipeline must live longer. All members
// may be changed before the pipeline is created. An object is used by one thread at a time.
class RplGraphicsPipelineInfo {
 public:
  // `modules`: one for each of pipeline.modules.
  RplGraphicsPipelineInfo(const RplPipeline& pipeline, const std::vector<VkShaderModule>& modules,
                          VkPipelineLayout layout)
      : stages(rpl_details::stages_of(pipeline, modules)) {
    const RplMetadata& metadata = pipeline.metadata;
    const RplSettings& settings = metadata.settings;
    fill_vertex_input(metadata);
    fill_color_outputs(metadata);

    input_assembly.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO;
    input_assembly.topology = static_cast<VkPrimitiveTopology>(settings.topology);
    input_assembly.primitiveRestartEnable = settings.primitive_restart;
    viewport.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO;
    viewport.viewportCount = 1;
    viewport.scissorCount = 1;
    rasterization.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO;
    rasterization.depthClampEnable = settings.depth_clamp;
    rasterization.polygonMode = static_cast<VkPolygonMode>(settings.polygon_mode);
    rasterization.cullMode = settings.cull_mode;
    rasterization.frontFace = static_cast<VkFrontFace>(settings.front_face);
    rasterization.depthBiasEnable = settings.depth_bias;
    rasterization.depthBiasConstantFactor = settings.depth_bias_constant;
    rasterization.depthBiasClamp = settings.depth_bias_clamp;
    rasterization.depthBiasSlopeFactor = settings.depth_bias_slope;
    rasterization.lineWidth = settings.line_width;
    multisample.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO;
    multisample.rasterizationSamples = static_cast<VkSampleCountFlagBits>(settings.sample_count);
    multisample.alphaToCoverageEnable = settings.alpha_to_coverage;
    depth_stencil.sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO;
    depth_stencil.depthTestEnable = settings.depth_test;
    depth_stencil.depthWriteEnable = settings.depth_write;
    depth_stencil.depthCompareOp = static_cast<VkCompareOp>(settings.depth_compare);
    depth_stencil.depthBoundsTestEnable = settings.depth_bounds_test;
    depth_stencil.stencilTestEnable = settings.stencil_test;
    depth_stencil.front = rpl_details::stencil_of(settings.front);
    depth_stencil.back = rpl_details::stencil_of(settings.back);
    depth_stencil.minDepthBounds = settings.depth_min;
    depth_stencil.maxDepthBounds = settings.depth_max;
    dynamic.sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO;
    dynamic.dynamicStateCount = static_cast<std::uint32_t>(dynamic_states.size());
    dynamic.pDynamicStates = dynamic_states.data();

    create_info.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO;
    create_info.pNext = &rendering;
    create_info.stageCount = static_cast<std::uint32_t>(stages.size());
    create_info.pStages = stages.data();
    create_info.pVertexInputState = &vertex_input;
    create_info.pInputAssemblyState = &input_assembly;
    create_info.pViewportState = &viewport;
    create_info.pRasterizationState = &rasterization;
    create_info.pMultisampleState = &multisample;
    create_info.pDepthStencilState = &depth_stencil;
    create_info.pColorBlendState = &color_blend;
    create_info.pDynamicState = &dynamic;
    create_info.layout = layout;
  }
  RplGraphicsPipelineInfo(const RplGraphicsPipelineInfo&) = delete;
  RplGraphicsPipelineInfo& operator=(const RplGraphicsPipelineInfo&) = delete;

  std::vector<VkPipelineShaderStageCreateInfo> stages;
  std::vector<VkVertexInputBindingDescription> vertex_bindings;
  std::vector<VkVertexInputAttributeDescription> vertex_attributes;
  std::vector<VkPipelineColorBlendAttachmentState> blends;
  std::vector<VkFormat> color_formats;
  std::array<VkDynamicState, 2> dynamic_states{VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
  VkPipelineVertexInputStateCreateInfo vertex_input{};
  VkPipelineInputAssemblyStateCreateInfo input_assembly{};
  VkPipelineViewportStateCreateInfo viewport{};
  VkPipelineRasterizationStateCreateInfo rasterization{};
  VkPipelineMultisampleStateCreateInfo multisample{};
  VkPipelineDepthStencilStateCreateInfo depth_stencil{};
  VkPipelineColorBlendStateCreateInfo color_blend{};
  VkPipelineDynamicStateCreateInfo dynamic{};
  VkPipelineRenderingCreateInfo rendering{};
  VkGraphicsPipelineCreateInfo create_info{};

 private:
  void fill_vertex_input(const RplMetadata& metadata) {
    for (const RplAttributeSource& source : metadata.attribute_sources) {
      vertex_bindings.push_back({source.binding, source.stride,
                                 source.per_instance ? VK_VERTEX_INPUT_RATE_INSTANCE : VK_VERTEX_INPUT_RATE_VERTEX});
      for (const RplAttribute& attribute : source.attributes) {
        for (std::uint32_t column = 0; column < attribute.type.columns; ++column) {
          vertex_attributes.push_back({attribute.location + column, source.binding,
                                       static_cast<VkFormat>(attribute.vk_format),
                                       attribute.offset + column * attribute.column_stride});
        }
      }
    }
    vertex_input.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO;
    vertex_input.vertexBindingDescriptionCount = static_cast<std::uint32_t>(vertex_bindings.size());
    vertex_input.pVertexBindingDescriptions = vertex_bindings.data();
    vertex_input.vertexAttributeDescriptionCount = static_cast<std::uint32_t>(vertex_attributes.size());
    vertex_input.pVertexAttributeDescriptions = vertex_attributes.data();
  }

  void fill_color_outputs(const RplMetadata& metadata) {
    for (const RplColorOutput& output : metadata.color_outputs) {
      blends.push_back({output.blend, static_cast<VkBlendFactor>(output.source_color_factor),
                        static_cast<VkBlendFactor>(output.destination_color_factor),
                        static_cast<VkBlendOp>(output.color_operation),
                        static_cast<VkBlendFactor>(output.source_alpha_factor),
                        static_cast<VkBlendFactor>(output.destination_alpha_factor),
                        static_cast<VkBlendOp>(output.alpha_operation), output.write_mask});
      color_formats.push_back(static_cast<VkFormat>(output.vk_format));
    }
    color_blend.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO;
    color_blend.attachmentCount = static_cast<std::uint32_t>(blends.size());
    color_blend.pAttachments = blends.data();
    for (std::size_t i = 0; i < 4; ++i) color_blend.blendConstants[i] = metadata.settings.blend_constants[i];

    const auto depth = static_cast<VkFormat>(metadata.settings.depth_stencil_format);
    rendering.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO;
    rendering.colorAttachmentCount = static_cast<std::uint32_t>(color_formats.size());
    rendering.pColorAttachmentFormats = color_formats.data();
    rendering.depthAttachmentFormat = depth == VK_FORMAT_S8_UINT ? VK_FORMAT_UNDEFINED : depth;
    const bool stencil = depth == VK_FORMAT_S8_UINT || depth == VK_FORMAT_D16_UNORM_S8_UINT ||
                         depth == VK_FORMAT_D24_UNORM_S8_UINT || depth == VK_FORMAT_D32_SFLOAT_S8_UINT;
    rendering.stencilAttachmentFormat = stencil ? depth : VK_FORMAT_UNDEFINED;
  }
};

}  // namespace slipway
