// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The keys of the JSON of metadata, with where in the structures of slipway/rpl_structs.h their values go.
#pragma once

#include "rpl_runtime/fields.hpp"

namespace slipway::rpl_runtime {

enum class Codec : std::uint8_t {
  Text,
  OptionalText,  // or null
  Number,        // from `min` to `max`
  Flag,
  Float,
  Floats,  // `count`
  Texts,
  Numbers,
  Type,    // "f4"
  Format,  // one of item_format but NONE
  OptionalFormat,
  Enumerant,
  Nested,
  OptionalNested,
  List,
  OptionValue,
  Stages,
  Word,      // of a list of setting_words.def
  Constant,  // the text `key_text`
  // Not a key: about the next one.
  KeyOfNext,
  NextIsOptional,
};

enum class Presence : std::uint8_t { Required, Optional, OfGraphics, OfCompute };

enum class Enumeration : std::uint8_t {
#define STRUCTS_OF_C
#define ENUM(name, Name, count) name,
#include "rpl_runtime/structs.def"
};
struct EnumerantName {
  Enumeration of;
  const char* name;  // in capital letters
};
constexpr EnumerantName kEnumerantNames[] = {
#define VALUE(of, name) {Enumeration::of, #name},
#include "rpl_runtime/structs.def"
};

enum class SettingList : std::uint8_t {
  None,
#define SETTING_LIST(list) list,
#include "rpl_runtime/setting_words.def"
};
struct SettingWordValue {
  SettingList list;
  const char* name;
  std::uint32_t value;
};
constexpr SettingWordValue kSettingWords[] = {
#define SETTING_WORD(list, name, value) {SettingList::list, #name, value},
#include "rpl_runtime/setting_words.def"
};

struct JsonField {
  StructId of{};
  Codec codec{};
  Presence presence{};
  StructId nested{};
  Enumeration enumeration{};
  SettingList words{};
  std::uint16_t offset = 0, count = 1;
  std::uint32_t min = 0, max = 0xFFFFFFFF;
  const char* key = nullptr;
  const char* text = nullptr;  // of a constant
};

constexpr std::uint32_t kMaxCount = 0xFFFFFFFF;

// By the words of settings.def.
namespace setting_codec {
constexpr Codec Flag = Codec::Flag, Uint = Codec::Number, Float = Codec::Float, Word = Codec::Word;
}
namespace setting_presence {
constexpr Presence Graphics = Presence::OfGraphics, Compute = Presence::OfCompute, ColorOutput = Presence::Required;
}

// Each row of the table; those that are about the next key are merged below.
constexpr JsonField kJsonRows[] = {
#define FIELD(its, name, kind, ...) \
  {.of = StructId::its, .codec = Codec::kind, __VA_ARGS__.offset = offsetof(rpl_##its, name), .key = #name},
#define TEXT(of, name, meaning) FIELD(of, name, Text, )
#define OPTIONAL_TEXT(of, name, meaning) FIELD(of, name, OptionalText, )
#define IMAGE_TYPE(of, name, meaning) FIELD(of, name, Text, )
#define U32(of, name, meaning) FIELD(of, name, Number, )
#define COUNT(its, name, from, to, meaning) \
  {.of = StructId::its,                     \
   .codec = Codec::Number,                  \
   .offset = offsetof(rpl_##its, name),     \
   .min = from,                             \
   .max = to,                               \
   .key = #name},
#define F32S(its, name, items, meaning) \
  {.of = StructId::its, .codec = Codec::Floats, .offset = offsetof(rpl_##its, name), .count = items, .key = #name},
#define TEXTS(of, name, meaning) FIELD(of, name, Texts, )
#define OPTIONAL_TEXTS(of, name, meaning) FIELD(of, name, Texts, .presence = Presence::Optional, )
#define NUMBERS(of, name, meaning) FIELD(of, name, Numbers, )
#define STAGES(of, name, meaning) FIELD(of, name, Stages, )
#define TYPE(of, name, meaning) FIELD(of, name, Type, )
#define ITEM_FORMAT(of, name, meaning) FIELD(of, name, Format, .enumeration = Enumeration::item_format, )
#define OPTIONAL_ITEM_FORMAT(of, name, meaning) \
  FIELD(of, name, OptionalFormat, .enumeration = Enumeration::item_format, )
#define ENUMERANT(of, type, Type, name, meaning) FIELD(of, name, Enumerant, .enumeration = Enumeration::type, )
#define NESTED(of, type, Type, name, meaning) FIELD(of, name, Nested, .nested = StructId::type, )
#define SETTINGS(of, name, meaning) FIELD(of, name, Nested, .nested = StructId::settings, )
#define OPTIONAL_NESTED(of, type, Type, name, meaning) FIELD(of, name, OptionalNested, .nested = StructId::type, )
#define LIST(of, type, Type, name, meaning) FIELD(of, name, List, .nested = StructId::type, )
#define ITEM(its, type, Type, name, index, key_text, meaning) \
  {.of = StructId::its,                                       \
   .codec = Codec::Nested,                                    \
   .nested = StructId::type,                                  \
   .offset = offsetof(rpl_##its, name[index]),                \
   .key = #key_text},
#define OPTION_VALUE(of, name, meaning) FIELD(of, name, OptionValue, )
#define CONSTANT(its, name, value, meaning) \
  {.of = StructId::its, .codec = Codec::Constant, .key = #name, .text = value},
#define SETTING_MEMBER(its, name, type, scope, list) \
  {.of = StructId::its,                              \
   .codec = setting_codec::type,                     \
   .presence = setting_presence::scope,              \
   .words = SettingList::list,                       \
   .offset = offsetof(rpl_##its, name),              \
   .key = #name},
#define KEY(its, name) {.of = StructId::its, .codec = Codec::KeyOfNext, .key = name},
#define WRITTEN_IF(its, ...) {.of = StructId::its, .codec = Codec::NextIsOptional},
#include "rpl_runtime/structs.def"
#undef FIELD
};
#undef STRUCTS_OF_C

struct JsonRange {
  const JsonField* first = nullptr;
  const JsonField* last = nullptr;
};

struct JsonFields {
  JsonField all[sizeof kJsonRows / sizeof *kJsonRows];
  std::uint8_t first[static_cast<std::size_t>(StructId::Count)] = {};
  std::uint8_t count[static_cast<std::size_t>(StructId::Count)] = {};
  constexpr JsonFields() {
    JsonField next;  // what is known of it
    std::uint8_t size = 0;
    for (const JsonField& row : kJsonRows) {
      if (row.codec == Codec::KeyOfNext) {
        next.key = row.key;
      } else if (row.codec == Codec::NextIsOptional) {
        next.presence = Presence::Optional;
      } else {
        const auto id = static_cast<std::size_t>(row.of);
        if (count[id]++ == 0) first[id] = size;
        all[size] = row;
        if (next.key) all[size].key = next.key;
        if (next.presence == Presence::Optional) all[size].presence = Presence::Optional;
        next = {};
        ++size;
      }
    }
  }
};
constexpr JsonFields kJsonFields;

// The reader has a bit for each field of a structure, and memory for an item of a list and for a known word.
constexpr std::size_t kMaxItemSize = 256, kMaxKnown = 48;
constexpr bool is_short(const char* word) {
  std::size_t size = 0;
  while (word && word[size] != 0) ++size;
  return size <= kMaxKnown;
}
constexpr bool fits_reader() {
  for (const JsonField& field : kJsonFields.all) {
    if (field.codec == Codec::List && size_of(field.nested) > kMaxItemSize) return false;
    if (!is_short(field.key) || !is_short(field.text)) return false;
  }
  for (const EnumerantName& each : kEnumerantNames) {
    if (!is_short(each.name)) return false;
  }
  for (const SettingWordValue& each : kSettingWords) {
    if (!is_short(each.name)) return false;
  }
  for (const std::uint8_t count : kJsonFields.count) {
    if (count > 64) return false;
  }
  return sizeof kJsonRows / sizeof *kJsonRows < 256;
}
static_assert(fits_reader());

constexpr JsonRange json_fields_of(StructId id) {
  const JsonField* const begin = kJsonFields.all + kJsonFields.first[static_cast<std::size_t>(id)];
  return {begin, begin + kJsonFields.count[static_cast<std::size_t>(id)]};
}

}  // namespace slipway::rpl_runtime
