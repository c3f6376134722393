// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl_c/structs.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <variant>

#include "json/writer.hpp"

namespace slipway::rpl_c {
namespace {

rpl_type make_type(rpl::TypeId type) {
  rpl_type made{};
  made.item = rpl::is_unsigned(type) ? RPL_ITEM_UINT : rpl::is_signed(type) ? RPL_ITEM_SINT : RPL_ITEM_FLOAT;
  made.rows = rpl::item_count(type);
  made.columns = rpl::is_matrix(type) ? made.rows : 1;
  return made;
}

rpl_parameters make_parameters(Arena& arena, const std::vector<rpl::Metadata::Parameter>& all) {
  return arena.list<rpl_parameters>(all, [&](const rpl::Metadata::Parameter& from) {
    rpl_parameter made{};
    made.name = arena.text(from.name);
    made.type = make_type(from.type);
    made.offset = from.offset;
    made.dimensions = arena.list<rpl_numbers>(from.dimensions, std::identity());
    made.array_stride = from.array_stride;
    made.matrix_stride = from.matrix_stride;
    made.meta = arena.texts(from.meta);
    return made;
  });
}

rpl_buffer make_buffer(Arena& arena, const rpl::Metadata::Buffer& from) {
  rpl_buffer made{};
  made.name = arena.text(from.name);
  made.binding = from.binding;
  made.type = static_cast<rpl_buffer_type>(from.type);
  made.size = from.main_size;
  made.item_size = from.tail_item_size;
  made.parameters = make_parameters(arena, from.main_parameters);
  made.item_name = arena.text(from.tail ? from.tail->name : from.tail_name.value_or(""));
  made.item_parameters = make_parameters(arena, from.tail_item_parameters);
  return made;
}

rpl_descriptor_set make_set(Arena& arena, const rpl::Metadata::Set& from) {
  rpl_descriptor_set made{};
  made.buffers = arena.list<rpl_buffers>(from.buffers, [&](const auto& each) { return make_buffer(arena, each); });
  made.samplers = arena.list<rpl_samplers>(from.samplers, [&](const rpl::Metadata::Sampler& each) {
    rpl_sampler sampler{};
    sampler.name = arena.text(each.name);
    sampler.binding = each.binding;
    return sampler;
  });
  made.images = arena.list<rpl_images>(from.images, [&](const rpl::Metadata::Image& each) {
    rpl_image image{};
    image.name = arena.text(each.name);
    image.binding = each.binding;
    image.type = arena.text(rpl::image_type_name(each.type));
    image.count = each.image_array_size;
    image.storage = each.storage_format.has_value() ? 1 : 0;
    image.vk_format = each.vk_format;
    return image;
  });
  return made;
}

rpl_attribute_source make_source(Arena& arena, const rpl::Metadata::AttributeSource& from) {
  rpl_attribute_source made{};
  made.name = arena.text(from.name);
  made.per_instance = from.rate == rpl::Metadata::Rate::Instance ? 1 : 0;
  made.binding = from.binding;
  made.stride = from.block_size;
  made.attributes = arena.list<rpl_attributes>(from.attributes, [&](const rpl::Metadata::Attribute& each) {
    rpl_attribute attribute{};
    attribute.name = arena.text(each.name);
    attribute.type = make_type(each.type);
    attribute.location = each.location;
    attribute.offset = each.offset;
    attribute.vk_format = each.vk_format;
    attribute.column_stride = each.column_stride;
    attribute.meta = arena.texts(each.meta);
    return attribute;
  });
  return made;
}

rpl_settings make_settings(const rpl::Metadata& from) {
  using rpl::Setting;
  const rpl::PipelineSettings& values = from.settings;
  rpl_settings made{};
  if (from.pipeline_type == rpl::PipelineKind::Compute) {
    made.workgroup_size[0] = values.number(Setting::workgroup_size_x);
    made.workgroup_size[1] = values.number(Setting::workgroup_size_y);
    made.workgroup_size[2] = values.number(Setting::workgroup_size_z);
    return made;
  }
  made.polygon_mode = values.vulkan(Setting::polygon_mode);
  made.cull_mode = values.vulkan(Setting::cull_mode);
  made.front_face = values.vulkan(Setting::front_face);
  made.topology = values.vulkan(Setting::topology);
  made.primitive_restart = values.flag(Setting::primitive_restart);
  made.depth_clamp = values.flag(Setting::depth_clamp);
  made.alpha_to_coverage = values.flag(Setting::alpha_to_coverage);
  made.depth_test = values.flag(Setting::depth_test);
  made.depth_write = values.flag(Setting::depth_write);
  made.depth_bounds_test = values.flag(Setting::depth_bounds_test);
  made.stencil_test = values.flag(Setting::stencil_test);
  made.depth_compare = values.vulkan(Setting::depth_compare_operation);
  made.depth_min = values.real(Setting::depth_min);
  made.depth_max = values.real(Setting::depth_max);
  made.front = {values.vulkan(Setting::stencil_front_on_fail),       values.vulkan(Setting::stencil_front_on_pass),
                values.vulkan(Setting::stencil_front_on_depth_fail), values.vulkan(Setting::stencil_front_compare),
                values.number(Setting::stencil_front_compare_mask),  values.number(Setting::stencil_front_write_mask),
                values.number(Setting::stencil_front_reference)};
  made.back = {values.vulkan(Setting::stencil_back_on_fail),       values.vulkan(Setting::stencil_back_on_pass),
               values.vulkan(Setting::stencil_back_on_depth_fail), values.vulkan(Setting::stencil_back_compare),
               values.number(Setting::stencil_back_compare_mask),  values.number(Setting::stencil_back_write_mask),
               values.number(Setting::stencil_back_reference)};
  made.depth_bias = values.flag(Setting::depth_bias);
  made.depth_bias_constant = values.real(Setting::depth_bias_constant);
  made.depth_bias_slope = values.real(Setting::depth_bias_slope);
  made.depth_bias_clamp = values.real(Setting::depth_bias_clamp);
  made.line_width = values.real(Setting::line_width);
  made.sample_count = values.number(Setting::sample_count);
  made.depth_stencil_format = values.vulkan(Setting::depth_stencil_format);
  std::ranges::copy(from.color_blend_constants, made.blend_constants);
  return made;
}

rpl_color_output make_output(Arena& arena, const rpl::Metadata::ColorOutput& from) {
  using rpl::Setting;
  const rpl::OutputSettings& values = from.settings;
  rpl_color_output made{};
  made.name = arena.text(from.name);
  made.vk_format = values.vulkan(Setting::color_output_format);
  made.write_mask = 0;
  constexpr std::array kWrites = {Setting::color_output_write_r, Setting::color_output_write_g,
                                  Setting::color_output_write_b, Setting::color_output_write_a};
  for (std::size_t i = 0; i < kWrites.size(); ++i) made.write_mask |= values.flag(kWrites[i]) ? 1u << i : 0;
  made.blend = values.flag(Setting::color_output_use_blend);
  made.source_color_factor = values.vulkan(Setting::color_output_source_color_blend_factor);
  made.destination_color_factor = values.vulkan(Setting::color_output_destination_color_blend_factor);
  made.color_operation = values.vulkan(Setting::color_output_color_blend_operation);
  made.source_alpha_factor = values.vulkan(Setting::color_output_source_alpha_blend_factor);
  made.destination_alpha_factor = values.vulkan(Setting::color_output_destination_alpha_blend_factor);
  made.alpha_operation = values.vulkan(Setting::color_output_alpha_blend_operation);
  return made;
}

// As rpl::format_value.
std::string value_text(const rpl::Metadata::OptionValue& value) {
  return std::visit(
      [](const auto& of) -> std::string {
        using T = std::remove_cvref_t<decltype(of)>;
        if constexpr (std::is_same_v<T, std::string>) {
          return of;
        } else if constexpr (std::is_same_v<T, bool>) {
          return of ? "true" : "false";
        } else if constexpr (std::is_same_v<T, float>) {
          return json::number_text(of);
        } else {
          return std::to_string(of) + (std::is_unsigned_v<T> ? "u" : "");
        }
      },
      value);
}

rpl_option make_option(Arena& arena, const rpl::Metadata::Option& from) {
  rpl_option made{};
  made.name = arena.text(from.name);
  made.per_instance = from.option_class == rpl::OptionClass::Instance ? 1 : 0;
  made.type = static_cast<rpl_option_type>(from.type);
  made.values = arena.texts(from.values);
  made.default_value = arena.text(value_text(from.default_value));
  made.value = arena.text(value_text(from.value));
  return made;
}

void make_metadata(Arena& arena, const rpl::Metadata& from, rpl_metadata& made) {
  made.kind = static_cast<rpl_pipeline_kind>(from.pipeline_type);
  made.target = arena.text(from.requirements.target);
  made.interface_hash = arena.text(from.hashes.interface_hash);
  made.pipeline_hash = arena.text(from.hashes.pipeline);
  for (std::size_t i = 0; i < from.interface.sets.size(); ++i) made.sets[i] = make_set(arena, from.interface.sets[i]);
  made.attribute_sources = arena.list<rpl_attribute_sources>(
      from.interface.attribute_sources, [&](const auto& each) { return make_source(arena, each); });
  made.push_constant.name = arena.text(from.interface.push_constant_name.value_or(""));
  made.push_constant.size = from.interface.push_constant_size;
  made.push_constant.parameters = make_parameters(arena, from.push_constant_parameters);
  made.settings = make_settings(from);
  made.color_outputs =
      arena.list<rpl_color_outputs>(from.color_outputs, [&](const auto& each) { return make_output(arena, each); });
  made.features = arena.texts(from.requirements.features);
  made.extensions = arena.texts(from.requirements.extensions);
  made.options = arena.list<rpl_options>(from.options, [&](const auto& each) { return make_option(arena, each); });
  made.consulted.interface_options = arena.texts(from.consulted.interface_options);
  made.consulted.settings = arena.texts(from.consulted.settings);
  const std::array stages = {&made.consulted.vertex, &made.consulted.fragment, &made.consulted.compute};
  for (std::size_t i = 0; i < stages.size(); ++i) {
    if (from.consulted.stages[i]) *stages[i] = arena.texts(*from.consulted.stages[i]);
  }
}

}  // namespace

void make_pipeline(Arena& arena, const rpl::Metadata& metadata, const WordsOf& words_of, rpl_pipeline& made) {
  make_metadata(arena, metadata, made.metadata);
  std::size_t index = 0;
  made.modules = arena.list<rpl_modules>(metadata.code, [&](const rpl::Metadata::Code& code) {
    rpl_module module{};
    // The entry points of the stages, in their order.
    std::vector<rpl::Metadata::EntryPoint> entries;
    for (const rpl::Stage stage : code.stages) {
      const auto found = std::ranges::find(metadata.entry_points, stage, &rpl::Metadata::EntryPoint::stage);
      if (found != metadata.entry_points.end()) entries.push_back(*found);
    }
    module.entry_points = arena.list<rpl_entry_points>(entries, [&](const rpl::Metadata::EntryPoint& each) {
      rpl_entry_point entry{};
      entry.stage = static_cast<rpl_stage>(each.stage);
      entry.function = arena.text(each.function);
      return entry;
    });
    const spirv::WordSpan words = words_of(index++);
    module.words.items = words.data();
    module.words.count = static_cast<std::uint32_t>(words.size());
    return module;
  });
}

rpl_options make_options(Arena& arena, const rpl::Program& program) {
  return arena.list<rpl_options>(program.options, [&](const rpl::Option& option) {
    rpl_option made{};
    made.name = arena.text(program.text(option.name));
    made.per_instance = option.option_class == rpl::OptionClass::Instance ? 1 : 0;
    made.type = static_cast<rpl_option_type>(option.type);
    made.values = arena.list<rpl_texts>(std::span(program.lists).subspan(option.values.first, option.values.count),
                                        [&](rpl::NameId value) { return arena.text(program.text(value)); });
    made.value = made.default_value = arena.text(rpl::format_value(program, option.initial));
    return made;
  });
}

}  // namespace slipway::rpl_c
