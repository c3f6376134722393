// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// schema.def as tables for code to walk, and access to objects through them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "zeinfo/model.hpp"

namespace slipway::zeinfo {

enum class Type : std::uint8_t { Int32, Bool, Float, String, Enum, Int3, Mapping, Sequence, Version };
std::string_view name_of(Type type);  // "int32", "bool", ...

// The class of loss when something is dropped, in the order of --allow-loss.
enum class Loss : std::uint8_t { Information, Hint, Dispatch };
std::string_view name_of(Loss loss);  // "information", "hint", "dispatch"
std::optional<Loss> parse_loss(std::string_view name);

inline constexpr int kRuntimeOnly = 10000;  // `since` of values that no version of the format has
inline constexpr int kOn = 9999;            // `until`, `last`: still there

// First and last level of versions, and first and last release of the runtime.
struct Lifetime {
  int since = kPreLevel;
  int until = kOn;
  int runtime_first = 0;  // 0: never
  int runtime_last = 0;
  constexpr bool has(int level) const { return since <= level && level <= until; }
  constexpr bool runtime_knows(Release release) const {
    return runtime_first != 0 && runtime_first <= release.yyww && release.yyww <= runtime_last;
  }
  constexpr bool runtime_only() const { return since == kRuntimeOnly; }
};

struct ValueInfo {
  std::string_view name;
  std::uint8_t number = 0;  // the enumerator
  Lifetime lifetime;
  std::string_view doc;
};

struct EnumInfo {
  std::string_view name;
  std::span<const ValueInfo> values;  // values[i] is number i + 1
  std::string_view doc;
  std::uint8_t number = 0;  // in all_enums()

  const ValueInfo& operator[](std::uint8_t number) const { return values[number - 1u]; }
  // 0 for a text that is not a value of the enum.
  std::uint8_t find(std::string_view word) const;
};

struct FieldInfo {
  std::string_view key;
  Type type = Type::Int32;
  std::uint8_t index = 0;  // in the mapping, and its bit in `present`
  std::uint16_t offset = 0;
  bool required = false;
  // Levels whose compilers always write the field: its absence is a warning. Empty when from > to.
  int expected_from = 0;
  int expected_to = -1;
  std::int32_t default_value = 0;
  Loss loss = Loss::Information;
  Lifetime lifetime;
  const EnumInfo* values = nullptr;
  const MappingInfo* mapping = nullptr;
  std::string_view doc;
};

struct MappingInfo {
  std::string_view name;
  std::span<const FieldInfo> fields;
  std::uint16_t size = 0;  // of the structure; `present` and `at` are its first two members
  std::string_view doc;
  const void* (*blank)() = nullptr;  // an object with all defaults, to copy from
  std::uint8_t number = 0;           // in all_mappings()
  std::uint64_t required = 0;        // bits of the required fields

  const FieldInfo* find(std::string_view key) const;
  // The bits of the fields that a version has.
  std::uint64_t fields_of(int level) const;
};

template <class T>
const MappingInfo& mapping_of();
#define MAPPING(name, doc) \
  template <>              \
  const MappingInfo& mapping_of<name>();
#define FIELD(key, type, of, need, default_, since, until, loss, first, last, doc)
#define END_MAPPING(name)
#include "zeinfo/schema.def"

template <class E>
const EnumInfo& enum_of();
#define ENUM(name, doc) \
  template <>           \
  const EnumInfo& enum_of<name>();
#define VALUE(name, value, since, until, first, last, doc)
#define END_ENUM(name)
#include "zeinfo/schema.def"

// All entries, in the order of the table.
std::span<const MappingInfo* const> all_mappings();
std::span<const EnumInfo* const> all_enums();

// "" for unset.
template <class E>
std::string_view name_of_value(E value) {
  return value == E::unset ? std::string_view() : enum_of<E>()[static_cast<std::uint8_t>(value)].name;
}

template <class T>
const FieldInfo& field_of(typename T::Key key) {
  return mapping_of<T>().fields[static_cast<std::size_t>(key)];
}

// A structure of the model with its table; the accessor must match the field's type.
class Object {
 public:
  template <class T>
  static Object of(const T& value) {
    return {mapping_of<T>(), reinterpret_cast<const std::byte*>(&value)};
  }
  Object(const MappingInfo& mapping, const std::byte* data) : mapping_(&mapping), data_(data) {}

  const MappingInfo& mapping() const { return *mapping_; }
  std::uint64_t present() const { return *reinterpret_cast<const std::uint64_t*>(data_); }
  bool has(const FieldInfo& field) const { return present() >> field.index & 1; }
  std::uint32_t at() const { return *reinterpret_cast<const std::uint32_t*>(data_ + sizeof(std::uint64_t)); }

  std::int32_t integer(const FieldInfo& field) const { return get<std::int32_t>(field); }
  bool boolean(const FieldInfo& field) const { return get<bool>(field); }
  float real(const FieldInfo& field) const { return get<float>(field); }
  std::string_view string(const FieldInfo& field) const { return get<std::string_view>(field); }
  std::uint8_t enumerator(const FieldInfo& field) const { return get<std::uint8_t>(field); }
  const Int3& int3(const FieldInfo& field) const { return get<Int3>(field); }
  zeinfo::Version version(const FieldInfo& field) const { return get<zeinfo::Version>(field); }
  Object nested(const FieldInfo& field) const { return {*field.mapping, data_ + field.offset}; }
  std::uint32_t count(const FieldInfo& field) const { return get<RawList>(field).count; }
  Object item(const FieldInfo& field, std::uint32_t i) const {
    return {*field.mapping,
            static_cast<const std::byte*>(get<RawList>(field).data) + std::size_t{i} * field.mapping->size};
  }
  // Whether canonical text of a version has the field: it is required, differs from its default, or is present and
  // always written by that version's compilers.
  bool is_written(const FieldInfo& field, int level) const {
    return field.required || !is_default(field) ||
           (has(field) && field.expected_from <= level && level <= field.expected_to);
  }
  // Whether canonical text would omit the field if it were optional.
  bool is_default(const FieldInfo& field) const;

 private:
  template <class T>
  const T& get(const FieldInfo& field) const {
    return *reinterpret_cast<const T*>(data_ + field.offset);
  }
  const MappingInfo* mapping_;
  const std::byte* data_;
};

// Equal in all values (not in `at` or `present`), as far as canonical text distinguishes them.
bool same_values(Object a, Object b);
bool same_values(const Root& a, const Root& b);

// The reference of all keys and values as Markdown, and the JSON Schema of the JSON form.
std::string schema_markdown();
std::string json_schema();

}  // namespace slipway::zeinfo
