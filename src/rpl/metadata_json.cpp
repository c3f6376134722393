// Writing. Reading is in metadata_read.cpp.
#include "rpl/metadata_json.hpp"

#include "base/sha256.hpp"

namespace slipway::rpl {
namespace {

using json::Writer;

void write_value(Writer& out, const Metadata::OptionValue& value) {
  std::visit([&](const auto& held) { out.value(held); }, value);
}

void write_strings(Writer& out, const std::vector<std::string>& strings) {
  out.array([&] {
    for (const std::string& string : strings) out.value(string);
  });
}

template <class T, class F>
void write_list(Writer& out, std::string_view key, const std::vector<T>& list, F&& members) {
  out.key(key).array([&] {
    for (const T& element : list) out.object([&] { members(element); });
  });
}

void write_option(Writer& out, const Metadata::Option& option) {
  out.member("name", option.name).member("class", name_of(option.option_class)).member("type", name_of(option.type));
  write_value(out.key("value"), option.value);
  if (option.type == OptionType::Enum) write_strings(out.key("values"), option.values);
  write_value(out.key("default"), option.default_value);
}

void write_attribute(Writer& out, const Metadata::Attribute& attribute) {
  out.member("name", attribute.name).member("type", builtin_type_name(attribute.type));
  out.member("location", attribute.location).member("location_count", attribute.location_count);
  out.member("offset", attribute.offset).member("class", attribute_class(attribute.type));
  out.member("item_format", name_of(attribute.item_format)).member("vk_format", attribute.vk_format);
  out.member("column_stride", attribute.column_stride);
  write_strings(out.key("meta"), attribute.meta);
}

void write_parameters(Writer& out, std::string_view key, const std::vector<Metadata::Parameter>& parameters) {
  write_list(out, key, parameters, [&](const Metadata::Parameter& parameter) {
    out.member("name", parameter.name).member("type", builtin_type_name(parameter.type));
    out.member("offset", parameter.offset).member("total_item_count", parameter.total_item_count);
    out.key("dimensions").array([&] {
      for (const std::uint32_t dimension : parameter.dimensions) out.value(dimension);
    });
    out.member("array_stride", parameter.array_stride).member("matrix_stride", parameter.matrix_stride);
    write_strings(out.key("meta"), parameter.meta);
  });
}

void write_buffer(Writer& out, const Metadata::Buffer& buffer) {
  out.member("name", buffer.name).member("binding", buffer.binding).member("type", name_of(buffer.type));
  out.member("main_size", buffer.main_size).member("tail_item_size", buffer.tail_item_size);
  write_parameters(out, "main_parameters", buffer.main_parameters);
  out.key("tail");
  if (buffer.tail) {
    out.object([&] {
      out.member("name", buffer.tail->name).member("item_type", buffer.tail->item_type);
      out.member("offset", buffer.tail->offset).member("item_size", buffer.tail->item_size);
    });
  } else {
    out.null();
  }
  out.key("tail_name");
  buffer.tail_name ? out.value(*buffer.tail_name) : out.null();
  write_parameters(out, "tail_item_parameters", buffer.tail_item_parameters);
}

void write_set(Writer& out, const Metadata::Set& set) {
  out.member("index", set.index);
  write_list(out, "buffers", set.buffers, [&](const Metadata::Buffer& buffer) { write_buffer(out, buffer); });
  write_list(out, "samplers", set.samplers, [&](const Metadata::Sampler& sampler) {
    out.member("name", sampler.name).member("binding", sampler.binding);
  });
  write_list(out, "images", set.images, [&](const Metadata::Image& image) {
    out.member("name", image.name).member("binding", image.binding).member("type", image_type_name(image.type));
    out.member("image_array_size", image.image_array_size).key("storage_format");
    if (!image.storage_format) {
      out.null();
    } else {
      out.value(name_of(*image.storage_format)).member("vk_format", image.vk_format);
    }
  });
}

template <class Settings>
void write_setting(Writer& out, const Settings& settings, const SettingInfo& info, std::string_view key) {
  out.key(key);
  switch (info.type) {
    case SettingType::Flag:
      out.value(settings.flag(info.id));
      break;
    case SettingType::Uint:
      out.value(settings.number(info.id));
      break;
    case SettingType::Float:
      out.value(settings.real(info.id));
      break;
    case SettingType::Word:
      out.value(settings.word(info.id));
      break;
  }
}

void write_settings(Writer& out, const Metadata& metadata) {
  const SettingScope scope =
      metadata.pipeline_type == PipelineKind::Graphics ? SettingScope::Graphics : SettingScope::Compute;
  out.key("settings").object([&] {
    for (const SettingInfo& info : setting_table()) {
      if (info.scope == scope) write_setting(out, metadata.settings, info, info.name);
    }
  });
}

void write_color_outputs(Writer& out, const Metadata& metadata) {
  constexpr std::size_t kPrefix = std::string_view("color_output_").size();
  write_list(out, "color_outputs", metadata.color_outputs, [&](const Metadata::ColorOutput& output) {
    out.member("name", output.name).member("type", builtin_type_name(output.type));
    out.member("components_count", output.components_count);
    out.member("format", output.settings.word(Setting::color_output_format));
    out.member("vk_format", output.settings.vulkan(Setting::color_output_format));
    for (const SettingInfo& info : setting_table()) {
      if (info.scope != SettingScope::ColorOutput || info.id == Setting::color_output_format) continue;
      write_setting(out, output.settings, info, info.name.substr(kPrefix));
    }
  });
}

void write_entry_points(Writer& out, const Metadata& metadata) {
  write_list(out, "entry_points", metadata.entry_points, [&](const Metadata::EntryPoint& entry) {
    out.member("stage", name_of(entry.stage)).member("function", entry.function);
  });
}

void write_blend_constants(Writer& out, const Metadata& metadata) {
  out.key("color_blend_constants").array([&] {
    for (const float constant : metadata.color_blend_constants) out.value(constant);
  });
}

void write_metadata(Writer& out, const Metadata& metadata) {
  out.member("format", kMetadataFormat).member("version", kMetadataVersion);
  out.member("pipeline_type", name_of(metadata.pipeline_type));
  write_list(out, "modules", metadata.modules, [&](const Metadata::Module& module) {
    out.member("name", module.name);
    write_strings(out.key("sources"), module.sources);
  });
  write_list(out, "options", metadata.options, [&](const Metadata::Option& option) { write_option(out, option); });
  write_entry_points(out, metadata);
  write_interface(out.key("interface"), metadata.interface);
  write_settings(out, metadata);
  write_color_outputs(out, metadata);
  write_blend_constants(out, metadata);
  write_list(out, "state", metadata.state, [&](const Metadata::State& state) {
    out.member("name", state.name).member("type", builtin_type_name(state.type)).member("location", state.location);
  });
  write_strings(out.key("dynamic_states"), metadata.dynamic_states);
  out.key("requirements").object([&] {
    out.member("target", metadata.requirements.target);
    write_strings(out.key("features"), metadata.requirements.features);
    write_strings(out.key("extensions"), metadata.requirements.extensions);
  });
  write_list(out, "code", metadata.code, [&](const Metadata::Code& code) {
    out.member("file", code.file).key("stages").array([&] {
      for (const Stage stage : code.stages) out.value(name_of(stage));
    });
    out.member("words", code.words).member("sha256", code.sha256);
  });
  out.key("consulted").object([&] {
    write_strings(out.key("interface"), metadata.consulted.interface_options);
    write_strings(out.key("settings"), metadata.consulted.settings);
    for (std::size_t stage = 0; stage < kStageCount; ++stage) {
      const auto& names = metadata.consulted.stages[stage];
      if (names) write_strings(out.key(name_of(static_cast<Stage>(stage))), *names);
    }
  });
  out.key("hashes").object(
      [&] { out.member("interface", metadata.hashes.interface_hash).member("pipeline", metadata.hashes.pipeline); });
}

}  // namespace

void write_interface(Writer& out, const Metadata::Interface& interface) {
  out.object([&] {
    if (interface.has_attributes) {
      write_list(out, "attribute_sources", interface.attribute_sources, [&](const Metadata::AttributeSource& source) {
        out.member("name", source.name).member("rate", name_of(source.rate)).member("binding", source.binding);
        out.member("block_size", source.block_size);
        write_list(out, "attributes", source.attributes,
                   [&](const Metadata::Attribute& attribute) { write_attribute(out, attribute); });
      });
    }
    out.key("push_constant_name");
    interface.push_constant_name ? out.value(*interface.push_constant_name) : out.null();
    out.member("push_constant_size", interface.push_constant_size);
    if (!interface.has_sets) return;
    for (std::size_t i = 0; i < kSetNames.size(); ++i) {
      out.key(kSetNames[i]).object([&] { write_set(out, interface.sets[i]); });
    }
  });
}

void seal(Metadata& metadata) {
  Writer interface(json::kCompact);
  write_interface(interface, metadata.interface);
  metadata.hashes.interface_hash = sha256_text(interface.text());

  Writer pipeline(json::kCompact);
  pipeline.object([&] {
    write_entry_points(pipeline, metadata);
    write_interface(pipeline.key("interface"), metadata.interface);
    write_settings(pipeline, metadata);
    write_color_outputs(pipeline, metadata);
    write_blend_constants(pipeline, metadata);
    pipeline.key("code").array([&] {
      for (const Metadata::Code& code : metadata.code) pipeline.value(code.sha256);
    });
  });
  metadata.hashes.pipeline = sha256_text(pipeline.text());
}

std::string metadata_text(const Metadata& metadata) {
  Writer out;
  out.object([&] { write_metadata(out, metadata); });
  return out.text();
}

}  // namespace slipway::rpl
