// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl_c/structs.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <optional>
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

rpl_item_format make_format(std::optional<rpl::ItemFormat> format) {
  return format ? static_cast<rpl_item_format>(static_cast<int>(*format) + 1) : RPL_ITEM_FORMAT_NONE;
}

// As rpl::format_value.
std::string value_text(const rpl::MetadataValue& value) {
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

// Each setting is a word of its structure, in their order; formats and other words have the values of Vulkan.
static_assert(sizeof(rpl_settings) == 4 * (rpl::kSettingCount - rpl::kOutputSettingCount));
static_assert(sizeof(rpl_color_output) >= offsetof(rpl_color_output, use_blend) + 4 * rpl::kOutputSettingCount);

template <class Values>
void copy_setting(const Values& from, const rpl::SettingInfo& info, char* to) {
  const std::uint32_t word = info.type == rpl::SettingType::Word ? from.vulkan(info.id) : from[info.id];
  std::memcpy(to, &word, sizeof word);
}

void convert_settings(const rpl::Metadata& from, rpl_settings& to) {
  const bool is_compute = from.pipeline_type == rpl::PipelineKind::Compute;
  auto* next = reinterpret_cast<char*>(&to);
  for (const rpl::SettingInfo& info : rpl::setting_table()) {
    if (info.scope == rpl::SettingScope::ColorOutput) continue;
    if ((info.scope == rpl::SettingScope::Compute) == is_compute) copy_setting(from.settings, info, next);
    next += sizeof(std::uint32_t);
  }
}

void convert_settings(const rpl::MetadataColorOutput& from, std::uint32_t& first) {
  auto* next = reinterpret_cast<char*>(&first);
  for (const rpl::SettingInfo& info : rpl::setting_table()) {
    if (info.scope != rpl::SettingScope::ColorOutput) continue;
    copy_setting(from.settings, info, next);
    next += sizeof(std::uint32_t);
  }
}

#define STRUCT(name, Name, title, meaning) \
  void convert([[maybe_unused]] Arena& arena, const rpl::Metadata##Name& from, rpl_##name& to) {
#define END(name) }
#define TEXT(of, name, meaning) to.name = arena.text(from.name);
#define U32(of, name, meaning) to.name = from.name;
#define COUNT(of, name, min, max, meaning) to.name = from.name;
#define F32S(of, name, count, meaning) std::ranges::copy(from.name, to.name);
#define TEXTS(of, name, meaning) to.name = arena.texts(from.name);
#define NUMBERS(of, name, meaning) to.name = arena.list<rpl_numbers>(from.name, std::identity());
#define ENUMERANT(of, type, Type, name, meaning) to.name = static_cast<rpl_##type>(from.name);
#define NESTED(of, type, Type, name, meaning) convert(arena, from.name, to.name);
#define NESTEDS(of, type, Type, name, count, meaning) \
  for (std::size_t i = 0; i < (count); ++i) convert(arena, from.name[i], to.name[i]);
#define LIST(of, type, Type, name, meaning)                                             \
  to.name = arena.list<rpl_##type##s>(from.name, [&](const rpl::Metadata##Type& each) { \
    rpl_##type made{};                                                                  \
    convert(arena, each, made);                                                         \
    return made;                                                                        \
  });
#define OPTIONAL_TEXT(of, name, meaning) to.name = arena.text(from.name.value_or(""));
#define OPTIONAL_TEXTS(of, name, meaning) \
  if (from.name) to.name = arena.texts(*from.name);
#define OPTIONAL_NESTED(of, type, Type, name, meaning) \
  convert(arena, from.name.value_or(rpl::Metadata##Type()), to.name);
#define TYPE(of, name, meaning) to.name = make_type(from.name);
#define IMAGE_TYPE(of, name, meaning) to.name = arena.text(rpl::image_type_name(from.name));
#define ITEM_FORMAT(of, name, meaning) to.name = make_format(from.name);
#define OPTIONAL_ITEM_FORMAT(of, name, meaning) to.name = make_format(from.name);
#define OPTION_VALUE(of, name, meaning) to.name = arena.text(value_text(from.name));
#define STAGES(of, name, meaning) \
  to.name = arena.list<rpl_numbers>(from.name, [](rpl::Stage stage) { return static_cast<std::uint32_t>(stage); });
#define SETTINGS(of, name, meaning) convert_settings(from, to.name);
#define OUTPUT_SETTINGS(of, name) convert_settings(from, to.use_blend);
#define STRUCTS_OF_BOTH
#include "rpl_runtime/structs.def"
#undef STRUCTS_OF_BOTH

}  // namespace

void make_pipeline(Arena& arena, const rpl::Metadata& metadata, const WordsOf& words_of, rpl_pipeline& made) {
  convert(arena, metadata, made.metadata);
  std::size_t index = 0;
  made.modules = arena.list<rpl_modules>(metadata.code, [&](const rpl::MetadataCode& code) {
    rpl_module module{};
    // The entry points of the stages, in their order.
    std::vector<rpl::MetadataEntryPoint> entries;
    for (const rpl::Stage stage : code.stages) {
      const auto found = std::ranges::find(metadata.entry_points, stage, &rpl::MetadataEntryPoint::stage);
      if (found != metadata.entry_points.end()) entries.push_back(*found);
    }
    module.entry_points = arena.list<rpl_entry_points>(entries, [&](const rpl::MetadataEntryPoint& each) {
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
    made.option_class = static_cast<rpl_option_class>(option.option_class);
    made.type = static_cast<rpl_option_type>(option.type);
    made.values = arena.list<rpl_texts>(std::span(program.lists).subspan(option.values.first, option.values.count),
                                        [&](rpl::NameId value) { return arena.text(program.text(value)); });
    made.value = made.default_value = arena.text(rpl::format_value(program, option.initial));
    return made;
  });
}

}  // namespace slipway::rpl_c
