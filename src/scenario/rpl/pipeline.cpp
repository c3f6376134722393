// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scenario/rpl/pipeline.hpp"

namespace slipway::scenario {
namespace {

using rpl::Setting;

// The values of settings name Vulkan enumerants; the state uses the same numbers.
template <class E, class Settings>
E word(const Settings& settings, Setting::Id id) {
  return static_cast<E>(settings.vulkan(id));
}

vk::StencilFace front_face(const rpl::PipelineSettings& settings) {
  return {.on_fail = word<vk::StencilOperation>(settings, Setting::stencil_front_on_fail),
          .on_depth_fail = word<vk::StencilOperation>(settings, Setting::stencil_front_on_depth_fail),
          .on_pass = word<vk::StencilOperation>(settings, Setting::stencil_front_on_pass),
          .compare = word<vk::CompareOperation>(settings, Setting::stencil_front_compare),
          .compare_mask = settings.number(Setting::stencil_front_compare_mask),
          .write_mask = settings.number(Setting::stencil_front_write_mask),
          .reference = settings.number(Setting::stencil_front_reference)};
}

vk::StencilFace back_face(const rpl::PipelineSettings& settings) {
  return {.on_fail = word<vk::StencilOperation>(settings, Setting::stencil_back_on_fail),
          .on_depth_fail = word<vk::StencilOperation>(settings, Setting::stencil_back_on_depth_fail),
          .on_pass = word<vk::StencilOperation>(settings, Setting::stencil_back_on_pass),
          .compare = word<vk::CompareOperation>(settings, Setting::stencil_back_compare),
          .compare_mask = settings.number(Setting::stencil_back_compare_mask),
          .write_mask = settings.number(Setting::stencil_back_write_mask),
          .reference = settings.number(Setting::stencil_back_reference)};
}

void add_vertex_input(const rpl::MetadataAttributeSource& source, vk::GraphicsState& state) {
  state.vertex_bindings.push_back(
      {.binding = source.binding,
       .stride = source.block_size,
       .rate = source.rate == rpl::MetadataRate::Vertex ? vk::VertexRate::Vertex : vk::VertexRate::Instance});
  for (const rpl::MetadataAttribute& attribute : source.attributes) {
    // A matrix has one column per location.
    for (std::uint32_t column = 0; column < attribute.location_count; ++column) {
      state.vertex_attributes.push_back({.location = attribute.location + column,
                                         .binding = source.binding,
                                         .format = static_cast<vk::Format>(attribute.vk_format),
                                         .offset = attribute.offset + column * attribute.column_stride,
                                         .name = source.name + "." + attribute.name});
    }
  }
}

vk::ColorBlend blend_of(const rpl::OutputSettings& output) {
  vk::ColorBlend blend{
      .enabled = output.flag(Setting::color_output_use_blend),
      .source_color = word<vk::BlendFactor>(output, Setting::color_output_source_color_blend_factor),
      .destination_color = word<vk::BlendFactor>(output, Setting::color_output_destination_color_blend_factor),
      .color = word<vk::BlendOperation>(output, Setting::color_output_color_blend_operation),
      .source_alpha = word<vk::BlendFactor>(output, Setting::color_output_source_alpha_blend_factor),
      .destination_alpha = word<vk::BlendFactor>(output, Setting::color_output_destination_alpha_blend_factor),
      .alpha = word<vk::BlendOperation>(output, Setting::color_output_alpha_blend_operation),
      .write_mask = 0};
  std::uint32_t bit = 1;
  for (const Setting::Id written : {Setting::color_output_write_r, Setting::color_output_write_g,
                                    Setting::color_output_write_b, Setting::color_output_write_a}) {
    if (output.flag(written)) blend.write_mask |= bit;
    bit <<= 1;
  }
  return blend;
}

vk::DescriptorType descriptor_type(const rpl::MetadataBuffer& buffer) {
  return buffer.type == rpl::MetadataBufferType::Uniform ? vk::DescriptorType::UNIFORM_BUFFER
                                                         : vk::DescriptorType::STORAGE_BUFFER;
}

vk::DescriptorType descriptor_type(const rpl::MetadataImage& image) {
  return image.type >= rpl::kFirstStorageImage ? vk::DescriptorType::STORAGE_IMAGE : vk::DescriptorType::SAMPLED_IMAGE;
}

}  // namespace

vk::GraphicsState graphics_state(const rpl::Metadata& metadata) {
  const rpl::PipelineSettings& settings = metadata.settings;
  vk::GraphicsState state{.topology = word<vk::Topology>(settings, Setting::topology),
                          .primitive_restart = settings.flag(Setting::primitive_restart),
                          .polygon_mode = word<vk::PolygonMode>(settings, Setting::polygon_mode),
                          .cull_mode = word<vk::CullMode>(settings, Setting::cull_mode),
                          .front_face = word<vk::FrontFace>(settings, Setting::front_face),
                          .line_width = settings.real(Setting::line_width),
                          .depth_clamp = settings.flag(Setting::depth_clamp),
                          .depth_bias = settings.flag(Setting::depth_bias),
                          .depth_bias_constant = settings.real(Setting::depth_bias_constant),
                          .depth_bias_slope = settings.real(Setting::depth_bias_slope),
                          .depth_bias_clamp = settings.real(Setting::depth_bias_clamp),
                          .samples = settings.number(Setting::sample_count),
                          .alpha_to_coverage = settings.flag(Setting::alpha_to_coverage),
                          .depth_test = settings.flag(Setting::depth_test),
                          .depth_write = settings.flag(Setting::depth_write),
                          .depth_compare = word<vk::CompareOperation>(settings, Setting::depth_compare_operation),
                          .depth_bounds_test = settings.flag(Setting::depth_bounds_test),
                          .depth_bounds_min = settings.real(Setting::depth_min),
                          .depth_bounds_max = settings.real(Setting::depth_max),
                          .stencil_test = settings.flag(Setting::stencil_test),
                          .stencil_front = front_face(settings),
                          .stencil_back = back_face(settings),
                          .blend_constants = metadata.color_blend_constants};
  for (const auto& source : metadata.pipeline_interface.attribute_sources) add_vertex_input(source, state);
  for (const auto& output : metadata.color_outputs) state.blends.push_back(blend_of(output.settings));
  return state;
}

vk::AttachmentFormats attachment_formats(const rpl::Metadata& metadata) {
  vk::AttachmentFormats formats{.depth_stencil = word<vk::Format>(metadata.settings, Setting::depth_stencil_format)};
  for (const auto& output : metadata.color_outputs) {
    formats.colors.push_back(word<vk::Format>(output.settings, Setting::color_output_format));
  }
  return formats;
}

vk::PipelineLayoutInfo pipeline_layout(const rpl::Metadata& metadata, std::string name) {
  const vk::ShaderStages stages = metadata.pipeline_type == rpl::PipelineKind::Compute
                                      ? vk::shader_stage::kCompute
                                      : vk::shader_stage::kVertex | vk::shader_stage::kFragment;
  vk::PipelineLayoutInfo info{.push_constants_size = metadata.pipeline_interface.push_constant_size,
                              .push_constants_stages = stages,
                              .name = std::move(name)};
  for (const rpl::MetadataSet& set : metadata.pipeline_interface.sets) {
    std::vector<vk::DescriptorBinding>& bindings = info.sets.emplace_back();
    for (const auto& buffer : set.buffers) bindings.push_back({buffer.binding, descriptor_type(buffer), stages});
    for (const auto& sampler : set.samplers) {
      bindings.push_back({sampler.binding, vk::DescriptorType::SAMPLER, stages});
    }
    for (const auto& image : set.images) {
      bindings.push_back({image.binding, descriptor_type(image), stages, image.image_array_size});
    }
  }
  return info;
}

}  // namespace slipway::scenario
