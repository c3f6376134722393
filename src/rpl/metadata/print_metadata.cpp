// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/metadata/print_metadata.hpp"

#include <algorithm>

#include "base/format.hpp"

namespace slipway::rpl {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::string tags(const std::vector<std::string>& meta) { return meta.empty() ? "" : formatted("  [{}]", joined(meta)); }

std::string value_text(const MetadataValue& value) {
  return std::visit(
      [](const auto& held) {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::string>) {
          return held;
        } else {
          return formatted("{}", held);
        }
      },
      value);
}

void print_sources(std::string& out, const Metadata& metadata) {
  for (const MetadataAttributeSource& source : metadata.pipeline_interface.attribute_sources) {
    out += formatted("attributes {} (binding {}, each {}, {} bytes)\n", source.name, source.binding,
                     name_of(source.rate), source.block_size);
    for (const MetadataAttribute& attribute : source.attributes) {
      const std::string locations =
          attribute.location_count == 1
              ? formatted("{}", attribute.location)
              : formatted("{}-{}", attribute.location, attribute.location + attribute.location_count - 1);
      out += formatted("  location {:<5} offset {:<5} {:<5} {:<8} {}{}\n", locations, attribute.offset,
                       builtin_type_name(attribute.type), name_of(attribute.item_format), attribute.name,
                       tags(attribute.meta));
    }
  }
}

void print_parameters(std::string& out, const std::vector<MetadataParameter>& parameters) {
  for (const MetadataParameter& parameter : parameters) {
    std::string type(builtin_type_name(parameter.type));
    for (const std::uint32_t dimension : parameter.dimensions) type += formatted("[{}]", dimension);
    out += formatted("    offset {:<5} {:<9} {}{}\n", parameter.offset, type, parameter.name, tags(parameter.meta));
  }
}

void print_set(std::string& out, std::string_view name, const MetadataSet& set) {
  if (set.buffers.empty() && set.samplers.empty() && set.images.empty()) return;
  out += formatted("{} (set {})\n", name, set.index);
  for (const MetadataBuffer& buffer : set.buffers) {
    out += formatted("  binding {:<2} {} buffer {}, {} bytes", buffer.binding, name_of(buffer.type), buffer.name,
                     buffer.main_size);
    if (buffer.tail) {
      out +=
          formatted(" and {} for each of {} ({})", buffer.tail->item_size, buffer.tail->name, buffer.tail->item_type);
    }
    out += '\n';
    print_parameters(out, buffer.main_parameters);
    if (!buffer.tail_item_parameters.empty()) out += formatted("   each of {}:\n", buffer.tail_name.value_or(""));
    print_parameters(out, buffer.tail_item_parameters);
  }
  for (const MetadataSampler& sampler : set.samplers) {
    out += formatted("  binding {:<2} sampler {}\n", sampler.binding, sampler.name);
  }
  for (const MetadataImage& image : set.images) {
    out += formatted("  binding {:<2} image {} {}{}{}\n", image.binding, image_type_name(image.type), image.name,
                     image.image_array_size == 1 ? "" : formatted("[{}]", image.image_array_size),
                     image.storage_format ? formatted(" ({})", name_of(*image.storage_format)) : "");
  }
}

template <class Settings>
std::string setting_text(const Settings& settings, const SettingInfo& info) {
  switch (info.type) {
    case SettingType::Flag:
      return settings.flag(info.id) ? "on" : "off";
    case SettingType::Uint:
      return formatted("{}", settings.number(info.id));
    case SettingType::Float:
      return formatted("{}", settings.real(info.id));
    case SettingType::Word:
      return std::string(settings.word(info.id));
  }
  return "";
}

// Settings that differ from their initial values; formats always.
template <class Settings>
std::string settings_text(const Settings& settings, SettingScope scope, std::size_t prefix) {
  std::string text;
  for (const SettingInfo& info : setting_table()) {
    const bool is_format = info.id == Setting::depth_stencil_format || info.id == Setting::color_output_format;
    if (info.scope != scope || (settings[info.id] == info.initial && !is_format)) continue;
    text += formatted("{}{} {}", text.empty() ? "" : ", ", info.name.substr(prefix), setting_text(settings, info));
  }
  return text;
}

}  // namespace

std::string print_metadata(const Metadata& metadata) {
  std::string out = formatted("{} pipeline", name_of(metadata.pipeline_type));
  for (const MetadataEntryPoint& entry : metadata.entry_points) {
    out += formatted("{} {} {}", &entry == &metadata.entry_points.front() ? ":" : ",", name_of(entry.stage),
                     entry.function);
  }
  out += formatted("\nfor {}", metadata.requirements.target);
  if (!metadata.requirements.features.empty()) out += ", needs " + joined(metadata.requirements.features);
  if (!metadata.requirements.extensions.empty()) out += ", needs " + joined(metadata.requirements.extensions);
  out += '\n';
  for (const MetadataOption& option : metadata.options) {
    out += formatted("option {} = {} ({} {})\n", option.name, value_text(option.value), name_of(option.option_class),
                     name_of(option.type));
  }
  print_sources(out, metadata);
  for (std::size_t i = 0; i < kSetNames.size(); ++i) print_set(out, kSetNames[i], metadata.pipeline_interface.sets[i]);
  if (metadata.pipeline_interface.push_constant_name) {
    out += formatted("push constants {}, {} bytes\n", *metadata.pipeline_interface.push_constant_name,
                     metadata.pipeline_interface.push_constant_size);
  }
  const bool graphics = metadata.pipeline_type == PipelineKind::Graphics;
  const std::string settings =
      settings_text(metadata.settings, graphics ? SettingScope::Graphics : SettingScope::Compute, 0);
  if (!settings.empty()) out += formatted("settings: {}\n", settings);
  constexpr std::size_t kPrefix = std::string_view("color_output_").size();
  for (std::size_t i = 0; i < metadata.color_outputs.size(); ++i) {
    const MetadataColorOutput& output = metadata.color_outputs[i];
    out += formatted("output {} {} {}: {}\n", i, builtin_type_name(output.type), output.name,
                     settings_text(output.settings, SettingScope::ColorOutput, kPrefix));
  }
  for (const MetadataCode& code : metadata.code) {
    out += formatted("code {}: {} words, sha256 {}\n", code.file, code.words, code.sha256);
  }
  return out + formatted("interface {}\npipeline  {}\n", metadata.hashes.interface_hash, metadata.hashes.pipeline);
}

}  // namespace slipway::rpl
