// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Records: one table describes a JSON object; reading, checking, writing and the JSON Schema come from it.
//
//   struct Shot { std::string uid; std::uint64_t size = 0; std::optional<Access> access; Value at; };
//   const Record<Shot>& shot_record() {
//     static const auto record = Record<Shot>("shot", "one shot", &Shot::at)
//         .required("uid", &Shot::uid, Text{.empty = false}, "the identifier")
//         .optional("size", &Shot::size, Integer{.min = 1}, "bytes; 1 when absent")
//         .optional("access", &Shot::access, Words<Access>(kAccessWords), "who may read and write");
//     return record;
//   }
//   Decoder decoder(diagnostics, Severity::Warning);
//   std::optional<Shot> shot = decoder.read(shot_record(), value);
//   shot_record().write(writer, *shot);
//
// Reading reports all errors of the object and returns nothing if there is one.
// A codec is a small value with `bool read(Decoder&, Value, T&) const`, `void schema(Schema&) const` and, if objects
// are written, `void write(Writer&, const T&) const`. A member has the type of the codec or is an optional of it. The
// member `at` keeps a handle of the object, so that later checks can point at its members.
//
// A document that is only written needs no struct of its own: a field may be computed from the object.
//
//   .required("hash", [](const Shot& shot) { return hash_of(shot); }, Text{}, "the SHA-256 of the contents")
//
// `Record<T>` only checks types. The code that reads objects and writes schemas is compiled once, in record_table.cpp;
// it reaches members by their offsets, and codecs through two functions each.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/diagnostic.hpp"
#include "json/document.hpp"
#include "json/writer.hpp"

namespace slipway::json {

template <class T>
class Record;
class RecordTable;

// A word that other formats use for a key. It is not accepted, but its message suggests the key.
struct Synonym {
  std::string_view word, key;
};

// Reads values and collects diagnostics.
class Decoder {
 public:
  // `leniency`: the severity of unknown and duplicate keys, a warning in `run`, an error in `check`.
  Decoder(Diagnostics& diagnostics, Severity leniency) : diagnostics_(diagnostics), leniency_(leniency) {}

  template <class T>
  std::optional<T> read(const Record<T>& record, Value value) {
    T result{};
    return record.read(*this, value, result) ? std::optional<T>(std::move(result)) : std::nullopt;
  }

  // These return false, so that a codec can `return decoder.error(...)`.
  bool error(Value at, DiagnosticKind kind, std::string message);
  bool wrong_type(Value at, std::string_view wanted);
  void warning(Value at, DiagnosticKind kind, std::string message);
  void add(Diagnostic diagnostic) { diagnostics_.add(std::move(diagnostic)); }
  Severity leniency() const { return leniency_; }

  // Reports a missing key at the opening brace of the object.
  bool missing(Value object, std::string_view key, std::string_view subject);
  // The member with the key, or with its old name, for which there is a warning.
  Value member(Value object, std::string_view key, std::string_view old_key);

  void check_duplicates(Value object, std::string_view subject);
  // Reports duplicate and unknown keys, these with the nearest known key or the one that has the synonym.
  void check_keys(Value object, std::span<const std::string_view> known, std::string_view subject,
                  std::span<const Synonym> synonyms = {});

 private:
  Diagnostics& diagnostics_;
  Severity leniency_;
};

// Keys that are allowed in every object: `comment`, `$...` and `_...`.
bool is_free_key(std::string_view key);
// The name of an object in messages: "image `input`", or "image" if it has no uid.
std::string subject_of(std::string_view name, Value object);
// The key of a value; for an element of an array that of the array.
std::string key_above(Value value);

// --- JSON Schema -----------------------------------------------------------------------------------------------------

// Writes a schema. Each record becomes one definition.
class Schema {
 public:
  explicit Schema(Writer& out) : out_(out) {}
  Writer& out() { return out_; }
  // Writes {"$ref": "#/$defs/NAME"}. `define` writes the definition later, in write_definitions.
  void reference(std::string_view name, void (*define)(Schema&));
  void reference(const RecordTable& record);
  // Writes the member "$defs" with all definitions that were referred to, transitively.
  void write_definitions();

 private:
  struct Definition {
    std::string_view name;
    void (*define)(Schema&);    // or
    const RecordTable* record;  // this
  };
  void reference(const Definition& definition);

  Writer& out_;
  std::vector<Definition> definitions_;  // by name
};

// --- codecs ----------------------------------------------------------------------------------------------------------

// The functions of a codec for variables of one type. `size` is that of the codec.
struct CodecFunctions {
  std::size_t size;
  bool (*read)(const void* codec, Decoder& decoder, Value value, void* to);
  void (*schema)(const void* codec, Schema& schema);
  void (*write)(const void* codec, Writer& out, const void* from);  // null: the codec cannot write
  bool (*present)(const void* codec, const void* from);             // null: always; else of an optional
  void* (*copy)(const void* codec);                                 // null: its bytes are copied
  void (*destroy)(const void* codec);
};

// A codec for variables of some type.
struct CodecHandle {
  const void* codec;
  const CodecFunctions* functions;

  // Only of codecs that read.
  bool read(Decoder& decoder, Value value, void* to) const { return functions->read(codec, decoder, value, to); }
  void schema(Schema& schema) const { functions->schema(codec, schema); }
  void write(Writer& out, const void* from) const { functions->write(codec, out, from); }
  bool present(const void* from) const { return !functions->present || functions->present(codec, from); }
};

namespace detail {

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

template <class T, class Codec>
bool read_with(const void* codec, Decoder& decoder, Value value, void* to) {
  T& variable = *static_cast<T*>(to);
  if constexpr (kIsOptional<T>) {
    if constexpr (requires { Codec::kAcceptsNull; }) {
      if (value.is(Type::Null)) return variable.reset(), true;
    }
    return static_cast<const Codec*>(codec)->read(decoder, value, variable.emplace());
  } else {
    return static_cast<const Codec*>(codec)->read(decoder, value, variable);
  }
}

template <class Codec>
void schema_with(const void* codec, Schema& schema) {
  static_cast<const Codec*>(codec)->schema(schema);
}

template <class T, class Codec>
void write_with(const void* codec, Writer& out, const void* from) {
  const T& variable = *static_cast<const T*>(from);
  if constexpr (kIsOptional<T>) {
    static_cast<const Codec*>(codec)->write(out, *variable);
  } else {
    static_cast<const Codec*>(codec)->write(out, variable);
  }
}

template <class T, class Codec>
constexpr CodecFunctions functions_of() {
  CodecFunctions functions{.size = sizeof(Codec), .read = nullptr, .schema = schema_with<Codec>};
  if constexpr (kIsOptional<T>) {
    functions.present = [](const void*, const void* from) { return static_cast<const T*>(from)->has_value(); };
    if constexpr (requires(const Codec codec, Writer& out, const T& from) { codec.write(out, *from); })
      functions.write = write_with<T, Codec>;
    if constexpr (requires(const Codec codec, Decoder& decoder, Value value, T& to) {
                    codec.read(decoder, value, *to);
                  })
      functions.read = read_with<T, Codec>;
  } else {
    if constexpr (requires(const Codec codec, Writer& out, const T& from) { codec.write(out, from); })
      functions.write = write_with<T, Codec>;
    if constexpr (requires(const Codec codec, Decoder& decoder, Value value, T& to) { codec.read(decoder, value, to); })
      functions.read = read_with<T, Codec>;
    if constexpr (requires(const Codec codec, const T& from) { codec.present(from); }) {
      functions.present = [](const void* codec, const void* from) {
        return static_cast<const Codec*>(codec)->present(*static_cast<const T*>(from));
      };
    }
  }
  if constexpr (!std::is_trivially_copyable_v<Codec>) {
    functions.copy = [](const void* codec) -> void* { return new Codec(*static_cast<const Codec*>(codec)); };
    functions.destroy = [](const void* codec) { delete static_cast<const Codec*>(codec); };
  }
  return functions;
}

template <class T, class Codec>
inline constexpr CodecFunctions kFunctions = functions_of<T, Codec>();

// For a codec that only writes schemas.
template <class Codec>
inline constexpr CodecFunctions kSchemaOnly{.size = sizeof(Codec), .schema = schema_with<Codec>};

// In the Itanium C++ ABI a pointer to a member variable is its offset.
template <class T, class M>
std::size_t offset_of(M T::* member) {
  static_assert(sizeof member == sizeof(std::ptrdiff_t));
  return static_cast<std::size_t>(std::bit_cast<std::ptrdiff_t>(member));
}

}  // namespace detail

template <class T, class Codec>
CodecHandle handle_of(const Codec& codec) {
  return {&codec, &detail::kFunctions<T, Codec>};
}

struct Text {
  bool empty = true;  // whether "" is allowed
  bool read(Decoder& decoder, Value value, std::string& to) const;
  void write(Writer& out, std::string_view from) const { out.value(from); }
  void schema(Schema& schema) const;
};
inline constexpr Text kNotEmpty{.empty = false};

struct Boolean {
  bool read(Decoder& decoder, Value value, bool& to) const;
  void write(Writer& out, bool from) const { out.value(from); }
  void schema(Schema& schema) const;
};

struct Real {
  double min = -std::numeric_limits<double>::infinity();
  bool read(Decoder& decoder, Value value, double& to) const;
  void write(Writer& out, double from) const { out.value(from); }
  void schema(Schema& schema) const;
};

// An integer, or a number that is integral (`40.0`).
struct Integer {
  std::int64_t min = 0;
  std::uint64_t max = std::numeric_limits<std::uint64_t>::max();

  // The bits of the number; `type_max` is the maximum of its type.
  std::optional<std::uint64_t> check(Decoder& decoder, Value value, std::uint64_t type_max) const;
  template <std::integral I>
  bool read(Decoder& decoder, Value value, I& to) const {
    const auto number = check(decoder, value, static_cast<std::uint64_t>(std::numeric_limits<I>::max()));
    if (number) to = static_cast<I>(*number);
    return number.has_value();
  }
  template <std::integral I>
  void write(Writer& out, I from) const {
    out.value(from);
  }
  void schema(Schema& schema) const;
};

// A word and its value. Several words may have the same value.
template <class E>
struct Word {
  std::string_view word;
  E value;
};

// The words of a table, without their values.
class WordList {
 public:
  template <class E>
  WordList(std::span<const Word<E>> table) : WordList(table.data(), sizeof(Word<E>), table.size()) {}
  template <class E, std::size_t N>
  WordList(const Word<E> (&table)[N]) : WordList(table, sizeof(Word<E>), N) {}
  template <std::convertible_to<std::span<const std::string_view>> Words>
  WordList(const Words& words) : WordList(std::span<const std::string_view>(words)) {}
  WordList(std::span<const std::string_view> words) : WordList(words.data(), sizeof(std::string_view), words.size()) {}

  std::size_t size() const { return size_; }
  std::string_view operator[](std::size_t index) const;

 private:
  // A word is the first member of its row.
  WordList(const void* first, std::size_t stride, std::size_t size) : first_(first), stride_(stride), size_(size) {}
  const void* first_;
  std::size_t stride_;
  std::size_t size_;
};

// `name`: what messages call the value; if empty, its key.
bool read_word(Decoder& decoder, Value value, const WordList& words, std::string_view name, std::size_t& index);
void word_schema(Schema& schema, const WordList& words);

template <class E>
class Words {
 public:
  explicit Words(std::span<const Word<E>> table, std::string_view name = "") : table_(table), name_(name) {}
  bool read(Decoder& decoder, Value value, E& to) const {
    std::size_t index = 0;
    if (!read_word(decoder, value, table_, name_, index)) return false;
    to = table_[index].value;
    return true;
  }
  // The first word of a value.
  void write(Writer& out, E from) const {
    std::size_t i = 0;
    while (table_[i].value != from) ++i;
    out.value(table_[i].word);
  }
  void schema(Schema& schema) const { word_schema(schema, table_); }

 private:
  std::span<const Word<E>> table_;
  std::string_view name_;
};

// A word of a list, kept as text; it is only written.
struct OneOf {
  std::span<const std::string_view> words;
  void write(Writer& out, std::string_view from) const { out.value(from); }
  void schema(Schema& schema) const { word_schema(schema, words); }
};

bool check_list(Decoder& decoder, Value value, std::size_t min, std::size_t max);
// Reads each element of an array into the element that `append` adds to `list`.
bool read_elements(Decoder& decoder, Value value, CodecHandle element, void* list, void* (*append)(void* list));
// Reads into consecutive elements of `size` bytes each.
bool read_elements(Decoder& decoder, Value value, CodecHandle element, void* first, std::size_t size);
// Writes `count` consecutive elements of `size` bytes each.
void write_elements(Writer& out, CodecHandle element, const void* first, std::size_t count, std::size_t size);
void list_schema(Schema& schema, std::size_t min, std::size_t max, CodecHandle element);
void one_or_more_schema(Schema& schema, CodecHandle element);
void map_schema(Schema& schema, CodecHandle element);
void or_null_schema(Schema& schema, CodecHandle codec);

namespace detail {
template <class T>
void* append_to(void* list) {
  return &static_cast<std::vector<T>*>(list)->emplace_back();
}
}  // namespace detail

// Into a vector, or into an array of at least `max` elements; elements that are not given keep their values.
template <class Codec>
struct List {
  Codec element;
  std::size_t min = 0;
  std::size_t max = std::numeric_limits<std::size_t>::max();

  template <class T>
  bool read(Decoder& decoder, Value value, std::vector<T>& to) const {
    if (!check_list(decoder, value, min, max)) return false;
    to.clear();  // remove the default
    return read_elements(decoder, value, handle_of<T>(element), &to, detail::append_to<T>);
  }
  template <class T, std::size_t N>
  bool read(Decoder& decoder, Value value, std::array<T, N>& to) const {
    if (!check_list(decoder, value, min, max < N ? max : N)) return false;
    return read_elements(decoder, value, handle_of<T>(element), to.data(), sizeof(T));
  }
  template <class T>
  void write(Writer& out, const std::vector<T>& from) const {
    write_elements(out, handle_of<T>(element), from.data(), from.size(), sizeof(T));
  }
  template <class T, std::size_t N>
  void write(Writer& out, const std::array<T, N>& from) const {
    write_elements(out, handle_of<T>(element), from.data(), N, sizeof(T));
  }
  template <class T>
  void write(Writer& out, std::span<const T> from) const {
    write_elements(out, handle_of<T>(element), from.data(), from.size(), sizeof(T));
  }
  void schema(Schema& schema) const { list_schema(schema, min, max, {&element, &detail::kSchemaOnly<Codec>}); }
};
template <class Codec>
List(Codec) -> List<Codec>;
template <class Codec>
List(Codec, std::size_t) -> List<Codec>;
template <class Codec>
List(Codec, std::size_t, std::size_t) -> List<Codec>;

// One value, or an array of them.
template <class Codec>
struct OneOrMore {
  Codec element;

  template <class T>
  bool read(Decoder& decoder, Value value, std::vector<T>& to) const {
    if (value.is(Type::Array)) return List{element}.read(decoder, value, to);
    to.clear();
    return element.read(decoder, value, to.emplace_back());
  }
  void schema(Schema& schema) const { one_or_more_schema(schema, {&element, &detail::kSchemaOnly<Codec>}); }
};
template <class Codec>
OneOrMore(Codec) -> OneOrMore<Codec>;

// An object of another record.
template <class T>
class Nested {
 public:
  explicit Nested(const Record<T>& record) : record_(&record) {}
  bool read(Decoder& decoder, Value value, T& to) const { return record_->read(decoder, value, to); }
  void write(Writer& out, const T& from) const { record_->write(out, from); }
  void schema(Schema& schema) const { schema.reference(record_->table()); }

 private:
  const Record<T>* record_;
};

// An object whose keys are names, into a vector of pairs of a name and a value.
template <class Codec>
struct Map {
  Codec element;

  template <class T>
  bool read(Decoder& decoder, Value value, std::vector<std::pair<std::string, T>>& to) const {
    if (!value.is(Type::Object)) return decoder.wrong_type(value, "an object");
    to.clear();
    bool ok = true;
    for (const Value member : value) ok &= element.read(decoder, member, to.emplace_back(member.key(), T{}).second);
    return ok;
  }
  template <class T>
  void write(Writer& out, const std::vector<std::pair<std::string, T>>& from) const {
    out.object([&] {
      for (const auto& [name, value] : from) element.write(out.key(name), value);
    });
  }
  void schema(Schema& schema) const { map_schema(schema, {&element, &detail::kSchemaOnly<Codec>}); }
};
template <class Codec>
Map(Codec) -> Map<Codec>;

// A value or null, into an optional.
template <class Codec>
struct OrNull {
  static constexpr bool kAcceptsNull = true;
  Codec codec;

  template <class T>
  bool read(Decoder& decoder, Value value, T& to) const {
    return codec.read(decoder, value, to);
  }
  template <class T>
  void write(Writer& out, const T& from) const {
    codec.write(out, from);
  }
  void schema(Schema& schema) const { or_null_schema(schema, {&codec, &detail::kSchemaOnly<Codec>}); }
};
template <class Codec>
OrNull(Codec) -> OrNull<Codec>;

// The same value in every object, `text` in JSON. Reading ignores it.
struct Constant {
  std::string_view text;

  template <class T>
  bool read(Decoder&, Value, T&) const {
    return true;
  }
  template <class T>
  void write(Writer& out, const T&) const {
    out.raw(text);
  }
  void schema(Schema& schema) const;
};

// Text that is JSON already; it is only written.
struct Raw {
  std::string_view schema_text = "{}";
  void write(Writer& out, std::string_view from) const { out.raw(from); }
  void schema(Schema& schema) const { schema.out().raw(schema_text); }
};

// What `value` returns for an object; it is only written. Optionals without a value and null pointers are absent.
template <class T, class F, class Codec>
struct Computed {
  F value;
  Codec codec;

  using Result = std::remove_cvref_t<std::invoke_result_t<F, const T&>>;
  static constexpr bool kMayBeAbsent = detail::kIsOptional<Result> || std::is_pointer_v<Result>;

  bool present(const T& from) const
    requires kMayBeAbsent
  {
    return static_cast<bool>(std::invoke(value, from));
  }
  void write(Writer& out, const T& from) const {
    if constexpr (kMayBeAbsent) {
      codec.write(out, *std::invoke(value, from));
    } else {
      codec.write(out, std::invoke(value, from));
    }
  }
  void schema(Schema& schema) const { codec.schema(schema); }
};

// The value itself, to be read later. `schema_text` is its schema, a JSON object.
struct Anything {
  std::string_view schema_text = "{}";
  bool read(Decoder&, Value value, Value& to) const {
    to = value;
    return true;
  }
  void schema(Schema& schema) const { schema.out().raw(schema_text); }
};

// --- records ---------------------------------------------------------------------------------------------------------

// The table of a record: fields and rules, with the offsets of their variables in the struct.
class RecordTable {
 public:
  // A rule without its type, and a function that calls it with its type.
  using AnyRule = void (*)();
  using RuleCaller = bool (*)(AnyRule rule, Decoder& decoder, Value value, void* to);
  using ConditionCaller = bool (*)(AnyRule condition, const void* from);

  RecordTable(std::string_view name, std::string_view meaning) : name_(name), meaning_(meaning) {}
  void keep_handle(std::size_t offset) { handle_ = offset; }
  void add(bool required, std::string_view key, std::size_t offset, CodecHandle codec, std::string_view meaning);
  void add_old_key(std::string_view key) { fields_.back().old_key = key; }
  void add_synonym(std::string_view word) { synonyms_.push_back({word, fields_.back().key}); }
  void add_part(std::size_t offset, const RecordTable& part);
  void add_condition(AnyRule condition, ConditionCaller caller);
  void add_rule(AnyRule rule, RuleCaller caller) { rules_.push_back({rule, caller, 0}); }

  std::string_view name() const { return name_; }
  std::string_view meaning() const { return meaning_; }
  bool read(Decoder& decoder, Value value, void* to) const;
  void write(Writer& out, const void* from) const;
  void write_members(Writer& out, const void* from) const;
  void write_member(Writer& out, std::string_view key, const void* from) const;
  void schema(Schema& schema) const;

 private:
  struct Condition {
    AnyRule condition = nullptr;
    ConditionCaller caller = nullptr;
    std::size_t offset = 0;
  };
  struct Field {
    std::string_view key;
    std::string_view meaning;
    std::string_view old_key;
    CodecHandle codec;
    std::size_t offset;
    bool required;
    Condition condition;  // of writing it
  };
  struct Rule {
    AnyRule rule;
    RuleCaller caller;
    std::size_t offset;
  };
  static void write_field(Writer& out, const Field& field, const void* from);
  static void write_property(Schema& schema, const Field& field, std::string_view key);

  std::string_view name_;
  std::string_view meaning_;
  std::optional<std::size_t> handle_;
  std::vector<Field> fields_;
  std::vector<Rule> rules_;
  std::vector<Synonym> synonyms_;
  std::vector<std::shared_ptr<const void>> codecs_;  // owned by the table; the fields have handles
};

template <class T>
class Record {
 public:
  using Rule = bool (*)(Decoder&, Value, T&);
  using Condition = bool (*)(const T&);

  Record(std::string_view name, std::string_view meaning) : table_(name, meaning) {}
  // `at`: the member that keeps a handle of the object.
  Record(std::string_view name, std::string_view meaning, Value T::* at) : table_(name, meaning) {
    table_.keep_handle(detail::offset_of(at));
  }

  template <class M, class Codec>
    requires(!std::is_function_v<M>)
  Record&& required(std::string_view key, M T::* member, const Codec& codec, std::string_view meaning) && {
    table_.add(true, key, detail::offset_of(member), handle_of<M>(codec), meaning);
    return std::move(*this);
  }
  template <class M, class Codec>
    requires(!std::is_function_v<M>)
  Record&& optional(std::string_view key, M T::* member, const Codec& codec, std::string_view meaning) && {
    table_.add(false, key, detail::offset_of(member), handle_of<M>(codec), meaning);
    return std::move(*this);
  }
  // Fields whose codec reads into the whole object, and writes from it.
  template <class Codec>
  Record&& required(std::string_view key, const Codec& codec, std::string_view meaning) && {
    table_.add(true, key, 0, handle_of<T>(codec), meaning);
    return std::move(*this);
  }
  template <class Codec>
  Record&& optional(std::string_view key, const Codec& codec, std::string_view meaning) && {
    table_.add(false, key, 0, handle_of<T>(codec), meaning);
    return std::move(*this);
  }
  // Fields that are only written: `value` computes them from the object.
  template <class F, class Codec>
    requires(std::is_invocable_v<F, const T&> && !std::is_member_object_pointer_v<F>)
  Record&& required(std::string_view key, F value, const Codec& codec, std::string_view meaning) && {
    return std::move(*this).required(key, Computed<T, F, Codec>{value, codec}, meaning);
  }
  template <class F, class Codec>
    requires(std::is_invocable_v<F, const T&> && !std::is_member_object_pointer_v<F>)
  Record&& optional(std::string_view key, F value, const Codec& codec, std::string_view meaning) && {
    return std::move(*this).optional(key, Computed<T, F, Codec>{value, codec}, meaning);
  }
  // When the last field is written. Without a condition it is always written, except for an optional without a value:
  // that is omitted, or null if the field is required.
  Record&& written_if(Condition condition) && {
    table_.add_condition(reinterpret_cast<RecordTable::AnyRule>(condition), call_condition);
    return std::move(*this);
  }
  // `key`: an old name of the last field, which is accepted with a warning.
  Record&& formerly(std::string_view key) && {
    table_.add_old_key(key);
    return std::move(*this);
  }
  // A word that other formats use for the last field.
  Record&& synonym(std::string_view word) && {
    table_.add_synonym(word);
    return std::move(*this);
  }
  // Adds the keys of another record to this object; they are read into `member`.
  template <class M>
  Record&& part(M T::* member, const Record<M>& record) && {
    table_.add_part(detail::offset_of(member), record.table());
    return std::move(*this);
  }
  // A rule for the whole object, called if all fields are valid.
  Record&& rule(Rule check) && {
    table_.add_rule(reinterpret_cast<RecordTable::AnyRule>(check), call_rule);
    return std::move(*this);
  }

  std::string_view name() const { return table_.name(); }
  std::string_view meaning() const { return table_.meaning(); }
  bool read(Decoder& decoder, Value value, T& to) const { return table_.read(decoder, value, &to); }
  void write(Writer& out, const T& from) const { table_.write(out, &from); }
  // All members, or only the member with the key, into the object that `out` is writing.
  void write_members(Writer& out, const T& from) const { table_.write_members(out, &from); }
  void write_member(Writer& out, std::string_view key, const T& from) const { table_.write_member(out, key, &from); }
  void schema(Schema& schema) const { table_.schema(schema); }
  const RecordTable& table() const { return table_; }

 private:
  static bool call_rule(RecordTable::AnyRule rule, Decoder& decoder, Value value, void* to) {
    return reinterpret_cast<Rule>(rule)(decoder, value, *static_cast<T*>(to));
  }
  static bool call_condition(RecordTable::AnyRule condition, const void* from) {
    return reinterpret_cast<Condition>(condition)(*static_cast<const T*>(from));
  }
  RecordTable table_;
};

// The text of an object, and the JSON Schema of documents that are an object of one of the records.
template <class T>
std::string object_text(const Record<T>& record, const T& from, int indent = 2) {
  Writer out(indent);
  record.write(out, from);
  return out.text();
}
std::string schema_text(std::string_view title, std::string_view description,
                        std::initializer_list<const RecordTable*> records);

}  // namespace slipway::json
