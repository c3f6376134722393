// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl_c/metadata_of.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "rpl_runtime/numbers.hpp"

namespace slipway::rpl_c {
namespace {

rpl::TypeId type_of(const rpl_type& from) {
  for (rpl::TypeId type = rpl::kF1; type < rpl::kFirstImage; ++type) {
    const rpl_item item = rpl::is_unsigned(type) ? RPL_ITEM_UINT
                          : rpl::is_signed(type) ? RPL_ITEM_SINT
                                                 : RPL_ITEM_FLOAT;
    const std::uint32_t rows = rpl::item_count(type);
    if (item == from.item && rows == from.rows && (rpl::is_matrix(type) ? rows : 1) == from.columns) return type;
  }
  return rpl::kF1;
}

rpl::TypeId image_type_of(std::string_view name) {
  rpl::TypeId type = rpl::kFirstImage;
  while (type + 1 < rpl::kSampler && rpl::image_type_name(type) != name) ++type;
  return type;
}

std::optional<rpl::ItemFormat> format_of(rpl_item_format from) {
  if (from == RPL_ITEM_FORMAT_NONE) return std::nullopt;
  return static_cast<rpl::ItemFormat>(static_cast<int>(from) - 1);
}

rpl::MetadataValue value_of(rpl::OptionType type, const rpl_text& from) {
  std::uint32_t bits = 0;
  switch (type) {
    case rpl::OptionType::Flag:
      return from == "true";
    case rpl::OptionType::Uint:
      rpl_runtime::read_integer(from.data, false, bits);
      return bits;
    case rpl::OptionType::Sint:
      rpl_runtime::read_integer(from.data, true, bits);
      return static_cast<std::int32_t>(bits);
    case rpl::OptionType::Float:
      rpl_runtime::read_float(from.data, bits);
      return std::bit_cast<float>(bits);
    case rpl::OptionType::Enum:
      break;
  }
  return std::string(std::string_view(from));
}

std::vector<std::string> texts_of(const rpl_texts& from) {
  std::vector<std::string> made;
  for (const std::string_view text : from) made.emplace_back(text);
  return made;
}

// The settings of a scope from consecutive words.
template <class Values>
void restore_settings(const char* from, rpl::SettingScope scope, Values& to) {
  for (const rpl::SettingInfo& info : rpl::setting_table()) {
    // Those of color outputs have a structure of their own.
    const bool is_here = (info.scope == rpl::SettingScope::ColorOutput) == (scope == rpl::SettingScope::ColorOutput);
    if (!is_here) continue;
    std::uint32_t word = 0;
    std::memcpy(&word, from, sizeof word);
    from += sizeof word;
    if (info.scope != scope) continue;
    if (info.type == rpl::SettingType::Word) {
      const auto words = rpl::words_of(info.words);
      const auto found = std::ranges::find(words, word, &rpl::SettingWord::vulkan);
      word = found == words.end() ? 0 : static_cast<std::uint32_t>(found - words.begin());
    }
    to[info.id] = word;
  }
}

#define STRUCT(name, Name, title, meaning) void restore(const rpl_##name& from, rpl::Metadata##Name& to) {
#define END(name) }
#define TEXT(of, name, meaning) to.name = std::string_view(from.name);
#define U32(of, name, meaning) to.name = from.name;
#define COUNT(of, name, min, max, meaning) to.name = from.name;
#define F32S(of, name, count, meaning) std::ranges::copy(from.name, to.name.begin());
#define TEXTS(of, name, meaning) to.name = texts_of(from.name);
#define NUMBERS(of, name, meaning) to.name.assign(from.name.begin(), from.name.end());
#define ENUMERANT(of, type, Type, name, meaning) to.name = static_cast<rpl::Type>(from.name);
#define NESTED(of, type, Type, name, meaning) restore(from.name, to.name);
#define NESTEDS(of, type, Type, name, count, meaning) \
  for (std::size_t i = 0; i < (count); ++i) restore(from.name[i], to.name[i]);
#define LIST(of, type, Type, name, meaning) \
  for (const rpl_##type& each : from.name) restore(each, to.name.emplace_back());
#define OPTIONAL_TEXT(of, name, meaning) \
  if (from.name.size != 0) to.name = std::string_view(from.name);
#define OPTIONAL_TEXTS(of, name, meaning) \
  if (!from.name.empty()) to.name = texts_of(from.name);
#define OPTIONAL_NESTED(of, type, Type, member, meaning) \
  if (from.member.name.size != 0) restore(from.member, to.member.emplace());
#define TYPE(of, name, meaning) to.name = type_of(from.name);
#define IMAGE_TYPE(of, name, meaning) to.name = image_type_of(from.name);
#define ITEM_FORMAT(of, name, meaning) to.name = format_of(from.name).value_or(rpl::ItemFormat::Float32);
#define OPTIONAL_ITEM_FORMAT(of, name, meaning) to.name = format_of(from.name);
#define OPTION_VALUE(of, name, meaning) to.name = value_of(to.type, from.name);
#define STAGES(of, name, meaning) \
  for (const std::uint32_t stage : from.name) to.name.push_back(static_cast<rpl::Stage>(stage));
#define SETTINGS(of, name, meaning)                                                                              \
  restore_settings(                                                                                              \
      reinterpret_cast<const char*>(&from.name),                                                                 \
      to.pipeline_type == rpl::PipelineKind::Compute ? rpl::SettingScope::Compute : rpl::SettingScope::Graphics, \
      to.name);
#define OUTPUT_SETTINGS(of, name) \
  restore_settings(reinterpret_cast<const char*>(&from.use_blend), rpl::SettingScope::ColorOutput, to.name);
#define STRUCTS_OF_BOTH
#include "rpl_runtime/structs.def"
#undef STRUCTS_OF_BOTH

}  // namespace

rpl::Metadata metadata_of(const rpl_metadata& from) {
  rpl::Metadata made;
  restore(from, made);
  // A stage that no option decides has a list, too.
  rpl::MetadataConsulted& consulted = made.consulted;
  for (const rpl::MetadataEntryPoint& entry : made.entry_points) {
    auto& names = entry.stage == rpl::Stage::Vertex     ? consulted.vertex
                  : entry.stage == rpl::Stage::Fragment ? consulted.fragment
                                                        : consulted.compute;
    if (!names) names.emplace();
  }
  return made;
}

rpl::MetadataOption metadata_of(const rpl_option& from) {
  rpl::MetadataOption made;
  restore(from, made);
  return made;
}

}  // namespace slipway::rpl_c
