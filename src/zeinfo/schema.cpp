// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tables of schema.hpp, made from schema.def.

#include "zeinfo/schema.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

namespace slipway::zeinfo {
namespace {

// The values of the table's columns.
constexpr int p = kPreLevel;
constexpr int on = kOn;
constexpr int never = 0;
constexpr int runtime_only = kRuntimeOnly;
constexpr Loss i = Loss::Information;
constexpr Loss h = Loss::Hint;
constexpr Loss d = Loss::Dispatch;
struct Need {
  bool required = false;
  int from = 0;
  int to = -1;
};
constexpr Need R{true};
constexpr Need O{};
constexpr Need W(int from, int to) { return {false, from, to}; }  // NOLINT(readability-identifier-naming)

// Indices in all_enums() and all_mappings().
enum EnumNumber : std::uint8_t {
#define ENUM(name, doc) name##Number,
#define VALUE(name, value, since, until, first, last, doc)
#define END_ENUM(name)
#define MAPPING(name, doc)
#define FIELD(key, type, of, need, default_, since, until, loss, first, last, doc)
#define END_MAPPING(name)
#include "zeinfo/schema.def"
};
enum MappingNumber : std::uint8_t {
#define MAPPING(name, doc) name##MappingNumber,
#define FIELD(key, type, of, need, default_, since, until, loss, first, last, doc)
#define END_MAPPING(name)
#include "zeinfo/schema.def"
};

// --- enums ---

#define ENUM(name, doc) constexpr ValueInfo k##name##Values[] = {
#define VALUE(name, value, since, until, first, last, doc) \
  {#value, static_cast<std::uint8_t>(name::value), {since, until, first, last}, doc},
#define END_ENUM(name) \
  }                    \
  ;
#include "zeinfo/schema.def"

#define ENUM(name, doc) constexpr EnumInfo k##name##Enum{#name, k##name##Values, doc, name##Number};
#define VALUE(name, value, since, until, first, last, doc)
#define END_ENUM(name)
#include "zeinfo/schema.def"

// --- mappings ---

template <class T>
const void* blank_of() {
  static constexpr T kBlank{};
  return &kBlank;
}

template <class E>
constexpr const EnumInfo* kEnumOf = nullptr;
#define ENUM(name, doc) \
  template <>           \
  constexpr const EnumInfo* kEnumOf<name> = &k##name##Enum;
#define VALUE(name, value, since, until, first, last, doc)
#define END_ENUM(name)
#include "zeinfo/schema.def"

template <class T>
constexpr const MappingInfo* kMappingOf = nullptr;

// The meaning of the `of` column, by type.
#define SLIPWAY_OF_Int32(of) nullptr, nullptr
#define SLIPWAY_OF_Bool(of) nullptr, nullptr
#define SLIPWAY_OF_Float(of) nullptr, nullptr
#define SLIPWAY_OF_String(of) nullptr, nullptr
#define SLIPWAY_OF_Int3(of) nullptr, nullptr
#define SLIPWAY_OF_Version(of) nullptr, nullptr
#define SLIPWAY_OF_Enum(of) kEnumOf<of>, nullptr
#define SLIPWAY_OF_Mapping(of) nullptr, kMappingOf<of>
#define SLIPWAY_OF_Sequence(of) nullptr, kMappingOf<of>

constexpr FieldInfo field(std::string_view key, Type type, std::size_t index, std::size_t offset, Need need,
                          std::int32_t default_value, Loss loss, Lifetime lifetime, const EnumInfo* values,
                          const MappingInfo* mapping, std::string_view doc) {
  return {key,
          type,
          static_cast<std::uint8_t>(index),
          static_cast<std::uint16_t>(offset),
          need.required,
          need.from,
          need.to,
          default_value,
          loss,
          lifetime,
          values,
          mapping,
          doc};
}

constexpr std::uint64_t required_bits(std::span<const FieldInfo> fields) {
  std::uint64_t bits = 0;
  for (const FieldInfo& one : fields) bits |= std::uint64_t{one.required} << one.index;
  return bits;
}

#define MAPPING(name, doc)                 \
  namespace name##_table {                 \
    using Struct = zeinfo::name;           \
    using Key = zeinfo::name##Key;         \
    constexpr std::string_view kDoc = doc; \
    constexpr FieldInfo kFields[] = {
#define FIELD(key, type, of, need, default_, since, until, loss, first, last, doc)                         \
  field(#key, Type::type, static_cast<std::size_t>(Key::key), offsetof(Struct, key), need, default_, loss, \
        {since, until, first, last}, SLIPWAY_OF_##type(of), doc),
#define END_MAPPING(name)                                                                         \
  }                                                                                               \
  ;                                                                                               \
  static_assert(offsetof(Struct, present) == 0 && offsetof(Struct, at) == sizeof(std::uint64_t)); \
  static_assert(std::size(kFields) <= 64 && std::is_trivially_copyable_v<Struct>);                \
  }                                                                                               \
  constexpr MappingInfo k##name##Mapping{#name,                                                   \
                                         name##_table::kFields,                                   \
                                         sizeof(name),                                            \
                                         name##_table::kDoc,                                      \
                                         &blank_of<name>,                                         \
                                         name##MappingNumber,                                     \
                                         required_bits(name##_table::kFields)};                   \
  template <>                                                                                     \
  constexpr const MappingInfo* kMappingOf<name> = &k##name##Mapping;
#include "zeinfo/schema.def"

constexpr const MappingInfo* kAllMappings[] = {
#define MAPPING(name, doc) &k##name##Mapping,
#define FIELD(key, type, of, need, default_, since, until, loss, first, last, doc)
#define END_MAPPING(name)
#include "zeinfo/schema.def"
};

constexpr const EnumInfo* kAllEnums[] = {
#define ENUM(name, doc) &k##name##Enum,
#define VALUE(name, value, since, until, first, last, doc)
#define END_ENUM(name)
#include "zeinfo/schema.def"
};

}  // namespace

#define MAPPING(name, doc)                \
  template <>                             \
  const MappingInfo& mapping_of<name>() { \
    return k##name##Mapping;              \
  }
#define FIELD(key, type, of, need, default_, since, until, loss, first, last, doc)
#define END_MAPPING(name)
#include "zeinfo/schema.def"

#define ENUM(name, doc)             \
  template <>                       \
  const EnumInfo& enum_of<name>() { \
    return k##name##Enum;           \
  }
#define VALUE(name, value, since, until, first, last, doc)
#define END_ENUM(name)
#include "zeinfo/schema.def"

std::span<const MappingInfo* const> all_mappings() { return kAllMappings; }
std::span<const EnumInfo* const> all_enums() { return kAllEnums; }

std::string_view name_of(Type type) {
  constexpr std::string_view kNames[] = {"int32", "bool",    "float",    "str",    "enum",
                                         "int3",  "mapping", "sequence", "version"};
  return kNames[static_cast<std::size_t>(type)];
}

namespace {
constexpr std::string_view kLossNames[] = {"information", "hint", "dispatch"};
}
std::string_view name_of(Loss loss) { return kLossNames[static_cast<std::size_t>(loss)]; }
std::optional<Loss> parse_loss(std::string_view name) {
  const auto found = std::ranges::find(kLossNames, name);
  if (found == std::end(kLossNames)) return std::nullopt;
  return static_cast<Loss>(found - std::begin(kLossNames));
}

std::uint8_t EnumInfo::find(std::string_view word) const {
  const auto found = std::ranges::find(values, word, &ValueInfo::name);
  return found == values.end() ? 0 : found->number;
}

const FieldInfo* MappingInfo::find(std::string_view key) const {
  const auto found = std::ranges::find(fields, key, &FieldInfo::key);
  return found == fields.end() ? nullptr : &*found;
}

std::uint64_t MappingInfo::fields_of(int level) const {
  std::uint64_t bits = 0;
  for (const FieldInfo& one : fields) bits |= std::uint64_t{one.lifetime.has(level)} << one.index;
  return bits;
}

bool Object::is_default(const FieldInfo& field) const {
  switch (field.type) {
    case Type::Int32:
      return integer(field) == field.default_value;
    case Type::Bool:
      return boolean(field) == (field.default_value != 0);
    case Type::Float:
      return real(field) == 0;
    case Type::String:
      return string(field).empty();
    case Type::Enum:
      return enumerator(field) == 0;
    case Type::Int3:
      return !int3(field).present;
    case Type::Version:
      return version(field).is_pre();
    case Type::Sequence:
      return count(field) == 0;
    case Type::Mapping: {
      const Object inner = nested(field);
      return std::ranges::all_of(field.mapping->fields, [&](const FieldInfo& one) { return inner.is_default(one); });
    }
  }
  return true;
}

namespace {

bool same_field(Object a, Object b, const FieldInfo& field) {
  switch (field.type) {
    case Type::Int32:
      return a.integer(field) == b.integer(field);
    case Type::Bool:
      return a.boolean(field) == b.boolean(field);
    // Compares bits, so that a NaN equals itself.
    case Type::Float:
      return std::bit_cast<std::uint32_t>(a.real(field)) == std::bit_cast<std::uint32_t>(b.real(field));
    case Type::String:
      return a.string(field) == b.string(field);
    case Type::Enum:
      return a.enumerator(field) == b.enumerator(field);
    case Type::Int3:
      return a.int3(field) == b.int3(field);
    case Type::Version:
      return a.version(field) == b.version(field);
    case Type::Mapping:
      return same_values(a.nested(field), b.nested(field));
    case Type::Sequence: {
      if (a.count(field) != b.count(field)) return false;
      for (std::uint32_t n = 0; n < a.count(field); ++n) {
        if (!same_values(a.item(field, n), b.item(field, n))) return false;
      }
      return true;
    }
  }
  return false;
}

}  // namespace

bool same_values(Object a, Object b) {
  return std::ranges::all_of(a.mapping().fields, [&](const FieldInfo& field) { return same_field(a, b, field); });
}

bool same_values(const Root& a, const Root& b) { return same_values(Object::of(a), Object::of(b)); }

}  // namespace slipway::zeinfo
