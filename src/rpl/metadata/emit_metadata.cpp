// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/metadata/emit_metadata.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/sha256.hpp"

namespace slipway::rpl {
namespace {

// Fills a list entry by entry. Entries that the list has already keep their memory, and each member of an entry must be
// set; at the end the list has the entries that were taken.
template <class T>
class Entries {
 public:
  Entries(std::vector<T>& list, std::size_t expected) : list_(list) { list.reserve(expected); }
  explicit Entries(std::vector<T>& list) : list_(list) {}
  Entries(const Entries&) = delete;
  Entries& operator=(const Entries&) = delete;
  ~Entries() { list_.erase(list_.begin() + static_cast<std::ptrdiff_t>(count_), list_.end()); }

  T& next() { return count_++ == list_.size() ? list_.emplace_back() : list_[count_ - 1]; }

 private:
  std::vector<T>& list_;
  std::size_t count_ = 0;
};

// The same as `to = text`, without its test whether the text is part of the string.
[[gnu::always_inline]] inline void set_text(std::string& to, std::string_view text) {
  to.resize_and_overwrite(text.size(), [&](char* buffer, std::size_t size) {
    std::memcpy(buffer, text.data(), size);
    return size;
  });
}

// Sets all members of `metadata` but `code` and `hashes`, whatever was in it.
class Emitter {
 public:
  Emitter(const Resolved& resolved, const MetadataOptions& options)
      : resolved_(resolved), program_(*resolved.program), options_(options) {}

  void emit(Metadata& metadata) const {
    metadata.pipeline_type = resolved_.pipeline;
    add_modules(metadata);
    add_options(metadata);
    Entries entry_points(metadata.entry_points, resolved_.entry_points.size());
    for (const EntryPoint& entry : resolved_.entry_points) {
      MetadataEntryPoint& to = entry_points.next();
      to.stage = entry.stage;
      set_text(to.function, text(resolved_.functions[entry.function].name));
    }
    add_interface(metadata.pipeline_interface);
    metadata.settings.raw = resolved_.settings;
    add_parameters(resolved_.push_constant == kNone ? List{} : resolved_.buffers[resolved_.push_constant].parameters,
                   metadata.push_constant_parameters);
    add_graphics(metadata);
    add_requirements(metadata);
    add_consulted(metadata.consulted);
  }

 private:
  [[gnu::always_inline]] std::string_view text(NameId name) const { return program_.text(name); }
  // Of a list of NameIds of the program.
  void add_texts(List list, std::vector<std::string>& to) const {
    Entries texts(to, list.count);
    for (std::uint32_t i = 0; i < list.count; ++i) set_text(texts.next(), text(program_.lists[list.first + i]));
  }

  void add_modules(Metadata& metadata) const {
    Entries modules(metadata.modules, program_.modules.size());
    for (const Module& module : program_.modules) {
      MetadataModule& to = modules.next();
      to.name = module.name;
      Entries sources(to.sources, module.source_count);
      for (std::uint32_t i = 0; i < module.source_count; ++i) {
        sources.next() = program_.sources[module.first_source + i].text->name();
      }
    }
  }

  void add_value(const Value& value, MetadataValue& to) const {
    switch (value.type) {
      case ValueType::Flag:
        to = value.bits != 0;
        break;
      case ValueType::Sint:
        to = std::bit_cast<std::int32_t>(value.bits);
        break;
      case ValueType::Float:
        to = std::bit_cast<float>(value.bits);
        break;
      case ValueType::String:
        to = std::string(text(value.bits));
        break;
      case ValueType::Uint:
      case ValueType::None:
        to = value.bits;
    }
  }

  void add_options(Metadata& metadata) const {
    Entries options(metadata.options, program_.options.size());
    for (OptionId id = 0; id < program_.options.size(); ++id) {
      const Option& option = program_.options[id];
      MetadataOption& to = options.next();
      set_text(to.name, text(option.name));
      to.option_class = option.option_class;
      to.type = option.type;
      add_value(resolved_.options[id], to.value);
      add_texts(option.values, to.values);
      add_value(option.initial, to.default_value);
    }
  }

  void add_tags(FieldId field, std::vector<std::string>& to) const {
    add_texts(field == kNone ? List{} : program_.fields[field].meta, to);
  }

  void add_interface(MetadataInterface& to) const {
    to.has_attributes = !options_.skip_attributes;
    to.has_sets = !options_.skip_sets;
    add_attributes(to);
    to.push_constant_name.reset();
    to.push_constant_size = 0;
    if (resolved_.push_constant != kNone) {
      const Buffer& push = resolved_.buffers[resolved_.push_constant];
      to.push_constant_name = text(push.name);
      to.push_constant_size = push.main_size;
    }
    for (std::size_t i = 0; i < to.sets.size(); ++i) add_set(static_cast<DescriptorSet>(i), to.sets[i]);
  }

  void add_set(DescriptorSet which, MetadataSet& to) const {
    {
      Entries buffers(to.buffers);
      Entries samplers(to.samplers);
      Entries images(to.images);
      if (options_.skip_sets) return;
      for (const Buffer& buffer : resolved_.buffers) {
        if (buffer.set == which) add_buffer(buffer, buffers.next());
      }
      for (const SamplerDecl& sampler : resolved_.samplers) {
        if (sampler.set != which) continue;
        MetadataSampler& made = samplers.next();
        set_text(made.name, text(sampler.name));
        made.binding = sampler.binding;
      }
      for (const ImageDecl& image : resolved_.images) {
        if (image.set == which) add_image(image, images.next());
      }
    }
    to.index = static_cast<std::uint32_t>(which);
    // In numbering order.
    sort_by_binding(to.buffers);
    sort_by_binding(to.samplers);
    sort_by_binding(to.images);
  }

  void add_image(const ImageDecl& image, MetadataImage& to) const {
    set_text(to.name, text(image.name));
    to.binding = image.binding;
    to.type = image.image_type;
    to.image_array_size = image.array_size;
    to.storage_format.reset();
    to.vk_format = 0;
    if (!image.storage) return;
    to.storage_format = image.format;
    to.vk_format = storage_vk_format(image.format, texel_type(resolved_.types[image.image_type]));
  }

  // Most are in that order already.
  template <class Resource>
  static void sort_by_binding(std::vector<Resource>& resources) {
    if (std::ranges::is_sorted(resources, {}, &Resource::binding)) return;
    for (auto next = resources.begin(); next != resources.end(); ++next) {  // a set has few, and no two of a number
      const auto after = std::ranges::find_if(
          resources.begin(), next, [&](const Resource& resource) { return resource.binding > next->binding; });
      if (after != next) std::rotate(after, next, next + 1);
    }
  }

  void add_attributes(MetadataInterface& to) const {
    Entries sources(to.attribute_sources);
    if (options_.skip_attributes || resolved_.pipeline != PipelineKind::Graphics) return;
    for (const Container& container : resolved_.containers) {
      if (container.kind != ItemKind::VertexContainer && container.kind != ItemKind::InstancedContainer) continue;
      MetadataAttributeSource& source = sources.next();
      set_text(source.name, text(container.name));
      source.rate = container.kind == ItemKind::VertexContainer ? MetadataRate::Vertex : MetadataRate::Instance;
      source.binding = container.binding;
      source.block_size = container.block_size;
      Entries attributes(source.attributes, container.fields.count);
      for (std::uint32_t i = 0; i < container.fields.count; ++i) {
        const ContainerField& field = resolved_.container_fields[container.fields.first + i];
        const std::uint32_t rows = item_count(field.type);
        MetadataAttribute& made = attributes.next();
        set_text(made.name, text(field.name));
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

  void add_parameters(List list, std::vector<MetadataParameter>& all) const {
    Entries parameters(all, list.count);
    for (std::uint32_t i = 0; i < list.count; ++i) {
      const Parameter& parameter = resolved_.parameters[list.first + i];
      MetadataParameter& to = parameters.next();
      set_text(to.name, text(resolved_.lists[parameter.path.first]));
      for (std::uint32_t part = 1; part < parameter.path.count; ++part) {
        to.name += '.';
        to.name += text(resolved_.lists[parameter.path.first + part]);
      }
      to.type = parameter.type;
      to.offset = parameter.offset;
      to.total_item_count = parameter.total_item_count;
      to.dimensions.clear();
      for (std::uint32_t d = 0; d < parameter.dimensions.count; ++d) {
        to.dimensions.push_back(resolved_.lists[parameter.dimensions.first + d]);
      }
      to.array_stride = parameter.array_stride;
      to.matrix_stride = is_matrix(parameter.type) ? resolved_.types[parameter.type].stride : 0;
      add_tags(parameter.field, to.meta);
    }
  }

  // The dotted path of the runtime array: member indices from the buffer down.
  std::string tail_name(const Buffer& buffer) const {
    std::string name;
    List members = buffer.members;
    for (std::uint32_t i = 0; i < buffer.tail_path.count; ++i) {
      const Member& member = resolved_.members[members.first + resolved_.lists[buffer.tail_path.first + i]];
      if (i != 0) name += '.';
      name += text(member.name);
      const Type& type = resolved_.types[member.type];
      if (type.kind == TypeKind::Struct) members = resolved_.structs[type.index].members;
    }
    return name;
  }

  void add_buffer(const Buffer& buffer, MetadataBuffer& to) const {
    set_text(to.name, text(buffer.name));
    to.binding = buffer.binding;
    to.type = buffer.kind == ItemKind::UniformBuffer    ? MetadataBufferType::Uniform
              : buffer.kind == ItemKind::ReadOnlyBuffer ? MetadataBufferType::ReadOnlyStorage
                                                        : MetadataBufferType::ReadWriteStorage;
    to.main_size = buffer.main_size;
    to.tail_item_size = buffer.tail_item_size;
    add_parameters(buffer.parameters, to.main_parameters);
    to.tail.reset();
    to.tail_name.reset();
    const bool has_tail = buffer.tail_item != kErrorType;
    const bool of_structs = has_tail && resolved_.types[buffer.tail_item].kind == TypeKind::Struct;
    if (has_tail) {
      to.tail = {tail_name(buffer), resolved_.type_text(buffer.tail_item), buffer.tail_offset, buffer.tail_item_size};
    }
    if (of_structs) to.tail_name = to.tail->name;
    add_parameters(of_structs ? buffer.tail_parameters : List{}, to.tail_item_parameters);
  }

  void add_field_name(const ContainerField& field, std::string& to) const {
    set_text(to, text(resolved_.containers[field.container].name));
    to += '.';
    to += text(field.name);
  }

  void add_graphics(Metadata& metadata) const {
    Entries color_outputs(metadata.color_outputs);
    Entries states(metadata.state);
    Entries dynamic_states(metadata.dynamic_states);
    metadata.color_blend_constants = {};
    if (resolved_.pipeline != PipelineKind::Graphics) return;
    for (const ColorOutput& output : resolved_.color_outputs) {
      const ContainerField& field = resolved_.container_fields[output.field];
      MetadataColorOutput& to = color_outputs.next();
      add_field_name(field, to.name);
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
      MetadataState& to = states.next();
      add_field_name(field, to.name);
      to.type = field.type;
      to.location = field.location;
    }
    dynamic_states.next() = "viewport";
    dynamic_states.next() = "scissor";
  }

  // Whether the outputs need different blend states or write masks; formats may differ without that.
  static bool blends_independently(const std::vector<MetadataColorOutput>& outputs) {
    return std::ranges::any_of(outputs, [&](const MetadataColorOutput& output) {
      OutputSettings settings = output.settings;
      settings[Setting::color_output_format] = outputs.front().settings[Setting::color_output_format];
      return settings != outputs.front().settings;
    });
  }

  // Whether the code selects from an array of such images with an index that is not constant.
  bool indexes_images(bool storage) const {
    const auto is_array = [&](const ImageDecl& image) { return image.storage == storage && image.has_array; };
    if (std::ranges::none_of(resolved_.images, is_array)) return false;
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
    MetadataRequirements& to = metadata.requirements;
    set_text(to.target, name_of(options_.target));
    to.features.clear();
    to.extensions.clear();
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
    if (options_.target >= Target::Vulkan13) return;
    if (options_.target == Target::Vulkan11 && (sampled || storage))
      to.extensions.emplace_back("VK_EXT_descriptor_indexing");
    if (graphics) to.extensions.emplace_back("VK_KHR_dynamic_rendering");
  }

  void add_names(const OptionSet& set, std::vector<std::string>& to) const {
    Entries names(to, set.count());
    set.for_each([&](OptionId option) { set_text(names.next(), text(program_.options[option].name)); });
  }

  void add_consulted(MetadataConsulted& to) const {
    add_names(resolved_.consulted.interface.options, to.interface_options);
    add_names(resolved_.consulted.settings.options, to.settings);
    std::array<bool, kStageCount> is_entry_point{};
    for (const EntryPoint& entry : resolved_.entry_points) is_entry_point[static_cast<std::size_t>(entry.stage)] = true;
    const std::array<std::optional<std::vector<std::string>>*, kStageCount> stages = {&to.vertex, &to.fragment,
                                                                                      &to.compute};
    for (std::size_t stage = 0; stage < kStageCount; ++stage) {
      std::optional<std::vector<std::string>>& names = *stages[stage];
      if (!is_entry_point[stage]) {
        names.reset();
        continue;
      }
      if (!names) names.emplace();
      add_names(resolved_.consulted.stages[stage].options, *names);
    }
  }

  const Resolved& resolved_;
  const Program& program_;
  MetadataOptions options_;
};

}  // namespace

Metadata& MetadataEmitter::emit(const Resolved& resolved, const MetadataOptions& options) {
  Emitter(resolved, options).emit(metadata_);
  metadata_.code.clear();
  metadata_.hashes = {};
  return metadata_;
}

Metadata emit_metadata(const Resolved& resolved, const MetadataOptions& options) {
  Metadata metadata;
  Emitter(resolved, options).emit(metadata);
  return metadata;
}

void add_code(Metadata& metadata, const Resolved& resolved, const SpirvModule& module, std::string file) {
  add_code(metadata, resolved, module, std::move(file), sha256_text(std::as_bytes(std::span(module.words))));
}

void add_code(Metadata& metadata, const Resolved& resolved, const SpirvModule& module, std::string file,
              std::string sha256) {
  MetadataCode code{.file = std::move(file),
                    .stages = {},
                    .words = static_cast<std::uint32_t>(module.words.size()),
                    .sha256 = std::move(sha256)};
  for (const std::uint32_t entry : module.entry_points) code.stages.push_back(resolved.entry_points[entry].stage);
  metadata.code.push_back(std::move(code));
}

}  // namespace slipway::rpl
