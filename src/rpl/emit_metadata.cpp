// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/emit_metadata.hpp"

#include <algorithm>

#include "base/sha256.hpp"

namespace slipway::rpl {
namespace {

class Emitter {
 public:
  Emitter(const Resolved& resolved, const MetadataOptions& options)
      : resolved_(resolved), program_(*resolved.program), options_(options) {}

  Metadata emit() {
    Metadata metadata;
    metadata.pipeline_type = resolved_.pipeline;
    add_modules(metadata);
    add_options(metadata);
    metadata.entry_points.reserve(resolved_.entry_points.size());
    for (const EntryPoint& entry : resolved_.entry_points) {
      metadata.entry_points.emplace_back(entry.stage, text(resolved_.functions[entry.function].name));
    }
    add_interface(metadata.interface);
    metadata.settings.raw = resolved_.settings;
    if (resolved_.pipeline == PipelineKind::Graphics) add_graphics(metadata);
    add_requirements(metadata);
    add_consulted(metadata.consulted);
    return metadata;
  }

 private:
  std::string text(NameId name) const { return std::string(program_.text(name)); }
  // Of a list of NameIds of the program.
  std::vector<std::string> texts(List list) const {
    std::vector<std::string> all;
    all.reserve(list.count);
    for (std::uint32_t i = 0; i < list.count; ++i) all.emplace_back(program_.text(program_.lists[list.first + i]));
    return all;
  }

  void add_modules(Metadata& metadata) const {
    metadata.modules.reserve(program_.modules.size());
    for (const Module& module : program_.modules) {
      Metadata::Module& to = metadata.modules.emplace_back(module.name);
      for (std::uint32_t i = 0; i < module.source_count; ++i) {
        to.sources.push_back(program_.sources[module.first_source + i].text->name());
      }
    }
  }

  Metadata::OptionValue value_of(const Value& value) const {
    switch (value.type) {
      case ValueType::Flag:
        return value.bits != 0;
      case ValueType::Sint:
        return std::bit_cast<std::int32_t>(value.bits);
      case ValueType::Float:
        return std::bit_cast<float>(value.bits);
      case ValueType::String:
        return text(value.bits);
      case ValueType::Uint:
      case ValueType::None:
        break;
    }
    return value.bits;
  }

  void add_options(Metadata& metadata) const {
    metadata.options.reserve(program_.options.size());
    for (OptionId id = 0; id < program_.options.size(); ++id) {
      const Option& option = program_.options[id];
      Metadata::Option& to = metadata.options.emplace_back();
      to.name = program_.text(option.name);
      to.option_class = option.option_class;
      to.type = option.type;
      to.value = value_of(resolved_.options[id]);
      if (option.values.count != 0) to.values = texts(option.values);
      to.default_value = value_of(option.initial);
    }
  }

  void add_tags(FieldId field, std::vector<std::string>& to) const {
    if (field != kNone && program_.fields[field].meta.count != 0) to = texts(program_.fields[field].meta);
  }

  void add_interface(Metadata::Interface& to) const {
    to.has_attributes = !options_.skip_attributes;
    to.has_sets = !options_.skip_sets;
    if (to.has_attributes && resolved_.pipeline == PipelineKind::Graphics) add_attributes(to);
    if (resolved_.push_constant != kNone) {
      const Buffer& push = resolved_.buffers[resolved_.push_constant];
      to.push_constant_name = text(push.name);
      to.push_constant_size = push.main_size;
    }
    if (!to.has_sets) return;
    for (const Buffer& buffer : resolved_.buffers) {
      if (buffer.set != DescriptorSet::None) add_buffer(buffer, set(to, buffer.set).buffers.emplace_back());
    }
    for (const SamplerDecl& sampler : resolved_.samplers) {
      set(to, sampler.set).samplers.emplace_back(text(sampler.name), sampler.binding);
    }
    for (const ImageDecl& image : resolved_.images) {
      Metadata::Image& made = set(to, image.set).images.emplace_back();
      made.name = program_.text(image.name);
      made.binding = image.binding;
      made.type = image.image_type;
      made.image_array_size = image.array_size;
      if (!image.storage) continue;
      made.storage_format = image.format;
      made.vk_format = storage_vk_format(image.format, texel_type(resolved_.types[image.image_type]));
    }
    // In numbering order.
    for (Metadata::Set& of_set : to.sets) {
      sort_by_binding(of_set.buffers);
      sort_by_binding(of_set.samplers);
      sort_by_binding(of_set.images);
    }
  }

  // Most are in that order already.
  template <class Resource>
  static void sort_by_binding(std::vector<Resource>& resources) {
    if (std::ranges::is_sorted(resources, {}, &Resource::binding)) return;
    std::ranges::stable_sort(resources, {}, &Resource::binding);
  }

  static Metadata::Set& set(Metadata::Interface& to, DescriptorSet which) {
    return to.sets[static_cast<std::size_t>(which)];
  }

  void add_attributes(Metadata::Interface& to) const {
    for (const Container& container : resolved_.containers) {
      if (container.kind != ItemKind::VertexContainer && container.kind != ItemKind::InstancedContainer) continue;
      Metadata::AttributeSource& source = to.attribute_sources.emplace_back();
      source.name = program_.text(container.name);
      source.rate = container.kind == ItemKind::VertexContainer ? Metadata::Rate::Vertex : Metadata::Rate::Instance;
      source.binding = container.binding;
      source.block_size = container.block_size;
      source.attributes.reserve(container.fields.count);
      for (std::uint32_t i = 0; i < container.fields.count; ++i) {
        const ContainerField& field = resolved_.container_fields[container.fields.first + i];
        const std::uint32_t rows = item_count(field.type);
        Metadata::Attribute& made = source.attributes.emplace_back();
        made.name = program_.text(field.name);
        made.type = field.type;
        made.location = field.location;
        made.location_count = field.location_count;
        made.offset = field.offset;
        made.item_format = field.format;
        made.vk_format = attribute_vk_format(field.format, rows);
        made.column_stride = byte_count(field.format) * rows;
        add_tags(field.field, made.meta);
      }
    }
  }

  std::vector<Metadata::Parameter> parameters_of(List list) const {
    std::vector<Metadata::Parameter> all;
    all.reserve(list.count);
    for (std::uint32_t i = 0; i < list.count; ++i) {
      const Parameter& parameter = resolved_.parameters[list.first + i];
      Metadata::Parameter& to = all.emplace_back();
      for (std::uint32_t part = 0; part < parameter.path.count; ++part) {
        if (part != 0) to.name += '.';
        to.name += program_.text(resolved_.lists[parameter.path.first + part]);
      }
      to.type = parameter.type;
      to.offset = parameter.offset;
      to.total_item_count = parameter.total_item_count;
      for (std::uint32_t d = 0; d < parameter.dimensions.count; ++d) {
        to.dimensions.push_back(resolved_.lists[parameter.dimensions.first + d]);
      }
      to.array_stride = parameter.array_stride;
      if (is_matrix(parameter.type)) to.matrix_stride = resolved_.types[parameter.type].stride;
      add_tags(parameter.field, to.meta);
    }
    return all;
  }

  // The dotted path of the runtime array: member indices from the buffer down.
  std::string tail_name(const Buffer& buffer) const {
    std::string name;
    List members = buffer.members;
    for (std::uint32_t i = 0; i < buffer.tail_path.count; ++i) {
      const Member& member = resolved_.members[members.first + resolved_.lists[buffer.tail_path.first + i]];
      if (i != 0) name += '.';
      name += program_.text(member.name);
      const Type& type = resolved_.types[member.type];
      if (type.kind == TypeKind::Struct) members = resolved_.structs[type.index].members;
    }
    return name;
  }

  void add_buffer(const Buffer& buffer, Metadata::Buffer& to) const {
    to.name = program_.text(buffer.name);
    to.binding = buffer.binding;
    to.type = buffer.kind == ItemKind::UniformBuffer    ? Metadata::BufferType::Uniform
              : buffer.kind == ItemKind::ReadOnlyBuffer ? Metadata::BufferType::ReadOnlyStorage
                                                        : Metadata::BufferType::ReadWriteStorage;
    to.main_size = buffer.main_size;
    to.tail_item_size = buffer.tail_item_size;
    to.main_parameters = parameters_of(buffer.parameters);
    if (buffer.tail_item == kErrorType) return;
    to.tail = {tail_name(buffer), resolved_.type_text(buffer.tail_item), buffer.tail_offset, buffer.tail_item_size};
    if (resolved_.types[buffer.tail_item].kind == TypeKind::Struct) {
      to.tail_name = to.tail->name;
      to.tail_item_parameters = parameters_of(buffer.tail_parameters);
    }
  }

  std::string field_name(const ContainerField& field) const {
    const std::string_view container = program_.text(resolved_.containers[field.container].name);
    const std::string_view name = program_.text(field.name);
    std::string all;
    all.reserve(container.size() + 1 + name.size());
    all.append(container).append(1, '.').append(name);
    return all;
  }

  void add_graphics(Metadata& metadata) const {
    metadata.color_outputs.reserve(resolved_.color_outputs.size());
    metadata.state.reserve(resolved_.container_fields.size() - resolved_.color_outputs.size());
    for (const ColorOutput& output : resolved_.color_outputs) {
      const ContainerField& field = resolved_.container_fields[output.field];
      Metadata::ColorOutput& to = metadata.color_outputs.emplace_back();
      to.name = field_name(field);
      to.type = field.type;
      to.components_count = item_count(field.type);
      to.settings.raw = output.settings;
    }
    metadata.color_blend_constants = {metadata.settings.real(Setting::color_blend_constant_r),
                                      metadata.settings.real(Setting::color_blend_constant_g),
                                      metadata.settings.real(Setting::color_blend_constant_b),
                                      metadata.settings.real(Setting::color_blend_constant_a)};
    for (const ContainerField& field : resolved_.container_fields) {
      if (resolved_.containers[field.container].kind != ItemKind::StateContainer) continue;
      metadata.state.emplace_back(field_name(field), field.type, field.location);
    }
    metadata.dynamic_states.reserve(2);
    metadata.dynamic_states.emplace_back("viewport");
    metadata.dynamic_states.emplace_back("scissor");
  }

  // Whether the outputs need different blend states or write masks; formats may differ without that.
  static bool blends_independently(const std::vector<Metadata::ColorOutput>& outputs) {
    return std::ranges::any_of(outputs, [&](const Metadata::ColorOutput& output) {
      OutputSettings settings = output.settings;
      settings[Setting::color_output_format] = outputs.front().settings[Setting::color_output_format];
      return settings != outputs.front().settings;
    });
  }

  // Whether the code selects from an array of such images with an index that is not constant.
  bool indexes_images(bool storage) const {
    const auto indexes = [&](const LValue& lvalue) {
      if (lvalue.root != LValueRoot::Image || resolved_.images[lvalue.index].storage != storage) return false;
      if (lvalue.steps.count == 0) return false;
      const Step& step = resolved_.steps[lvalue.steps.first];
      return step.kind == StepKind::Element && !is_constant(step.value);
    };
    return std::ranges::any_of(resolved_.functions, [&](const Function& function) {
      return std::ranges::any_of(std::span(resolved_.lvalues).subspan(function.lvalues.first, function.lvalues.count),
                                 indexes);
    });
  }

  void add_requirements(Metadata& metadata) const {
    Metadata::Requirements& to = metadata.requirements;
    to.target = name_of(options_.target);
    const auto need = [&](bool used, std::string_view feature) {
      if (used) to.features.emplace_back(feature);
    };
    const bool graphics = resolved_.pipeline == PipelineKind::Graphics;
    if (graphics) {
      const PipelineSettings& settings = metadata.settings;
      need(settings.flag(Setting::depth_bias) && settings.real(Setting::depth_bias_clamp) != 0, "depthBiasClamp");
      need(settings.word(Setting::polygon_mode) == "wireframe", "fillModeNonSolid");
      need(settings.real(Setting::line_width) != 1, "wideLines");
      need(settings.flag(Setting::depth_clamp), "depthClamp");
      need(settings.flag(Setting::depth_bounds_test), "depthBounds");
      need(blends_independently(metadata.color_outputs), "independentBlend");
    }
    const bool sampled = indexes_images(false), storage = indexes_images(true);
    need(sampled, "shaderSampledImageArrayNonUniformIndexing");
    need(storage, "shaderStorageImageArrayNonUniformIndexing");
    if (options_.target == Target::Vulkan13) return;
    if (options_.target == Target::Vulkan11 && (sampled || storage))
      to.extensions.push_back("VK_EXT_descriptor_indexing");
    if (graphics) to.extensions.push_back("VK_KHR_dynamic_rendering");
  }

  std::vector<std::string> names_of(const OptionSet& set) const {
    std::vector<std::string> names;
    const std::size_t count = set.count();
    names.reserve(count);
    set.for_each([&](OptionId option) { names.emplace_back(program_.text(program_.options[option].name)); });
    return names;
  }

  void add_consulted(Metadata::ConsultedNames& to) const {
    to.interface_options = names_of(resolved_.consulted.interface.options);
    to.settings = names_of(resolved_.consulted.settings.options);
    for (const EntryPoint& entry : resolved_.entry_points) {
      const auto stage = static_cast<std::size_t>(entry.stage);
      to.stages[stage] = names_of(resolved_.consulted.stages[stage].options);
    }
  }

  const Resolved& resolved_;
  const Program& program_;
  MetadataOptions options_;
};

}  // namespace

Metadata emit_metadata(const Resolved& resolved, const MetadataOptions& options) {
  return Emitter(resolved, options).emit();
}

void add_code(Metadata& metadata, const Resolved& resolved, const SpirvModule& module, std::string file) {
  Metadata::Code code{.file = std::move(file),
                      .stages = {},
                      .words = static_cast<std::uint32_t>(module.words.size()),
                      .sha256 = sha256_text(std::as_bytes(std::span(module.words)))};
  for (const std::uint32_t entry : module.entry_points) code.stages.push_back(resolved.entry_points[entry].stage);
  metadata.code.push_back(std::move(code));
}

}  // namespace slipway::rpl
