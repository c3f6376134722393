// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gpu/pipeline/graphics_state_info.hpp"

#include <algorithm>

#include "vk/image_plan.hpp"

namespace slipway::gpu {
namespace {

// The enumerations have Vulkan's numbers.
template <class Vk, class E>
Vk as(E value) {
  return static_cast<Vk>(value);
}

std::uint32_t count_of(const auto& list) { return static_cast<std::uint32_t>(list.size()); }

VkStencilOpState face_of(const vk::StencilFace& face) {
  return {.failOp = as<VkStencilOp>(face.on_fail),
          .passOp = as<VkStencilOp>(face.on_pass),
          .depthFailOp = as<VkStencilOp>(face.on_depth_fail),
          .compareOp = as<VkCompareOp>(face.compare),
          .compareMask = face.compare_mask,
          .writeMask = face.write_mask,
          .reference = face.reference};
}

VkPipelineColorBlendAttachmentState attachment_of(const vk::ColorBlend& blend) {
  return {.blendEnable = blend.enabled,
          .srcColorBlendFactor = as<VkBlendFactor>(blend.source_color),
          .dstColorBlendFactor = as<VkBlendFactor>(blend.destination_color),
          .colorBlendOp = as<VkBlendOp>(blend.color),
          .srcAlphaBlendFactor = as<VkBlendFactor>(blend.source_alpha),
          .dstAlphaBlendFactor = as<VkBlendFactor>(blend.destination_alpha),
          .alphaBlendOp = as<VkBlendOp>(blend.alpha),
          .colorWriteMask = blend.write_mask};
}

}  // namespace

GraphicsStateInfo::GraphicsStateInfo(const vk::GraphicsState& state, const vk::AttachmentFormats& formats) {
  for (const vk::VertexBinding& binding : state.vertex_bindings) {
    bindings.push_back({binding.binding, binding.stride, as<VkVertexInputRate>(binding.rate)});
  }
  for (const vk::VertexAttribute& attribute : state.vertex_attributes) {
    attributes.push_back({attribute.location, attribute.binding, as<VkFormat>(attribute.format), attribute.offset});
  }
  vertex_input.vertexBindingDescriptionCount = count_of(bindings);
  vertex_input.pVertexBindingDescriptions = bindings.data();
  vertex_input.vertexAttributeDescriptionCount = count_of(attributes);
  vertex_input.pVertexAttributeDescriptions = attributes.data();
  assembly.topology = as<VkPrimitiveTopology>(state.topology);
  assembly.primitiveRestartEnable = state.primitive_restart;

  rasterization.depthClampEnable = state.depth_clamp;
  rasterization.polygonMode = as<VkPolygonMode>(state.polygon_mode);
  rasterization.cullMode = as<VkCullModeFlags>(state.cull_mode);
  rasterization.frontFace = as<VkFrontFace>(state.front_face);
  rasterization.depthBiasEnable = state.depth_bias;
  rasterization.depthBiasConstantFactor = state.depth_bias_constant;
  rasterization.depthBiasClamp = state.depth_bias_clamp;
  rasterization.depthBiasSlopeFactor = state.depth_bias_slope;
  rasterization.lineWidth = state.line_width;
  multisample.rasterizationSamples = as<VkSampleCountFlagBits>(state.samples);
  multisample.alphaToCoverageEnable = state.alpha_to_coverage;

  depth_stencil.depthTestEnable = state.depth_test;
  depth_stencil.depthWriteEnable = state.depth_write;
  depth_stencil.depthCompareOp = as<VkCompareOp>(state.depth_compare);
  depth_stencil.depthBoundsTestEnable = state.depth_bounds_test;
  depth_stencil.minDepthBounds = state.depth_bounds_min;
  depth_stencil.maxDepthBounds = state.depth_bounds_max;
  depth_stencil.stencilTestEnable = state.stencil_test;
  depth_stencil.front = face_of(state.stencil_front);
  depth_stencil.back = face_of(state.stencil_back);

  for (std::size_t i = 0; i < formats.colors.size(); ++i) {
    attachments.push_back(attachment_of(vk::blend_of(state, i)));
    color_formats.push_back(as<VkFormat>(formats.colors[i]));
  }
  blend.attachmentCount = count_of(attachments);
  blend.pAttachments = attachments.data();
  std::ranges::copy(state.blend_constants, blend.blendConstants);
  dynamic.dynamicStateCount = count_of(dynamic_states);
  dynamic.pDynamicStates = dynamic_states.data();

  rendering.colorAttachmentCount = count_of(color_formats);
  rendering.pColorAttachmentFormats = color_formats.data();
  const auto depth_format = as<VkFormat>(formats.depth_stencil);
  if (vk::has_depth(formats.depth_stencil)) rendering.depthAttachmentFormat = depth_format;
  if (vk::has_stencil(formats.depth_stencil)) rendering.stencilAttachmentFormat = depth_format;
}

}  // namespace slipway::gpu
