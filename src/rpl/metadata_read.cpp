// Reading metadata, and its JSON Schema: both from the tables below.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <ranges>

#include "base/format.hpp"
#include "base/suggest.hpp"
#include "json/record.hpp"
#include "rpl/metadata_json.hpp"

namespace slipway::rpl {
namespace {

using json::Decoder;
using json::Integer;
using json::List;
using json::Nested;
using json::Record;
using json::Schema;
using json::Text;

// --- codecs --------------------------------------------------------------------------------------------------------

// A word that stands for a value.
template <class T>
struct Names {
  std::vector<std::string_view> words;
  std::vector<T> values;

  bool read(Decoder& decoder, json::Value value, T& to) const {
    std::size_t index = 0;
    if (!json::read_word(decoder, value, words, "", index)) return false;
    to = values[index];
    return true;
  }
  void schema(Schema& schema) const { json::word_schema(schema, words); }
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

// The value of a codec, or null. Whoever has it resets its member in a rule, because a record fills an optional.
template <class Codec>
struct OrNull {
  Codec codec;
  template <class T>
  bool read(Decoder& decoder, json::Value value, T& to) const {
    return value.is(json::Type::Null) || codec.read(decoder, value, to);
  }
  void schema(Schema& schema) const {
    schema.out().object([&] {
      schema.out().key("anyOf").array([&] {
        schema.out().object([&] { schema.out().member("type", "null"); });
        codec.schema(schema);
      });
    });
  }
};
template <class Codec>
OrNull(Codec) -> OrNull<Codec>;

bool is_null(json::Value object, std::string_view key) { return object[key].is(json::Type::Null); }

// What another member decides: read as nothing here.
struct Derived {
  std::string_view schema_text;
  template <class T>
  bool read(Decoder&, json::Value, T&) const {
    return true;
  }
  void schema(Schema& schema) const { schema.out().raw(schema_text); }
};

struct Number {
  bool read(Decoder& decoder, json::Value value, float& to) const {
    double number = 0;
    if (!json::Real{}.read(decoder, value, number)) return false;
    to = static_cast<float>(number);
    if (std::isfinite(to)) return true;
    return decoder.error(value, DiagnosticKind::OutOfRange,
                         formatted("{} is beyond 32-bit floats", value.number_text()));
  }
  void schema(Schema& schema) const { json::Real{}.schema(schema); }
};

// The settings of a scope as one object, or as keys of a larger one.
template <class Settings>
bool read_setting(Decoder& decoder, json::Value value, const SettingInfo& info, Settings& to) {
  switch (info.type) {
    case SettingType::Flag: {
      bool flag = false;
      if (!json::Boolean{}.read(decoder, value, flag)) return false;
      to[info.id] = flag ? 1 : 0;
      return true;
    }
    case SettingType::Uint:
      return Integer{}.read(decoder, value, to[info.id]);
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

void setting_schema(Schema& schema, const SettingInfo& info) {
  switch (info.type) {
    case SettingType::Flag:
      return json::Boolean{}.schema(schema);
    case SettingType::Uint:
      return Integer{.max = std::numeric_limits<std::uint32_t>::max()}.schema(schema);
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
  bool read(Decoder& decoder, json::Value object, PipelineSettings& to) const {
    if (!object.is(json::Type::Object)) return decoder.wrong_type(object, "an object");
    const SettingScope scope = object["workgroup_size_x"] ? SettingScope::Compute : SettingScope::Graphics;
    auto infos = settings_of(scope);
    decoder.check_keys(object, infos | std::views::transform(&SettingInfo::name) | std::ranges::to<std::vector>(),
                       "settings");
    bool good = true;
    for (const SettingInfo& info : infos) {
      if (const json::Value value = object[info.name]) {
        good &= read_setting(decoder, value, info, to);
      } else {
        good = decoder.missing(object, info.name, "settings");
      }
    }
    return good;
  }
  void schema(Schema& schema) const {
    schema.out().object([&] {
      schema.out().key("oneOf").array([&] {
        for (const SettingScope scope : {SettingScope::Graphics, SettingScope::Compute}) of_scope(schema, scope);
      });
    });
  }
  static void of_scope(Schema& schema, SettingScope scope) {
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
  bool read(Decoder& decoder, json::Value value, OutputSettings& to) const {
    return read_setting(decoder, value, info_of(id), to);
  }
  void schema(Schema& schema) const { setting_schema(schema, info_of(id)); }
};

// A value of an option: its type is known only when the whole option is read.
bool read_option_value(Decoder& decoder, json::Value value, const Metadata::Option& option, Metadata::OptionValue& to) {
  switch (option.type) {
    case OptionType::Flag:
      return json::Boolean{}.read(decoder, value, to.emplace<bool>());
    case OptionType::Uint:
      return Integer{}.read(decoder, value, to.emplace<std::uint32_t>());
    case OptionType::Sint:
      return Integer{.min = std::numeric_limits<std::int32_t>::min()}.read(decoder, value, to.emplace<std::int32_t>());
    case OptionType::Float:
      return Number{}.read(decoder, value, to.emplace<float>());
    case OptionType::Enum:
      return Text{}.read(decoder, value, to.emplace<std::string>());
  }
  return false;
}
constexpr std::string_view kOptionValueSchema = R"({"type": ["boolean", "number", "string"]})";

// --- records -------------------------------------------------------------------------------------------------------

const Record<Metadata::Module>& module_record() {
  using M = Metadata::Module;
  static const auto record = Record<M>("module", "sources whose names are numbered together")
                                 .required("name", &M::name, Text{}, "as diagnostics show it")
                                 .required("sources", &M::sources, List{Text{}}, "names of its files");
  return record;
}

const Record<Metadata::Option>& option_record() {
  using M = Metadata::Option;
  static const auto record =
      Record<M>("option", "an option of the program with the value it was compiled with")
          .required("name", &M::name, Text{}, "as in the program")
          .required("class", &M::option_class, names({OptionClass::Global, OptionClass::Instance}),
                    "whether it may decide the interface")
          .required("type", &M::type,
                    names({OptionType::Flag, OptionType::Uint, OptionType::Sint, OptionType::Float, OptionType::Enum}),
                    "the type of its values")
          .required("value", &M::value, Derived{kOptionValueSchema}, "what it was compiled with")
          .optional("values", &M::values, List{Text{}}, "of an enum: all its values, the default first")
          .required("default", &M::default_value, Derived{kOptionValueSchema}, "what it is when nobody says anything")
          .rule([](Decoder& decoder, json::Value object, M& option) {
            const bool value = read_option_value(decoder, object["value"], option, option.value);
            return read_option_value(decoder, object["default"], option, option.default_value) && value;
          });
  return record;
}

Names<Stage> stages() { return names({Stage::Vertex, Stage::Fragment, Stage::Compute}); }

const Record<Metadata::EntryPoint>& entry_point_record() {
  using M = Metadata::EntryPoint;
  static const auto record = Record<M>("entry point", "a function that a stage starts with")
                                 .required("stage", &M::stage, stages(), "the stage")
                                 .required("function", &M::function, Text{}, "the name of the OpEntryPoint");
  return record;
}

constexpr std::string_view kClassSchema =
    R"({"enum": ["vector_1", "vector_2", "vector_3", "vector_4", "matrix_3x3", "matrix_4x4"]})";

const Record<Metadata::Attribute>& attribute_record() {
  using M = Metadata::Attribute;
  static const auto record =
      Record<M>("attribute", "a vertex or instance attribute")
          .required("name", &M::name, Text{}, "the field's")
          .required("type", &M::type, value_types(), "the type that the shader sees")
          .required("location", &M::location, Integer{}, "of the first column")
          .required("location_count", &M::location_count, Integer{.min = 1}, "columns of a matrix, else 1")
          .required("offset", &M::offset, Integer{}, "bytes from the start of the block")
          .required("class", &M::type, Derived{kClassSchema}, "the shape of the type")
          .required("item_format", &M::item_format, item_formats(), "how one item lies in memory")
          .required("vk_format", &M::vk_format, Integer{}, "the VkFormat of a vector or of a column")
          .required("column_stride", &M::column_stride, Integer{}, "bytes from one column to the next")
          .required("meta", &M::meta, List{Text{}}, "tags, in the order of the source");
  return record;
}

const Record<Metadata::AttributeSource>& attribute_source_record() {
  using M = Metadata::AttributeSource;
  static const auto record =
      Record<M>("attribute source", "a buffer of vertex or instance attributes")
          .required("name", &M::name, Text{}, "the container's")
          .required("rate", &M::rate, names({Metadata::Rate::Vertex, Metadata::Rate::Instance}),
                    "whether a block is read for each vertex or for each instance")
          .required("binding", &M::binding, Integer{}, "of the vertex buffer")
          .required("block_size", &M::block_size, Integer{}, "bytes of one block: the stride")
          .required("attributes", &M::attributes, List{Nested(attribute_record())}, "in the order of locations");
  return record;
}

const Record<Metadata::Parameter>& parameter_record() {
  using M = Metadata::Parameter;
  static const auto record =
      Record<M>("parameter", "a leaf of a buffer: a vector, a matrix, or an array of these")
          .required("name", &M::name, Text{}, "its dotted path in the buffer")
          .required("type", &M::type, value_types(), "of one item")
          .required("offset", &M::offset, Integer{}, "bytes from the start of the buffer, or of the tail's item")
          .required("total_item_count", &M::total_item_count, Integer{.min = 1}, "the product of the dimensions")
          .required("dimensions", &M::dimensions, List{Integer{.min = 1}}, "of an array, outermost first")
          .required("array_stride", &M::array_stride, Integer{}, "bytes from item to item; 0 without dimensions")
          .required("matrix_stride", &M::matrix_stride, Integer{}, "bytes from column to column; 0 for vectors")
          .required("meta", &M::meta, List{Text{}}, "tags, in the order of the source");
  return record;
}

const Record<Metadata::Tail>& tail_record() {
  using M = Metadata::Tail;
  static const auto record = Record<M>("tail", "the runtime array at the end of a buffer")
                                 .required("name", &M::name, Text{}, "its dotted path")
                                 .required("item_type", &M::item_type, Text{}, "`f4`, or the name of a struct")
                                 .required("offset", &M::offset, Integer{}, "bytes from the start of the buffer")
                                 .required("item_size", &M::item_size, Integer{}, "bytes from item to item");
  return record;
}

const Record<Metadata::Buffer>& buffer_record() {
  using M = Metadata::Buffer;
  using Type = Metadata::BufferType;
  static const auto record =
      Record<M>("buffer", "a buffer of a descriptor set")
          .required("name", &M::name, Text{}, "as in the program")
          .required("binding", &M::binding, Integer{}, "in its set")
          .required("type", &M::type, names({Type::Uniform, Type::ReadOnlyStorage, Type::ReadWriteStorage}),
                    "what descriptor it takes and who writes it")
          .required("main_size", &M::main_size, Integer{}, "bytes without the tail")
          .required("tail_item_size", &M::tail_item_size, Integer{}, "bytes for each item of the tail; 0 without")
          .required("main_parameters", &M::main_parameters, List{Nested(parameter_record())},
                    "what is in the main part")
          .required("tail", &M::tail, OrNull{Nested(tail_record())}, "the runtime array at the end")
          .required("tail_name", &M::tail_name, OrNull{Text{}}, "of a tail of structs: its dotted path")
          .required("tail_item_parameters", &M::tail_item_parameters, List{Nested(parameter_record())},
                    "of a tail of structs: what is in one item")
          .rule([](Decoder&, json::Value object, M& buffer) {
            if (is_null(object, "tail")) buffer.tail.reset();
            if (is_null(object, "tail_name")) buffer.tail_name.reset();
            return true;
          });
  return record;
}

const Record<Metadata::Sampler>& sampler_record() {
  using M = Metadata::Sampler;
  static const auto record = Record<M>("sampler", "a sampler of a descriptor set")
                                 .required("name", &M::name, Text{}, "as in the program")
                                 .required("binding", &M::binding, Integer{}, "in its set");
  return record;
}

const Record<Metadata::Image>& image_record() {
  using M = Metadata::Image;
  static const auto record =
      Record<M>("image", "an image, or an array of images, of a descriptor set")
          .required("name", &M::name, Text{}, "as in the program")
          .required("binding", &M::binding, Integer{}, "in its set")
          .required("type", &M::type, type_names(kFirstImage, kSampler, image_type_name), "what is sampled or stored")
          .required("image_array_size", &M::image_array_size, Integer{.min = 1}, "the number of descriptors")
          .required("storage_format", &M::storage_format, OrNull{item_formats()}, "of a storage image: of one item")
          .optional("vk_format", &M::vk_format, Integer{}, "of a storage image: its VkFormat")
          .rule([](Decoder&, json::Value object, M& image) {
            if (is_null(object, "storage_format")) image.storage_format.reset();
            return true;
          });
  return record;
}

const Record<Metadata::Set>& set_record() {
  using M = Metadata::Set;
  static const auto record = Record<M>("set", "a descriptor set")
                                 .required("index", &M::index, Integer{.max = 3}, "its number")
                                 .required("buffers", &M::buffers, List{Nested(buffer_record())}, "by binding")
                                 .required("samplers", &M::samplers, List{Nested(sampler_record())}, "by binding")
                                 .required("images", &M::images, List{Nested(image_record())}, "by binding");
  return record;
}

// One of the four sets of an interface.
struct OneSet {
  std::size_t index;
  bool read(Decoder& decoder, json::Value value, std::array<Metadata::Set, 4>& to) const {
    return set_record().read(decoder, value, to[index]);
  }
  void schema(Schema& schema) const { Nested(set_record()).schema(schema); }
};

const Record<Metadata::Interface>& interface_record() {
  using M = Metadata::Interface;
  static const auto record =
      Record<M>("interface", "what pipelines must share to take the same buffers and descriptor sets")
          .optional("attribute_sources", &M::attribute_sources, List{Nested(attribute_source_record())},
                    "by binding; absent with --skip-attributes")
          .required("push_constant_name", &M::push_constant_name, OrNull{Text{}}, "of the push-constant buffer")
          .required("push_constant_size", &M::push_constant_size, Integer{}, "bytes; 0 for none")
          .optional("set_pass", &M::sets, OneSet{0}, "what a render pass gives; absent with --skip-sets")
          .optional("set_material", &M::sets, OneSet{1}, "what a material gives")
          .optional("set_object", &M::sets, OneSet{2}, "what an object gives")
          .optional("set_shared", &M::sets, OneSet{3}, "what several objects share")
          .rule([](Decoder&, json::Value object, M& interface) {
            if (is_null(object, "push_constant_name")) interface.push_constant_name.reset();
            interface.has_attributes = static_cast<bool>(object["attribute_sources"]);
            interface.has_sets = static_cast<bool>(object["set_pass"]);
            return true;
          });
  return record;
}

const Record<Metadata::ColorOutput>& color_output_record() {
  using M = Metadata::ColorOutput;
  static const auto record = [] {
    auto made =
        Record<M>("color output", "a color attachment, by location")
            .required("name", &M::name, Text{}, "container.field")
            .required("type", &M::type, value_types(), "what the shader writes")
            .required("components_count", &M::components_count, Integer{.min = 1, .max = 4}, "items of the type")
            .required("format", &M::settings, OutputSetting{Setting::color_output_format}, "of the attachment")
            .required("vk_format", &M::settings, Derived{R"({"type": "integer"})"}, "the VkFormat of it");
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

const Record<Metadata::State>& state_record() {
  using M = Metadata::State;
  static const auto record = Record<M>("state", "a value that goes from the vertex to the fragment stage")
                                 .required("name", &M::name, Text{}, "container.field")
                                 .required("type", &M::type, value_types(), "its type")
                                 .required("location", &M::location, Integer{}, "of the first column");
  return record;
}

const Record<Metadata::Requirements>& requirements_record() {
  using M = Metadata::Requirements;
  static const auto record =
      Record<M>("requirements", "what a device must have")
          .required("target", &M::target, Text{}, "vulkan1.1, vulkan1.2 or vulkan1.3")
          .required("features", &M::features, List{Text{}}, "members of the VkPhysicalDevice...Features structures")
          .required("extensions", &M::extensions, List{Text{}}, "device extensions");
  return record;
}

const Record<Metadata::Code>& code_record() {
  using M = Metadata::Code;
  static const auto record = Record<M>("code", "a SPIR-V module")
                                 .required("file", &M::file, Text{}, "beside the metadata")
                                 .required("stages", &M::stages, List{stages()}, "that it has entry points for")
                                 .required("words", &M::words, Integer{}, "its size")
                                 .required("sha256", &M::sha256, Text{}, "of its bytes");
  return record;
}

// A list of names for one stage.
struct StageNames {
  Stage stage;
  using Lists = std::array<std::optional<std::vector<std::string>>, kStageCount>;
  bool read(Decoder& decoder, json::Value value, Lists& to) const {
    return List{Text{}}.read(decoder, value, to[static_cast<std::size_t>(stage)].emplace());
  }
  void schema(Schema& schema) const { List{Text{}}.schema(schema); }
};

const Record<Metadata::ConsultedNames>& consulted_record() {
  using M = Metadata::ConsultedNames;
  static const auto record =
      Record<M>("consulted", "the options that decided each output")
          .required("interface", &M::interface_options, List{Text{}}, "the interface: global options alone")
          .required("settings", &M::settings, List{Text{}}, "settings and color outputs")
          .optional("vertex", &M::stages, StageNames{Stage::Vertex}, "the code of the vertex stage")
          .optional("fragment", &M::stages, StageNames{Stage::Fragment}, "the code of the fragment stage")
          .optional("compute", &M::stages, StageNames{Stage::Compute}, "the code of the compute stage");
  return record;
}

const Record<Metadata::Hashes>& hashes_record() {
  using M = Metadata::Hashes;
  static const auto record = Record<M>("hashes", "SHA-256 of compact JSON")
                                 .required("interface", &M::interface_hash, Text{}, "of the key `interface`")
                                 .required("pipeline", &M::pipeline, Text{}, "of all that decides the pipeline object");
  return record;
}

const Record<Metadata>& metadata_record() {
  using M = Metadata;
  static const auto record =
      Record<M>("metadata", "all that creating a pipeline takes")
          .required("format", &M::pipeline_type, Derived{R"({"const": "slipway-rpl-metadata"})"}, "what this file is")
          .required("version", &M::pipeline_type, Derived{R"({"const": 1})"}, "of the format")
          .required("pipeline_type", &M::pipeline_type, names({PipelineKind::Graphics, PipelineKind::Compute}),
                    "the kind of pipeline")
          .required("modules", &M::modules, List{Nested(module_record())}, "what it was compiled from")
          .required("options", &M::options, List{Nested(option_record())}, "in the order of the program")
          .required("entry_points", &M::entry_points, List{Nested(entry_point_record())}, "none: metadata alone")
          .required("interface", &M::interface, Nested(interface_record()), "what instance options cannot change")
          .required("settings", &M::settings, SettingsObject{}, "fixed-function state, or the workgroup's size")
          .required("color_outputs", &M::color_outputs, List{Nested(color_output_record())}, "by location")
          .required("color_blend_constants", &M::color_blend_constants, List{Number{}, 4, 4}, "red, green, blue, alpha")
          .required("state", &M::state, List{Nested(state_record())}, "by location; for information")
          .required("dynamic_states", &M::dynamic_states, List{Text{}}, "what drawing sets")
          .required("requirements", &M::requirements, Nested(requirements_record()), "what a device must have")
          .required("code", &M::code, List{Nested(code_record())}, "the modules")
          .required("consulted", &M::consulted, Nested(consulted_record()), "the options that decided each output")
          .required("hashes", &M::hashes, Nested(hashes_record()), "equal hashes, equal things");
  return record;
}

bool check_version(json::Value root, Diagnostics& diagnostics) {
  const json::Value format = root["format"], version = root["version"];
  if (format.is(json::Type::String) && format.string() != kMetadataFormat) {
    diagnostics.add(json::problem(format, DiagnosticKind::FileFormat,
                                  formatted("this is `{}`, not `{}`", format.string(), kMetadataFormat)));
    return false;
  }
  if (version.is(json::Type::Number) && version.unsigned_integer() != kMetadataVersion) {
    diagnostics.add(json::problem(version, DiagnosticKind::OutOfRange,
                                  formatted("version {} of the format is unknown; this program reads version {}",
                                            version.number_text(), kMetadataVersion)));
    return false;
  }
  return true;
}

}  // namespace

std::optional<Metadata> read_metadata(const SourcePtr& source, Diagnostics& diagnostics) {
  const auto document = diagnostics.take(json::parse(source));
  if (!document || !check_version((*document)->root(), diagnostics)) return std::nullopt;
  Decoder decoder(diagnostics, Severity::Warning);
  return decoder.read(metadata_record(), (*document)->root());
}

std::string metadata_schema_text() {
  json::Writer out;
  Schema schema(out);
  out.object([&] {
    out.member("$schema", "https://json-schema.org/draft/2020-12/schema");
    out.member("title", "Metadata of a render pipeline");
    out.key("allOf").array([&] { Nested(metadata_record()).schema(schema); });
    schema.write_definitions();
  });
  return out.text();
}

}  // namespace slipway::rpl
