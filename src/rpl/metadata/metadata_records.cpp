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
Names<T> names(std::uint32_t first, std::uint32_t end, F&& name) {
  Names<T> table;
  for (std::uint32_t i = first; i < end; ++i) {
    table.values.push_back(static_cast<T>(i));
    table.words.push_back(name(table.values.back()));
  }
  return table;
}

// The values of an enumeration of the table.
template <class T>
Names<T> enumerants();
#define ENUM(name, Name, count)                                              \
  template <>                                                                \
  Names<Name> enumerants<Name>() {                                           \
    return names<Name>(0, count, [](Name value) { return name_of(value); }); \
  }
#define OPTIONAL_ENUM(name, Name, count) ENUM(name, Name, (count) - 1)
#include "rpl_runtime/structs.def"

Names<TypeId> value_types() { return names<TypeId>(kF1, kFirstImage, builtin_type_name); }
Names<TypeId> image_types() { return names<TypeId>(kFirstImage, kSampler, image_type_name); }

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
bool read_option_value(json::Decoder& decoder, json::Value value, const MetadataOption& option, MetadataValue& to) {
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

Derived<MetadataValue> option_value() {
  return {R"({"type": ["boolean", "number", "string"]})", [](json::Writer& out, const MetadataValue& from) {
            std::visit([&](const auto& value) { out.value(value); }, from);
          }};
}

Derived<TypeId> class_of_type() {
  return {R"({"enum": ["vector_1", "vector_2", "vector_3", "vector_4", "matrix_3x3", "matrix_4x4"]})",
          [](json::Writer& out, const TypeId& type) { out.value(attribute_class(type)); }};
}

// One of the sets of an interface.
struct OneSet {
  std::size_t index;
  using Sets = std::array<MetadataSet, 4>;
  bool read(json::Decoder& decoder, json::Value value, Sets& to) const;
  void write(json::Writer& out, const Sets& from) const;
  void schema(json::Schema& schema) const;
};

// --- rules -----------------------------------------------------------------------------------------------------------

bool read_values(json::Decoder& decoder, json::Value object, MetadataOption& option) {
  const bool value = read_option_value(decoder, object["value"], option, option.value);
  return read_option_value(decoder, object["default"], option, option.default_value) && value;
}

bool note_parts(json::Decoder&, json::Value object, MetadataInterface& interface) {
  interface.has_attributes = static_cast<bool>(object["attribute_sources"]);
  interface.has_sets = static_cast<bool>(object["set_pass"]);
  return true;
}

// --- records ---------------------------------------------------------------------------------------------------------

// Adds the members of a structure to its record.
template <class T>
struct Builder {
  json::Record<T> record;
  bool (*condition)(const T&) = nullptr;  // of the next member
  std::string_view key;                   // of the next member

  template <class... Field>
  void add(std::string_view name, const Field&... field) {
    const std::string_view its = key.empty() ? name : key;
    if (condition) {
      std::move(record).optional(its, field...).written_if(condition);
    } else {
      std::move(record).required(its, field...);
    }
    condition = nullptr;
    key = {};
  }
};

// `format` and what the other settings of a color output are.
void add_output_settings(Builder<MetadataColorOutput>& made) {
  using M = MetadataColorOutput;
  constexpr std::size_t kPrefix = std::string_view("color_output_").size();
  constexpr Derived<OutputSettings> vk_format{
      R"({"type": "integer"})",
      [](json::Writer& out, const OutputSettings& from) { out.value(from.vulkan(Setting::color_output_format)); }};
  made.add("format", &M::settings, OutputSetting{Setting::color_output_format}, "of the attachment");
  made.add("vk_format", &M::settings, vk_format, "the VkFormat of it");
  for (const SettingInfo& info : settings_of(SettingScope::ColorOutput)) {
    if (info.id == Setting::color_output_format) continue;
    made.add(info.name.substr(kPrefix), &M::settings, OutputSetting{info.id}, "the setting of this output");
  }
}

constexpr std::uint64_t kMaxCount = std::numeric_limits<std::uint64_t>::max();

template <class T>
const json::Record<T>& record_of();

#define STRUCT(name, Name, title, meaning)          \
  template <>                                       \
  const json::Record<Metadata##Name>& record_of() { \
    using M = Metadata##Name;                       \
    static const json::Record<M> record = [] {           \
      Builder<M> made{json::Record<M>(title, meaning)};
#define END(name)                \
  return std::move(made.record); \
  }                              \
  ();                            \
  return record;                 \
  }
#define MEMBER(name, meaning, ...) made.add(#name, &M::name, __VA_ARGS__, meaning);
#define TEXT(of, name, meaning) MEMBER(name, meaning, json::Text{})
#define U32(of, name, meaning) MEMBER(name, meaning, json::Integer{})
#define COUNT(of, name, from, to, meaning) MEMBER(name, meaning, json::Integer{.min = from, .max = to})
#define F32S(of, name, count, meaning) MEMBER(name, meaning, json::List{Number{}, count, count})
#define TEXTS(of, name, meaning) MEMBER(name, meaning, json::List{json::Text{}})
#define NUMBERS(of, name, meaning) MEMBER(name, meaning, json::List{json::Integer{.min = 1}})
#define ENUMERANT(of, type, Type, name, meaning) MEMBER(name, meaning, enumerants<Type>())
#define NESTED(of, type, Type, name, meaning) MEMBER(name, meaning, json::Nested(record_of<Metadata##Type>()))
#define ITEM(of, type, Type, name, index, key, meaning) made.add(#key, &M::name, OneSet{index}, meaning);
#define LIST(of, type, Type, name, meaning) MEMBER(name, meaning, json::List{json::Nested(record_of<Metadata##Type>())})
#define OPTIONAL_TEXT(of, name, meaning) MEMBER(name, meaning, json::OrNull{json::Text{}})
#define OPTIONAL_TEXTS(of, name, meaning)                               \
  made.condition = [](const M& from) { return from.name.has_value(); }; \
  MEMBER(name, meaning, json::List{json::Text{}})
#define OPTIONAL_NESTED(of, type, Type, name, meaning) \
  MEMBER(name, meaning, json::OrNull{json::Nested(record_of<Metadata##Type>())})
#define TYPE(of, name, meaning) MEMBER(name, meaning, value_types())
#define IMAGE_TYPE(of, name, meaning) MEMBER(name, meaning, image_types())
#define ITEM_FORMAT(of, name, meaning) MEMBER(name, meaning, enumerants<ItemFormat>())
#define OPTIONAL_ITEM_FORMAT(of, name, meaning) MEMBER(name, meaning, json::OrNull{enumerants<ItemFormat>()})
#define OPTION_VALUE(of, name, meaning) MEMBER(name, meaning, option_value())
#define STAGES(of, name, meaning) MEMBER(name, meaning, json::List{enumerants<Stage>()})
#define SETTINGS(of, name, meaning) made.add(#name, SettingsObject{}, meaning);
#define OUTPUT_SETTINGS(of, name) add_output_settings(made);
#define CLASS(of, name, type, meaning) made.add(#name, &M::type, class_of_type(), meaning);
#define CONSTANT(of, name, value, meaning) made.add(#name, json::Constant{value}, meaning);
#define KEY(of, name) made.key = name;
#define WRITTEN_IF(of, ...) made.condition = [](const M& from) { return __VA_ARGS__; };
#define RULE(of, function) std::move(made.record).rule(function);
#include "rpl_runtime/structs.def"
#undef MEMBER

bool OneSet::read(json::Decoder& decoder, json::Value value, Sets& to) const {
  return record_of<MetadataSet>().read(decoder, value, to[index]);
}
void OneSet::write(json::Writer& out, const Sets& from) const { record_of<MetadataSet>().write(out, from[index]); }
void OneSet::schema(json::Schema& schema) const { json::Nested(record_of<MetadataSet>()).schema(schema); }

}  // namespace

const json::Record<Metadata>& metadata_record() { return record_of<Metadata>(); }
const json::Record<MetadataInterface>& interface_record() { return record_of<MetadataInterface>(); }
const json::Record<MetadataOption>& option_record() { return record_of<MetadataOption>(); }

}  // namespace slipway::rpl
