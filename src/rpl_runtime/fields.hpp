// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The members of the structures of slipway/rpl_structs.h as a table, for code that walks them: a pack is written and
// read by it.
//
//   for (const StructField& field : fields_of(StructId::buffer)) ...
//
// This module needs neither exceptions, nor type information, nor the C++ library: it is linked into C programs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "slipway/rpl_structs.h"

namespace slipway::rpl_runtime {

#define STRUCTS_OF_C
enum class StructId : std::uint8_t {
#define STRUCT(name, Name, title, meaning) name,
#include "rpl_runtime/structs.def"
  Count,
};

// How a member lies in a pack (pack_format.hpp).
enum class FieldKind : std::uint8_t {
  Number,  // `count` words, each below `limit` if that is not 0
  Text,
  Words,
  Texts,
  Numbers,
  Nested,  // `count` structures
  List,    // of structures
};

struct StructField {
  StructId of;
  FieldKind kind;
  StructId nested;  // of Nested and List
  std::uint16_t offset;
  std::uint16_t count;
  std::uint32_t limit;
};

// The number of values of each enumeration.
enum EnumSize : std::uint32_t {
#define ENUM(name, Name, count) size_of_##name = (count),
#include "rpl_runtime/structs.def"
};

// In the order of the structures and their members.
constexpr StructField kFields[] = {
#define FIELD(of, name, kind, nested, count, limit) \
  {StructId::of, FieldKind::kind, StructId::nested, offsetof(rpl_##of, name), count, limit},
#define TEXT(of, name, meaning) FIELD(of, name, Text, of, 1, 0)
#define U32(of, name, meaning) FIELD(of, name, Number, of, 1, 0)
#define F32S(of, name, count, meaning) FIELD(of, name, Number, of, count, 0)
#define WORDS(of, name, meaning) FIELD(of, name, Words, of, 1, 0)
#define TEXTS(of, name, meaning) FIELD(of, name, Texts, of, 1, 0)
#define NUMBERS(of, name, meaning) FIELD(of, name, Numbers, of, 1, 0)
#define ENUMERANT(of, type, Type, name, meaning) FIELD(of, name, Number, of, 1, size_of_##type)
#define NESTED(of, type, Type, name, meaning) FIELD(of, name, Nested, type, 1, 0)
#define NESTEDS(of, type, Type, name, count, meaning) FIELD(of, name, Nested, type, count, 0)
#define LIST(of, type, Type, name, meaning) FIELD(of, name, List, type, 1, 0)
#define SETTING_MEMBER(of, name, type, scope, words) FIELD(of, name, Number, of, 1, SETTING_LIMIT_##type)
#define SETTING_LIMIT_Flag 2
#define SETTING_LIMIT_Uint 0
#define SETTING_LIMIT_Float 0
#define SETTING_LIMIT_Word 0
#include "rpl_runtime/structs.def"
#undef FIELD
#undef SETTING_LIMIT_Flag
#undef SETTING_LIMIT_Uint
#undef SETTING_LIMIT_Float
#undef SETTING_LIMIT_Word
};

constexpr std::uint32_t kStructSizes[] = {
#define STRUCT(name, Name, title, meaning) sizeof(rpl_##name),
#include "rpl_runtime/structs.def"
};
#undef STRUCTS_OF_C

struct FieldRange {
  const StructField* first;
  const StructField* last;
  constexpr const StructField* begin() const { return first; }
  constexpr const StructField* end() const { return last; }
};

struct FieldRanges {
  FieldRange of[static_cast<std::size_t>(StructId::Count)] = {};
  constexpr FieldRanges() {
    for (const StructField& field : kFields) {
      FieldRange& range = of[static_cast<std::size_t>(field.of)];
      if (!range.first) range.first = &field;
      range.last = &field + 1;
    }
  }
};
constexpr FieldRanges kFieldRanges;

constexpr FieldRange fields_of(StructId id) { return kFieldRanges.of[static_cast<std::size_t>(id)]; }
constexpr std::uint32_t size_of(StructId id) { return kStructSizes[static_cast<std::size_t>(id)]; }

// A member, of which the address may not be that of its type.
template <class T>
T read_as(const char* from) {
  T value;
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}

// Changes when a structure changes its form: packs of another one are refused.
constexpr std::uint32_t form_of_structs() {
  std::uint32_t hash = 2166136261U;
  const auto mix = [&](std::uint32_t value) { hash = (hash ^ value) * 16777619U; };
  for (const StructField& field : kFields) {
    mix(static_cast<std::uint32_t>(field.of));
    mix(static_cast<std::uint32_t>(field.kind));
    mix(static_cast<std::uint32_t>(field.nested));
    mix(field.count);
    mix(field.limit);
  }
  return hash;
}

}  // namespace slipway::rpl_runtime
