// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tables of metadata: reading, writing and the JSON Schema come from them.
#include "rpl/metadata/metadata_records.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <ranges>

#include "base/format.hpp"
#include "base/text/suggest.hpp"

namespace slipway::rpl {
namespace {

// --- codecs --------------------------------------------------------------------------------------------------------

// A word for a value.
template <class T>
struct Names {
  std::vector<std::string_view> words;
  std::vector<T> values;

  bool read(json::Decoder& decoder, json::Value value, T& to) const {
    std::size_t index = 0;
    if (!json::read_word(decoder, value, words, "", index)) return false;
    to = values[index];
    return true;
  }
  void write(json::Writer& out, T from) const {
    out.value(words[static_cast<std::size_t>(std::ranges::find(values, from) - values.begin())]);
  }
  void schema(json::Schema& schema) const { json::word_schema(schema, words); }
};

template <class T, class F>
Names<T> names(std::initializer_list<T> values, F&& name) {
  Names<T> table;
  for (const T value : values) {
    table.words.push_back(name(value));
    table.values.push_back(value);
  }
  return table;
}

template <class T>
Names<T> names(std::initializer_list<T> values) {
  return names(values, [](T value) { return name_of(value); });
}

template <class F>
Names<TypeId> type_names(TypeId first, TypeId end, F&& name) {
  Names<TypeId> table;
  for (TypeId type = first; type < end; ++type) {
    table.words.push_back(name(type));
    table.values.push_back(type);
  }
  return table;
}
Names<TypeId> value_types() { return type_names(kF1, kFirstImage, builtin_type_name); }

Names<ItemFormat> item_formats() {
  using enum ItemFormat;
  return names({Float16, Float32, Unorm8, Unorm16, Snorm8, Snorm16, Uint8, Uint16, Uint32, Sint8, Sint16, Sint32});
}

// A value that other members determine. Reading ignores it.
template <class T>
struct Derived {
  std::string_view schema_text;
  void (*write_value)(json::Writer& out, const T& from);
  bool read(json::Decoder&, json::Value, T&) const { return true; }
  void write(json::Writer& out, const T& from) const { write_value(out, from); }
  void schema(json::Schema& schema) const { schema.out().raw(schema_text); }
};

struct Number {
  bool read(json::Decoder& decoder, json::Value value, float& to) const {
    double number = 0;
    if (!json::Real{}.read(decoder, value, number)) return false;
    to = static_cast<float>(number);
    if (std::isfinite(to)) return true;
    return decoder.error(value, DiagnosticKind::OutOfRange,
                         formatted("{} is beyond 32-bit floats", value.number_text()));
  }
  void write(json::Writer& out, float from) const { out.value(from); }
  void schema(json::Schema& schema) const { json::Real{}.schema(schema); }
};

// The settings of a scope as one object, or as keys of a larger one.
template <class Settings>
bool read_setting(json::Decoder& decoder, json::Value value, const SettingInfo& info, Settings& to) {
  switch (info.type) {
    case SettingType::Flag: {
      bool flag = false;
      if (!json::Boolean{}.read(decoder, value, flag)) return false;
      to[info.id] = flag ? 1 : 0;
      return true;
    }
    case SettingType::Uint:
      return json::Integer{}.read(decoder, value, to[info.id]);
    case SettingType::Float: {
      float number = 0;
      if (!Number{}.read(decoder, value, number)) return false;
      to[info.id] = std::bit_cast<std::uint32_t>(number);
      return true;
    }
    case SettingType::Word: {
      std::size_t index = 0;
      const auto all =
          words_of(info.words) | std::views::transform(&SettingWord::name) | std::ranges::to<std::vector>();
      if (!json::read_word(decoder, value, all, "", index)) return false;
      to[info.id] = static_cast<std::uint32_t>(index);
      return true;
    }
  }
  return false;
}

template <class Settings>
void write_setting(json::Writer& out, const SettingInfo& info, const Settings& settings) {
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

void setting_schema(json::Schema& schema, const SettingInfo& info) {
  switch (info.type) {
    case SettingType::Flag:
      return json::Boolean{}.schema(schema);
    case SettingType::Uint:
      return json::Integer{.max = std::numeric_limits<std::uint32_t>::max()}.schema(schema);
    case SettingType::Float:
      return json::Real{}.schema(schema);
    case SettingType::Word:
      return json::word_schema(
          schema, words_of(info.words) | std::views::transform(&SettingWord::name) | std::ranges::to<std::vector>());
  }
}

auto settings_of(SettingScope scope) {
  return setting_table() | std::views::filter([scope](const SettingInfo& info) { return info.scope == scope; });
}

// `settings`: those of a graphics or of a compute pipeline.
struct SettingsObject {
  bool read(json::Decoder& decoder, json::Value object, Metadata& to) const {
    if (!object.is(json::Type::Object)) return decoder.wrong_type(object, "an object");
    const SettingScope scope = object["workgroup_size_x"] ? SettingScope::Compute : SettingScope::Graphics;
    auto infos = settings_of(scope);
    decoder.check_keys(object, infos | std::views::transform(&SettingInfo::name) | std::ranges::to<std::vector>(),
                       "settings");
    bool ok = true;
    for (const SettingInfo& info : infos) {
      if (const json::Value value = object[info.name]) {
        ok &= read_setting(decoder, value, info, to.settings);
      } else {
        ok = decoder.missing(object, info.name, "settings");
      }
    }
    return ok;
  }
  void write(json::Writer& out, const Metadata& from) const {
    const bool graphics = from.pipeline_type == PipelineKind::Graphics;
    out.object([&] {
      for (const SettingInfo& info : settings_of(graphics ? SettingScope::Graphics : SettingScope::Compute)) {
        write_setting(out.key(info.name), info, from.settings);
      }
    });
  }
  void schema(json::Schema& schema) const {
    schema.out().object([&] {
      schema.out().key("oneOf").array([&] {
        for (const SettingScope scope : {SettingScope::Graphics, SettingScope::Compute}) of_scope(schema, scope);
      });
    });
  }
  static void of_scope(json::Schema& schema, SettingScope scope) {
    json::Writer& out = schema.out();
    out.object([&] {
      out.member("type", "object").key("properties").object([&] {
        for (const SettingInfo& info : settings_of(scope)) {
          out.key(info.name);
          setting_schema(schema, info);
        }
      });
      out.member("additionalProperties", false).key("required").array([&] {
        for (const SettingInfo& info : settings_of(scope)) out.value(info.name);
      });
    });
  }
};

// One member of the settings of a color output.
struct OutputSetting {
  Setting::Id id;
  bool read(json::Decoder& decoder, json::Value value, OutputSettings& to) const {
    return read_setting(decoder, value, info_of(id), to);
  }
  void write(json::Writer& out, const OutputSettings& from) const { write_setting(out, info_of(id), from); }
  void schema(json::Schema& schema) const { setting_schema(schema, info_of(id)); }
};

// A value of an option: its type is known only when the whole option is read.
bool read_option_value(json::Decoder& decoder, json::Value value, const Metadata::Option& option,
                       Metadata::OptionValue& to) {
  switch (option.type) {
    case OptionType::Flag:
      return json::Boolean{}.read(decoder, value, to.emplace<bool>());
    case OptionType::Uint:
      return json::Integer{}.read(decoder, value, to.emplace<std::uint32_t>());
    case OptionType::Sint:
      return json::Integer{.min = std::numeric_limits<std::int32_t>::min()}.read(decoder, value,
                                                                                 to.emplace<std::int32_t>());
    case OptionType::Float:
      return Number{}.read(decoder, value, to.emplace<float>());
    case OptionType::Enum:
      return json::Text{}.read(decoder, value, to.emplace<std::string>());
  }
  return false;
}

Derived<Metadata::OptionValue> option_value() {
  return {R"({"type": ["boolean", "number", "string"]})", [](json::Writer& out, const Metadata::OptionValue& from) {
            std::visit([&](const auto& value) { out.value(value); }, from);
          }};
}

// --- records -------------------------------------------------------------------------------------------------------

const json::Record<Metadata::Module>& module_record() {
  using M = Metadata::Module;
  static const auto record = json::Record<M>("module", "sources whose names are numbered together")
                                 .required("name", &M::name, json::Text{}, "as diagnostics show it")
                                 .required("sources", &M::sources, json::List{json::Text{}}, "names of its files");
  return record;
}

const json::Record<Metadata::Option>& option_record() {
  using M = Metadata::Option;
  static const auto record =
      json::Record<M>("option", "an option of the program with the value it was compiled with")
          .required("name", &M::name, json::Text{}, "as in the program")
          .required("class", &M::option_class, names({OptionClass::Global, OptionClass::Instance}),
                    "whether it may decide the interface")
          .required("type", &M::type,
                    names({OptionType::Flag, OptionType::Uint, OptionType::Sint, OptionType::Float, OptionType::Enum}),
                    "the type of its values")
          .required("value", &M::value, option_value(), "what it was compiled with")
          .optional("values", &M::values, json::List{json::Text{}}, "of an enum: all its values, the default first")
          .written_if([](const M& option) { return option.type == OptionType::Enum; })
          .required("default", &M::default_value, option_value(), "the value unless it is set")
          .rule([](json::Decoder& decoder, json::Value object, M& option) {
            const bool value = read_option_value(decoder, object["value"], option, option.value);
            return read_option_value(decoder, object["default"], option, option.default_value) && value;
          });
  return record;
}

Names<Stage> stages() { return names({Stage::Vertex, Stage::Fragment, Stage::Compute}); }

const json::Record<Metadata::EntryPoint>& entry_point_record() {
  using M = Metadata::EntryPoint;
  static const auto record = json::Record<M>("entry point", "a function that a stage starts with")
                                 .required("stage", &M::stage, stages(), "the stage")
                                 .required("function", &M::function, json::Text{}, "the name of the OpEntryPoint");
  return record;
}

Derived<TypeId> class_of_type() {
  return {R"({"enum": ["vector_1", "vector_2", "vector_3", "vector_4", "matrix_3x3", "matrix_4x4"]})",
          [](json::Writer& out, const TypeId& type) { out.value(attribute_class(type)); }};
}

const json::Record<Metadata::Attribute>& attribute_record() {
  using M = Metadata::Attribute;
  static const auto record =
      json::Record<M>("attribute", "a vertex or instance attribute")
          .required("name", &M::name, json::Text{}, "the field's")
          .required("type", &M::type, value_types(), "the type that the shader sees")
          .required("location", &M::location, json::Integer{}, "of the first column")
          .required("location_count", &M::location_count, json::Integer{.min = 1}, "columns of a matrix, else 1")
          .required("offset", &M::offset, json::Integer{}, "bytes from the start of the block")
          .required("class", &M::type, class_of_type(), "the shape of the type")
          .required("item_format", &M::item_format, item_formats(), "how one item lies in memory")
          .required("vk_format", &M::vk_format, json::Integer{}, "the VkFormat of a vector or of a column")
          .required("column_stride", &M::column_stride, json::Integer{}, "bytes from one column to the next")
          .required("meta", &M::meta, json::List{json::Text{}}, "tags, in the order of the source");
  return record;
}

const json::Record<Metadata::AttributeSource>& attribute_source_record() {
  using M = Metadata::AttributeSource;
  static const auto record =
      json::Record<M>("attribute source", "a buffer of vertex or instance attributes")
          .required("name", &M::name, json::Text{}, "the container's")
          .required("rate", &M::rate, names({Metadata::Rate::Vertex, Metadata::Rate::Instance}),
                    "whether a block is read for each vertex or for each instance")
          .required("binding", &M::binding, json::Integer{}, "of the vertex buffer")
          .required("block_size", &M::block_size, json::Integer{}, "bytes of one block: the stride")
          .required("attributes", &M::attributes, json::List{json::Nested(attribute_record())},
                    "in the order of locations");
  return record;
}

const json::Record<Metadata::Parameter>& parameter_record() {
  using M = Metadata::Parameter;
  static const auto record =
      json::Record<M>("parameter", "a leaf of a buffer: a vector, a matrix, or an array of these")
          .required("name", &M::name, json::Text{}, "its dotted path in the buffer")
          .required("type", &M::type, value_types(), "of one item")
          .required("offset", &M::offset, json::Integer{}, "bytes from the start of the buffer, or of the tail's item")
          .required("total_item_count", &M::total_item_count, json::Integer{.min = 1}, "the product of the dimensions")
          .required("dimensions", &M::dimensions, json::List{json::Integer{.min = 1}}, "of an array, outermost first")
          .required("array_stride", &M::array_stride, json::Integer{}, "bytes from item to item; 0 without dimensions")
          .required("matrix_stride", &M::matrix_stride, json::Integer{}, "bytes from column to column; 0 for vectors")
          .required("meta", &M::meta, json::List{json::Text{}}, "tags, in the order of the source");
  return record;
}

const json::Record<Metadata::Tail>& tail_record() {
  using M = Metadata::Tail;
  static const auto record = json::Record<M>("tail", "the runtime array at the end of a buffer")
                                 .required("name", &M::name, json::Text{}, "its dotted path")
                                 .required("item_type", &M::item_type, json::Text{}, "`f4`, or the name of a struct")
                                 .required("offset", &M::offset, json::Integer{}, "bytes from the start of the buffer")
                                 .required("item_size", &M::item_size, json::Integer{}, "bytes from item to item");
  return record;
}

const json::Record<Metadata::Buffer>& buffer_record() {
  using M = Metadata::Buffer;
  using Type = Metadata::BufferType;
  static const auto record =
      json::Record<M>("buffer", "a buffer of a descriptor set")
          .required("name", &M::name, json::Text{}, "as in the program")
          .required("binding", &M::binding, json::Integer{}, "in its set")
          .required("type", &M::type, names({Type::Uniform, Type::ReadOnlyStorage, Type::ReadWriteStorage}),
                    "what descriptor it takes and who writes it")
          .required("main_size", &M::main_size, json::Integer{}, "bytes without the tail")
          .required("tail_item_size", &M::tail_item_size, json::Integer{}, "bytes for each item of the tail; 0 without")
          .required("main_parameters", &M::main_parameters, json::List{json::Nested(parameter_record())},
                    "what is in the main part")
          .required("tail", &M::tail, json::OrNull{json::Nested(tail_record())}, "the runtime array at the end")
          .required("tail_name", &M::tail_name, json::OrNull{json::Text{}}, "of a tail of structs: its dotted path")
          .required("tail_item_parameters", &M::tail_item_parameters, json::List{json::Nested(parameter_record())},
                    "of a tail of structs: what is in one item");
  return record;
}

const json::Record<Metadata::Sampler>& sampler_record() {
  using M = Metadata::Sampler;
  static const auto record = json::Record<M>("sampler", "a sampler of a descriptor set")
                                 .required("name", &M::name, json::Text{}, "as in the program")
                                 .required("binding", &M::binding, json::Integer{}, "in its set");
  return record;
}

const json::Record<Metadata::Image>& image_record() {
  using M = Metadata::Image;
  static const auto record =
      json::Record<M>("image", "an image, or an array of images, of a descriptor set")
          .required("name", &M::name, json::Text{}, "as in the program")
          .required("binding", &M::binding, json::Integer{}, "in its set")
          .required("type", &M::type, type_names(kFirstImage, kSampler, image_type_name), "what is sampled or stored")
          .required("image_array_size", &M::image_array_size, json::Integer{.min = 1}, "the number of descriptors")
          .required("storage_format", &M::storage_format, json::OrNull{item_formats()},
                    "of a storage image: of one item")
          .optional("vk_format", &M::vk_format, json::Integer{}, "of a storage image: its VkFormat")
          .written_if([](const M& image) { return image.storage_format.has_value(); });
  return record;
}

const json::Record<Metadata::Set>& set_record() {
  using M = Metadata::Set;
  static const auto record =
      json::Record<M>("set", "a descriptor set")
          .required("index", &M::index, json::Integer{.max = 3}, "its number")
          .required("buffers", &M::buffers, json::List{json::Nested(buffer_record())}, "by binding")
          .required("samplers", &M::samplers, json::List{json::Nested(sampler_record())}, "by binding")
          .required("images", &M::images, json::List{json::Nested(image_record())}, "by binding");
  return record;
}

// One of the four sets of an interface.
struct OneSet {
  std::size_t index;
  bool read(json::Decoder& decoder, json::Value value, std::array<Metadata::Set, 4>& to) const {
    return set_record().read(decoder, value, to[index]);
  }
  void write(json::Writer& out, const std::array<Metadata::Set, 4>& from) const {
    set_record().write(out, from[index]);
  }
  void schema(json::Schema& schema) const { json::Nested(set_record()).schema(schema); }
};

const json::Record<Metadata::Interface>& interface_table() {
  using M = Metadata::Interface;
  constexpr auto has_sets = [](const M& interface) { return interface.has_sets; };
  static const auto record =
      json::Record<M>("interface", "what pipelines must share to take the same buffers and descriptor sets")
          .optional("attribute_sources", &M::attribute_sources, json::List{json::Nested(attribute_source_record())},
                    "by binding; absent with --skip-attributes")
          .written_if([](const M& interface) { return interface.has_attributes; })
          .required("push_constant_name", &M::push_constant_name, json::OrNull{json::Text{}},
                    "of the push-constant buffer")
          .required("push_constant_size", &M::push_constant_size, json::Integer{}, "bytes; 0 for none")
          .optional("set_pass", &M::sets, OneSet{0}, "resources of a render pass; absent with --skip-sets")
          .written_if(has_sets)
          .optional("set_material", &M::sets, OneSet{1}, "resources of a material")
          .written_if(has_sets)
          .optional("set_object", &M::sets, OneSet{2}, "resources of an object")
          .written_if(has_sets)
          .optional("set_shared", &M::sets, OneSet{3}, "what several objects share")
          .written_if(has_sets)
          .rule([](json::Decoder&, json::Value object, M& interface) {
            interface.has_attributes = static_cast<bool>(object["attribute_sources"]);
            interface.has_sets = static_cast<bool>(object["set_pass"]);
            return true;
          });
  return record;
}

const json::Record<Metadata::ColorOutput>& color_output_record() {
  using M = Metadata::ColorOutput;
  static const auto record = [] {
    constexpr Derived<OutputSettings> vk_format{
        R"({"type": "integer"})",
        [](json::Writer& out, const OutputSettings& from) { out.value(from.vulkan(Setting::color_output_format)); }};
    auto made =
        json::Record<M>("color output", "a color attachment, by location")
            .required("name", &M::name, json::Text{}, "container.field")
            .required("type", &M::type, value_types(), "what the shader writes")
            .required("components_count", &M::components_count, json::Integer{.min = 1, .max = 4}, "items of the type")
            .required("format", &M::settings, OutputSetting{Setting::color_output_format}, "of the attachment")
            .required("vk_format", &M::settings, vk_format, "the VkFormat of it");
    constexpr std::size_t kPrefix = std::string_view("color_output_").size();
    for (const SettingInfo& info : settings_of(SettingScope::ColorOutput)) {
      if (info.id == Setting::color_output_format) continue;
      std::move(made).required(info.name.substr(kPrefix), &M::settings, OutputSetting{info.id},
                               "the setting of this output");
    }
    return made;
  }();
  return record;
}

const json::Record<Metadata::State>& state_record() {
  using M = Metadata::State;
  static const auto record = json::Record<M>("state", "a value that goes from the vertex to the fragment stage")
                                 .required("name", &M::name, json::Text{}, "container.field")
                                 .required("type", &M::type, value_types(), "its type")
                                 .required("location", &M::location, json::Integer{}, "of the first column");
  return record;
}

const json::Record<Metadata::Requirements>& requirements_record() {
  using M = Metadata::Requirements;
  static const auto record = json::Record<M>("requirements", "what a device must have")
                                 .required("target", &M::target, json::Text{}, "vulkan1.1 to vulkan1.4")
                                 .required("features", &M::features, json::List{json::Text{}},
                                           "members of the VkPhysicalDevice...Features structures")
                                 .required("extensions", &M::extensions, json::List{json::Text{}}, "device extensions");
  return record;
}

const json::Record<Metadata::Code>& code_record() {
  using M = Metadata::Code;
  static const auto record = json::Record<M>("code", "a SPIR-V module")
                                 .required("file", &M::file, json::Text{}, "beside the metadata")
                                 .required("stages", &M::stages, json::List{stages()}, "that it has entry points for")
                                 .required("words", &M::words, json::Integer{}, "its size")
                                 .required("sha256", &M::sha256, json::Text{}, "of its bytes");
  return record;
}

// A list of names for one stage.
struct StageNames {
  Stage stage;
  using Lists = std::array<std::optional<std::vector<std::string>>, kStageCount>;
  bool read(json::Decoder& decoder, json::Value value, Lists& to) const {
    return json::List{json::Text{}}.read(decoder, value, to[static_cast<std::size_t>(stage)].emplace());
  }
  void write(json::Writer& out, const Lists& from) const {
    json::List{json::Text{}}.write(out, *from[static_cast<std::size_t>(stage)]);
  }
  void schema(json::Schema& schema) const { json::List{json::Text{}}.schema(schema); }
};

template <Stage stage>
bool decides(const Metadata::ConsultedNames& names) {
  return names.stages[static_cast<std::size_t>(stage)].has_value();
}

const json::Record<Metadata::ConsultedNames>& consulted_record() {
  using M = Metadata::ConsultedNames;
  static const auto record =
      json::Record<M>("consulted", "the options that decided each output")
          .required("interface", &M::interface_options, json::List{json::Text{}}, "the interface: global options alone")
          .required("settings", &M::settings, json::List{json::Text{}}, "settings and color outputs")
          .optional("vertex", &M::stages, StageNames{Stage::Vertex}, "the code of the vertex stage")
          .written_if(decides<Stage::Vertex>)
          .optional("fragment", &M::stages, StageNames{Stage::Fragment}, "the code of the fragment stage")
          .written_if(decides<Stage::Fragment>)
          .optional("compute", &M::stages, StageNames{Stage::Compute}, "the code of the compute stage")
          .written_if(decides<Stage::Compute>);
  return record;
}

const json::Record<Metadata::Hashes>& hashes_record() {
  using M = Metadata::Hashes;
  static const auto record =
      json::Record<M>("hashes", "SHA-256 of compact JSON")
          .required("interface", &M::interface_hash, json::Text{}, "of the key `interface`")
          .required("pipeline", &M::pipeline, json::Text{}, "of all that decides the pipeline object");
  return record;
}

const json::Record<Metadata>& metadata_table() {
  using M = Metadata;
  static const auto record =
      json::Record<M>("metadata", "all that creating a pipeline takes")
          .required("format", json::Constant{R"("slipway-rpl-metadata")"}, "what this file is")
          .required("version", json::Constant{"1"}, "of the format")
          .required("pipeline_type", &M::pipeline_type, names({PipelineKind::Graphics, PipelineKind::Compute}),
                    "the kind of pipeline")
          .required("modules", &M::modules, json::List{json::Nested(module_record())}, "what it was compiled from")
          .required("options", &M::options, json::List{json::Nested(option_record())}, "in the order of the program")
          .required("entry_points", &M::entry_points, json::List{json::Nested(entry_point_record())},
                    "empty: only metadata")
          .required("interface", &M::interface, json::Nested(interface_table()), "what instance options cannot change")
          .required("settings", SettingsObject{}, "fixed-function state, or the workgroup's size")
          .required("color_outputs", &M::color_outputs, json::List{json::Nested(color_output_record())}, "by location")
          .required("color_blend_constants", &M::color_blend_constants, json::List{Number{}, 4, 4},
                    "red, green, blue, alpha")
          .required("state", &M::state, json::List{json::Nested(state_record())}, "by location; for information")
          .required("dynamic_states", &M::dynamic_states, json::List{json::Text{}}, "what drawing sets")
          .required("requirements", &M::requirements, json::Nested(requirements_record()), "what a device must have")
          .optional("push_constant_parameters", &M::push_constant_parameters,
                    json::List{json::Nested(parameter_record())}, "the fields of the push constants")
          .written_if([](const M& metadata) { return !metadata.push_constant_parameters.empty(); })
          .required("code", &M::code, json::List{json::Nested(code_record())}, "the modules")
          .required("consulted", &M::consulted, json::Nested(consulted_record()),
                    "the options that decided each output")
          .required("hashes", &M::hashes, json::Nested(hashes_record()), "equal hashes, equal things");
  return record;
}

}  // namespace

const json::Record<Metadata>& metadata_record() { return metadata_table(); }
const json::Record<Metadata::Interface>& interface_record() { return interface_table(); }

}  // namespace slipway::rpl
