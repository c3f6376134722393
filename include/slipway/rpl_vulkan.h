// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* Vulkan's structures from the metadata of a pipeline, in C99. Header only; needs Vulkan's headers, and calls only the functions that
 * are passed to it.
 *
 *   rpl_vulkan_layouts layouts;
 *   rpl_vulkan_make_layouts(device, &pipeline->metadata, vkCreateDescriptorSetLayout, vkCreatePipelineLayout, &layouts);
 *   rpl_vulkan_graphics info;
 *   rpl_vulkan_graphics_pipeline(pipeline, shader_modules, pipeline->modules.count, layouts.pipeline, &info);
 *   vkCreateGraphicsPipelines(device, cache, 1, &info.create_info, NULL, &handle);
 *
 * Viewport and scissor are dynamic. Rendering is dynamic (VK_KHR_dynamic_rendering or Vulkan 1.3) with the formats of the program's
 * settings; a program that uses a render pass sets `create_info.renderPass` and `create_info.pNext`.
 */
#ifndef SLIPWAY_RPL_VULKAN_H
#define SLIPWAY_RPL_VULKAN_H

#include <string.h>
#include <vulkan/vulkan_core.h>

#include "slipway/rpl_structs.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Pipelines with more are RPL_LACKS. Devices of today have fewer. */
enum {
  RPL_VULKAN_MAX_BINDINGS = 256, /* of a descriptor set */
  RPL_VULKAN_MAX_VERTEX_BUFFERS = 32,
  RPL_VULKAN_MAX_ATTRIBUTES = 64,
  RPL_VULKAN_MAX_COLOR_OUTPUTS = 32
};

/* --- layouts -------------------------------------------------------------------------------------------------------- */

/* Each binding is visible to all stages of the pipeline. */
static inline VkShaderStageFlags rpl_vulkan_stages(const rpl_metadata* metadata) {
  if (metadata->pipeline_type == RPL_PIPELINE_KIND_COMPUTE) return VK_SHADER_STAGE_COMPUTE_BIT;
  return VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
}

/* Writes the bindings of a descriptor set, 0 to 3, at most `capacity` of them; returns how many there are. */
static inline uint32_t rpl_vulkan_set_bindings(const rpl_metadata* metadata, uint32_t set, VkDescriptorSetLayoutBinding* bindings,
                                               uint32_t capacity) {
  const rpl_descriptor_set* const from = &metadata->pipeline_interface.sets[set];
  const uint32_t count = from->buffers.count + from->samplers.count + from->images.count;
  uint32_t i = 0;
  for (; i < count && i < capacity; ++i) {
    VkDescriptorSetLayoutBinding* const to = &bindings[i];
    memset(to, 0, sizeof *to);
    to->stageFlags = rpl_vulkan_stages(metadata);
    to->descriptorCount = 1;
    if (i < from->buffers.count) {
      const rpl_buffer* const buffer = &from->buffers.items[i];
      to->binding = buffer->binding;
      to->descriptorType =
          buffer->type == RPL_BUFFER_TYPE_UNIFORM ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    } else if (i - from->buffers.count < from->samplers.count) {
      to->binding = from->samplers.items[i - from->buffers.count].binding;
      to->descriptorType = VK_DESCRIPTOR_TYPE_SAMPLER;
    } else {
      const rpl_image* const image = &from->images.items[i - from->buffers.count - from->samplers.count];
      to->binding = image->binding;
      to->descriptorType = image->storage_format != RPL_ITEM_FORMAT_NONE ? VK_DESCRIPTOR_TYPE_STORAGE_IMAGE : VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
      to->descriptorCount = image->image_array_size;
    }
  }
  return count;
}

/* The one push constant range of the pipeline layout; a range of size 0 must be left out. */
static inline VkPushConstantRange rpl_vulkan_push_constants(const rpl_metadata* metadata) {
  VkPushConstantRange range;
  range.stageFlags = rpl_vulkan_stages(metadata);
  range.offset = 0;
  range.size = metadata->pipeline_interface.push_constant_size;
  return range;
}

/* Pipelines with the same `interface_hash` have the same layouts. */
typedef struct rpl_vulkan_layouts {
  VkDescriptorSetLayout sets[4];
  VkPipelineLayout pipeline;
} rpl_vulkan_layouts;

/* Makes all layouts of a pipeline. After an error those that were made are in `layouts`, to be destroyed. */
static inline VkResult rpl_vulkan_make_layouts(VkDevice device, const rpl_metadata* metadata,
                                               PFN_vkCreateDescriptorSetLayout create_set_layout,
                                               PFN_vkCreatePipelineLayout create_pipeline_layout, rpl_vulkan_layouts* layouts) {
  VkDescriptorSetLayoutBinding bindings[RPL_VULKAN_MAX_BINDINGS];
  memset(layouts, 0, sizeof *layouts);
  for (uint32_t set = 0; set < 4; ++set) {
    VkDescriptorSetLayoutCreateInfo info;
    memset(&info, 0, sizeof info);
    info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
    info.bindingCount = rpl_vulkan_set_bindings(metadata, set, bindings, RPL_VULKAN_MAX_BINDINGS);
    info.pBindings = bindings;
    if (info.bindingCount > RPL_VULKAN_MAX_BINDINGS) return VK_ERROR_OUT_OF_HOST_MEMORY;
    const VkResult made = create_set_layout(device, &info, NULL, &layouts->sets[set]);
    if (made != VK_SUCCESS) return made;
  }
  const VkPushConstantRange range = rpl_vulkan_push_constants(metadata);
  VkPipelineLayoutCreateInfo info;
  memset(&info, 0, sizeof info);
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  info.setLayoutCount = 4;
  info.pSetLayouts = layouts->sets;
  info.pushConstantRangeCount = range.size != 0 ? 1 : 0;
  info.pPushConstantRanges = &range;
  return create_pipeline_layout(device, &info, NULL, &layouts->pipeline);
}

/* --- pipelines ------------------------------------------------------------------------------------------------------ */

/* The create info of a graphics pipeline and everything that it points to. All members may be changed before the pipeline is created;
 * the structure must stay where it is. The pipeline must live longer. */
typedef struct rpl_vulkan_graphics {
  VkPipelineShaderStageCreateInfo stages[2];
  VkVertexInputBindingDescription vertex_bindings[RPL_VULKAN_MAX_VERTEX_BUFFERS];
  VkVertexInputAttributeDescription vertex_attributes[RPL_VULKAN_MAX_ATTRIBUTES];
  VkPipelineColorBlendAttachmentState blends[RPL_VULKAN_MAX_COLOR_OUTPUTS];
  VkFormat color_formats[RPL_VULKAN_MAX_COLOR_OUTPUTS];
  VkDynamicState dynamic_states[2];
  VkPipelineVertexInputStateCreateInfo vertex_input;
  VkPipelineInputAssemblyStateCreateInfo input_assembly;
  VkPipelineViewportStateCreateInfo viewport;
  VkPipelineRasterizationStateCreateInfo rasterization;
  VkPipelineMultisampleStateCreateInfo multisample;
  VkPipelineDepthStencilStateCreateInfo depth_stencil;
  VkPipelineColorBlendStateCreateInfo color_blend;
  VkPipelineDynamicStateCreateInfo dynamic;
  VkPipelineRenderingCreateInfo rendering;
  VkGraphicsPipelineCreateInfo create_info;
} rpl_vulkan_graphics;

static inline VkShaderStageFlagBits rpl_vulkan_stage(rpl_stage stage) {
  return stage == RPL_STAGE_VERTEX     ? VK_SHADER_STAGE_VERTEX_BIT
         : stage == RPL_STAGE_FRAGMENT ? VK_SHADER_STAGE_FRAGMENT_BIT
                                       : VK_SHADER_STAGE_COMPUTE_BIT;
}

/* The stages of a pipeline, in `capacity` structures; 0 if there are more, or if there is not one shader module for each rpl_module. */
static inline uint32_t rpl_vulkan_fill_stages(const rpl_pipeline* pipeline, const VkShaderModule* modules, uint32_t module_count,
                                              VkPipelineShaderStageCreateInfo* stages, uint32_t capacity) {
  uint32_t count = 0;
  if (module_count != pipeline->modules.count) return 0;
  for (uint32_t i = 0; i < module_count; ++i) {
    const rpl_entry_points* const entries = &pipeline->modules.items[i].entry_points;
    for (uint32_t k = 0; k < entries->count; ++k) {
      if (count == capacity) return 0;
      memset(&stages[count], 0, sizeof stages[count]);
      stages[count].sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
      stages[count].stage = rpl_vulkan_stage(entries->items[k].stage);
      stages[count].module = modules[i];
      stages[count].pName = entries->items[k].function.data;
      ++count;
    }
  }
  return count;
}

static inline int rpl_vulkan_fill_vertex_input(const rpl_metadata* metadata, rpl_vulkan_graphics* to) {
  uint32_t attributes = 0;
  if (metadata->pipeline_interface.attribute_sources.count > RPL_VULKAN_MAX_VERTEX_BUFFERS) return 0;
  for (uint32_t i = 0; i < metadata->pipeline_interface.attribute_sources.count; ++i) {
    const rpl_attribute_source* const source = &metadata->pipeline_interface.attribute_sources.items[i];
    to->vertex_bindings[i].binding = source->binding;
    to->vertex_bindings[i].stride = source->block_size;
    to->vertex_bindings[i].inputRate = source->rate == RPL_RATE_INSTANCE ? VK_VERTEX_INPUT_RATE_INSTANCE : VK_VERTEX_INPUT_RATE_VERTEX;
    for (uint32_t k = 0; k < source->attributes.count; ++k) {
      const rpl_attribute* const attribute = &source->attributes.items[k];
      for (uint32_t column = 0; column < attribute->type.columns; ++column) {
        if (attributes == RPL_VULKAN_MAX_ATTRIBUTES) return 0;
        to->vertex_attributes[attributes].location = attribute->location + column;
        to->vertex_attributes[attributes].binding = source->binding;
        to->vertex_attributes[attributes].format = (VkFormat)attribute->vk_format;
        to->vertex_attributes[attributes].offset = attribute->offset + column * attribute->column_stride;
        ++attributes;
      }
    }
  }
  to->vertex_input.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO;
  to->vertex_input.vertexBindingDescriptionCount = metadata->pipeline_interface.attribute_sources.count;
  to->vertex_input.pVertexBindingDescriptions = to->vertex_bindings;
  to->vertex_input.vertexAttributeDescriptionCount = attributes;
  to->vertex_input.pVertexAttributeDescriptions = to->vertex_attributes;
  return 1;
}

static inline int rpl_vulkan_fill_color_outputs(const rpl_metadata* metadata, rpl_vulkan_graphics* to) {
  const uint32_t count = metadata->color_outputs.count;
  const VkFormat depth = (VkFormat)metadata->settings.depth_stencil_format;
  const int stencil = depth == VK_FORMAT_S8_UINT || depth == VK_FORMAT_D16_UNORM_S8_UINT || depth == VK_FORMAT_D24_UNORM_S8_UINT ||
                      depth == VK_FORMAT_D32_SFLOAT_S8_UINT;
  if (count > RPL_VULKAN_MAX_COLOR_OUTPUTS) return 0;
  for (uint32_t i = 0; i < count; ++i) {
    const rpl_color_output* const output = &metadata->color_outputs.items[i];
    VkPipelineColorBlendAttachmentState* const blend = &to->blends[i];
    blend->blendEnable = output->use_blend;
    blend->srcColorBlendFactor = (VkBlendFactor)output->source_color_blend_factor;
    blend->dstColorBlendFactor = (VkBlendFactor)output->destination_color_blend_factor;
    blend->colorBlendOp = (VkBlendOp)output->color_blend_operation;
    blend->srcAlphaBlendFactor = (VkBlendFactor)output->source_alpha_blend_factor;
    blend->dstAlphaBlendFactor = (VkBlendFactor)output->destination_alpha_blend_factor;
    blend->alphaBlendOp = (VkBlendOp)output->alpha_blend_operation;
    blend->colorWriteMask = output->write_r | output->write_g << 1 | output->write_b << 2 | output->write_a << 3;
    to->color_formats[i] = (VkFormat)output->format;
  }
  to->color_blend.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO;
  to->color_blend.attachmentCount = count;
  to->color_blend.pAttachments = to->blends;
  memcpy(to->color_blend.blendConstants, metadata->color_blend_constants, sizeof to->color_blend.blendConstants);
  to->rendering.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO;
  to->rendering.colorAttachmentCount = count;
  to->rendering.pColorAttachmentFormats = to->color_formats;
  to->rendering.depthAttachmentFormat = depth == VK_FORMAT_S8_UINT ? VK_FORMAT_UNDEFINED : depth;
  to->rendering.stencilAttachmentFormat = stencil ? depth : VK_FORMAT_UNDEFINED;
  return 1;
}

static inline void rpl_vulkan_fill_state(const rpl_settings* settings, rpl_vulkan_graphics* to) {
  to->input_assembly.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO;
  to->input_assembly.topology = (VkPrimitiveTopology)settings->topology;
  to->input_assembly.primitiveRestartEnable = settings->primitive_restart;
  to->viewport.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO;
  to->viewport.viewportCount = 1;
  to->viewport.scissorCount = 1;
  to->rasterization.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO;
  to->rasterization.depthClampEnable = settings->depth_clamp;
  to->rasterization.polygonMode = (VkPolygonMode)settings->polygon_mode;
  to->rasterization.cullMode = settings->cull_mode;
  to->rasterization.frontFace = (VkFrontFace)settings->front_face;
  to->rasterization.depthBiasEnable = settings->depth_bias;
  to->rasterization.depthBiasConstantFactor = settings->depth_bias_constant;
  to->rasterization.depthBiasClamp = settings->depth_bias_clamp;
  to->rasterization.depthBiasSlopeFactor = settings->depth_bias_slope;
  to->rasterization.lineWidth = settings->line_width;
  to->multisample.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO;
  to->multisample.rasterizationSamples = (VkSampleCountFlagBits)settings->sample_count;
  to->multisample.alphaToCoverageEnable = settings->alpha_to_coverage;
  to->depth_stencil.sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO;
  to->depth_stencil.depthTestEnable = settings->depth_test;
  to->depth_stencil.depthWriteEnable = settings->depth_write;
  to->depth_stencil.depthCompareOp = (VkCompareOp)settings->depth_compare_operation;
  to->depth_stencil.depthBoundsTestEnable = settings->depth_bounds_test;
  to->depth_stencil.stencilTestEnable = settings->stencil_test;
  to->depth_stencil.front.failOp = (VkStencilOp)settings->stencil_front_on_fail;
  to->depth_stencil.front.passOp = (VkStencilOp)settings->stencil_front_on_pass;
  to->depth_stencil.front.depthFailOp = (VkStencilOp)settings->stencil_front_on_depth_fail;
  to->depth_stencil.front.compareOp = (VkCompareOp)settings->stencil_front_compare;
  to->depth_stencil.front.compareMask = settings->stencil_front_compare_mask;
  to->depth_stencil.front.writeMask = settings->stencil_front_write_mask;
  to->depth_stencil.front.reference = settings->stencil_front_reference;
  to->depth_stencil.back.failOp = (VkStencilOp)settings->stencil_back_on_fail;
  to->depth_stencil.back.passOp = (VkStencilOp)settings->stencil_back_on_pass;
  to->depth_stencil.back.depthFailOp = (VkStencilOp)settings->stencil_back_on_depth_fail;
  to->depth_stencil.back.compareOp = (VkCompareOp)settings->stencil_back_compare;
  to->depth_stencil.back.compareMask = settings->stencil_back_compare_mask;
  to->depth_stencil.back.writeMask = settings->stencil_back_write_mask;
  to->depth_stencil.back.reference = settings->stencil_back_reference;
  to->depth_stencil.minDepthBounds = settings->depth_min;
  to->depth_stencil.maxDepthBounds = settings->depth_max;
  to->dynamic_states[0] = VK_DYNAMIC_STATE_VIEWPORT;
  to->dynamic_states[1] = VK_DYNAMIC_STATE_SCISSOR;
  to->dynamic.sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO;
  to->dynamic.dynamicStateCount = 2;
  to->dynamic.pDynamicStates = to->dynamic_states;
}

/* `modules`: one for each of pipeline->modules; RPL_WRONG_CALL if there are others. */
static inline rpl_status rpl_vulkan_graphics_pipeline(const rpl_pipeline* pipeline, const VkShaderModule* modules,
                                                      uint32_t module_count, VkPipelineLayout layout, rpl_vulkan_graphics* to) {
  memset(to, 0, sizeof *to);
  to->create_info.stageCount = rpl_vulkan_fill_stages(pipeline, modules, module_count, to->stages, 2);
  if (to->create_info.stageCount == 0) return RPL_WRONG_CALL;
  if (!rpl_vulkan_fill_vertex_input(&pipeline->metadata, to) || !rpl_vulkan_fill_color_outputs(&pipeline->metadata, to)) {
    return RPL_LACKS;
  }
  rpl_vulkan_fill_state(&pipeline->metadata.settings, to);
  to->create_info.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO;
  to->create_info.pNext = &to->rendering;
  to->create_info.pStages = to->stages;
  to->create_info.pVertexInputState = &to->vertex_input;
  to->create_info.pInputAssemblyState = &to->input_assembly;
  to->create_info.pViewportState = &to->viewport;
  to->create_info.pRasterizationState = &to->rasterization;
  to->create_info.pMultisampleState = &to->multisample;
  to->create_info.pDepthStencilState = &to->depth_stencil;
  to->create_info.pColorBlendState = &to->color_blend;
  to->create_info.pDynamicState = &to->dynamic;
  to->create_info.layout = layout;
  return RPL_OK;
}

/* The create info of a compute pipeline, which must live longer. */
static inline rpl_status rpl_vulkan_compute_pipeline(const rpl_pipeline* pipeline, VkShaderModule module, VkPipelineLayout layout,
                                                     VkComputePipelineCreateInfo* to) {
  memset(to, 0, sizeof *to);
  to->sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  to->layout = layout;
  return rpl_vulkan_fill_stages(pipeline, &module, 1, &to->stage, 1) == 1 ? RPL_OK : RPL_WRONG_CALL;
}

/* --- what a device must have ---------------------------------------------------------------------------------------- */

/* The features that pipelines may need, as a chain for vkGetPhysicalDeviceFeatures2 and vkCreateDevice. */
typedef struct rpl_vulkan_features {
  VkPhysicalDeviceFeatures2 core; /* the first of the chain */
  VkPhysicalDeviceDescriptorIndexingFeatures indexing;
  VkPhysicalDeviceDynamicRenderingFeatures rendering;
} rpl_vulkan_features;

/* No feature; `next` continues the chain. The structure must stay where it is. */
static inline void rpl_vulkan_begin_features(rpl_vulkan_features* features, void* next) {
  memset(features, 0, sizeof *features);
  features->core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  features->core.pNext = &features->indexing;
  features->indexing.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_FEATURES;
  features->indexing.pNext = &features->rendering;
  features->rendering.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES;
  features->rendering.pNext = next;
}

/* The member of a name of rpl_requirements.features; NULL for a name of a later compiler. */
static inline VkBool32* rpl_vulkan_feature(rpl_vulkan_features* features, const char* name) {
  VkPhysicalDeviceFeatures* const core = &features->core.features;
  if (strcmp(name, "depthBiasClamp") == 0) return &core->depthBiasClamp;
  if (strcmp(name, "fillModeNonSolid") == 0) return &core->fillModeNonSolid;
  if (strcmp(name, "wideLines") == 0) return &core->wideLines;
  if (strcmp(name, "depthClamp") == 0) return &core->depthClamp;
  if (strcmp(name, "depthBounds") == 0) return &core->depthBounds;
  if (strcmp(name, "independentBlend") == 0) return &core->independentBlend;
  if (strcmp(name, "shaderSampledImageArrayNonUniformIndexing") == 0) {
    return &features->indexing.shaderSampledImageArrayNonUniformIndexing;
  }
  if (strcmp(name, "shaderStorageImageArrayNonUniformIndexing") == 0) {
    return &features->indexing.shaderStorageImageArrayNonUniformIndexing;
  }
  if (strcmp(name, "dynamicRendering") == 0) return &features->rendering.dynamicRendering;
  return NULL;
}

/* Adds what a pipeline needs. */
static inline void rpl_vulkan_add_features(const rpl_metadata* metadata, rpl_vulkan_features* features) {
  for (uint32_t i = 0; i < metadata->requirements.features.count; ++i) {
    VkBool32* const feature = rpl_vulkan_feature(features, metadata->requirements.features.items[i].data);
    if (feature) *feature = VK_TRUE;
  }
  if (metadata->pipeline_type == RPL_PIPELINE_KIND_GRAPHICS) features->rendering.dynamicRendering = VK_TRUE;
}

/* The names of features that a pipeline needs and that `supported`, which vkGetPhysicalDeviceFeatures2 has filled, lacks: at most
 * `capacity` of them. Returns how many there are. */
static inline uint32_t rpl_vulkan_missing_features(const rpl_metadata* metadata, const rpl_vulkan_features* supported,
                                                   const char** missing, uint32_t capacity) {
  rpl_vulkan_features all = *supported;
  uint32_t count = 0;
  for (uint32_t i = 0; i < metadata->requirements.features.count; ++i) {
    const char* const name = metadata->requirements.features.items[i].data;
    const VkBool32* const feature = rpl_vulkan_feature(&all, name);
    if (feature && *feature) continue;
    if (count < capacity) missing[count] = name;
    ++count;
  }
  if (metadata->pipeline_type == RPL_PIPELINE_KIND_GRAPHICS && !supported->rendering.dynamicRendering) {
    if (count < capacity) missing[count] = "dynamicRendering";
    ++count;
  }
  return count;
}

#ifdef __cplusplus
}
#endif
#endif
