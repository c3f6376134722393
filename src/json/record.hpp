// Records: a JSON object described by a table, once, from which reading, checking and the JSON Schema come.
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
//
// Reading reports every problem of the object and gives nothing when there was an error. A codec is a small value with
// `bool read(Decoder&, Value, T&) const` and `void schema(Schema&) const`; a member may be of the codec's type or an
// optional of it. The record keeps a handle of the object in the model, so that later checks can point at its members.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "json/document.hpp"
#include "json/writer.hpp"

namespace slipway::json {

template <class T>
class Record;

// Reads values and collects what is wrong with them.
class Decoder {
 public:
  // `leniency`: the severity of unknown and duplicate keys, a warning in `run`, an error in `check`.
  Decoder(Diagnostics& diagnostics, Severity leniency) : diagnostics_(diagnostics), leniency_(leniency) {}

  template <class T>
  std::optional<T> read(const Record<T>& record, Value value) {
    T result{};
    return record.read(*this, value, result) ? std::optional<T>(std::move(result)) : std::nullopt;
  }

  // These give false, so that a codec can `return decoder.error(...)`.
  bool error(Value at, DiagnosticKind kind, std::string message);
  bool wrong_type(Value at, std::string_view wanted);
  void warning(Value at, DiagnosticKind kind, std::string message);
  void add(Diagnostic diagnostic) { diagnostics_.add(std::move(diagnostic)); }
  Severity leniency() const { return leniency_; }

  // Says at the opening brace that a key is missing.
  bool missing(Value object, std::string_view key, std::string_view subject);
  // The member under a key, or under its old name, which gets a warning.
  Value member(Value object, std::string_view key, std::string_view old_key);

  void check_duplicates(Value object, std::string_view subject);
  // Duplicate keys, and unknown ones, with the nearest known.
  void check_keys(Value object, std::span<const std::string_view> known, std::string_view subject);

 private:
  Diagnostics& diagnostics_;
  Severity leniency_;
};

// Keys that everybody may put anywhere: `comment`, `$...` and `_...`.
bool is_free_key(std::string_view key);
// What messages call an object: "image `input`", or "image" when it has no uid.
std::string subject_of(std::string_view name, Value object);
// The key that a value stands under; for an element of an array the array's key.
std::string key_above(Value value);

// --- JSON Schema -----------------------------------------------------------------------------------------------------

// Writes a schema; records become definitions, each once.
class Schema {
 public:
  explicit Schema(Writer& out) : out_(out) {}
  Writer& out() { return out_; }
  // {"$ref": "#/$defs/NAME"}; `define` writes the members of the definition when its turn comes.
  void reference(std::string_view name, std::function<void(Schema&)> define);
  // The "$defs" member with all that was referred to, transitively.
  void write_definitions();

 private:
  Writer& out_;
  std::map<std::string, std::function<void(Schema&)>, std::less<>> definitions_;
};

// --- codecs ----------------------------------------------------------------------------------------------------------

struct Text {
  bool empty = true;  // whether "" is allowed
  bool read(Decoder& decoder, Value value, std::string& to) const;
  void schema(Schema& schema) const;
};

struct Boolean {
  bool read(Decoder& decoder, Value value, bool& to) const;
  void schema(Schema& schema) const;
};

struct Real {
  double min = -std::numeric_limits<double>::infinity();
  bool read(Decoder& decoder, Value value, double& to) const;
  void schema(Schema& schema) const;
};

// An integer, or a number that is integral (`40.0`).
struct Integer {
  std::int64_t min = 0;
  std::uint64_t max = std::numeric_limits<std::uint64_t>::max();

  bool check(Decoder& decoder, Value value) const;
  template <std::integral I>
  bool read(Decoder& decoder, Value value, I& to) const {
    Integer limited = *this;
    limited.max = std::min<std::uint64_t>(max, static_cast<std::uint64_t>(std::numeric_limits<I>::max()));
    if (!limited.check(decoder, value)) return false;
    to = value.integer() ? static_cast<I>(*value.integer()) : static_cast<I>(*value.unsigned_integer());
    return true;
  }
  void schema(Schema& schema) const;
};

// One of a table of words. Several words may mean the same.
template <class E>
struct Word {
  std::string_view word;
  E value;
};

// `name`: what messages call it; the key that the value stands under when empty.
bool read_word(Decoder& decoder, Value value, const std::vector<std::string_view>& words, std::string_view name,
               std::size_t& index);
void word_schema(Schema& schema, const std::vector<std::string_view>& words);

template <class E>
class Words {
 public:
  explicit Words(std::span<const Word<E>> table, std::string_view name = "") : table_(table), name_(name) {}
  bool read(Decoder& decoder, Value value, E& to) const {
    std::size_t index = 0;
    if (!read_word(decoder, value, words(), name_, index)) return false;
    to = table_[index].value;
    return true;
  }
  void schema(Schema& schema) const { word_schema(schema, words()); }

 private:
  std::vector<std::string_view> words() const {
    return table_ | std::views::transform(&Word<E>::word) | std::ranges::to<std::vector>();
  }
  std::span<const Word<E>> table_;
  std::string_view name_;
};

bool check_list(Decoder& decoder, Value value, std::size_t min, std::size_t max);
void list_schema(Schema& schema, std::size_t min, std::size_t max, const std::function<void()>& items);

// Into a vector, or into an array of at least `max` elements, of which those that are not given keep what they were.
template <class Codec>
struct List {
  Codec element;
  std::size_t min = 0;
  std::size_t max = std::numeric_limits<std::size_t>::max();

  template <class T>
  bool read(Decoder& decoder, Value value, std::vector<T>& to) const {
    if (!check_list(decoder, value, min, max)) return false;
    bool good = true;
    to.clear();  // of a default
    for (const Value item : value) {
      T one{};
      good &= element.read(decoder, item, one);
      to.push_back(std::move(one));
    }
    return good;
  }
  template <class T, std::size_t N>
  bool read(Decoder& decoder, Value value, std::array<T, N>& to) const {
    if (!check_list(decoder, value, min, std::min(max, N))) return false;
    bool good = true;
    std::size_t i = 0;
    for (const Value item : value) good &= element.read(decoder, item, to[i++]);
    return good;
  }
  void schema(Schema& schema) const {
    list_schema(schema, min, max, [&] { element.schema(schema); });
  }
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
  void schema(Schema& schema) const {
    schema.out().object([&] {
      schema.out().key("anyOf").array([&] {
        element.schema(schema);
        List{element}.schema(schema);
      });
    });
  }
};
template <class Codec>
OneOrMore(Codec) -> OneOrMore<Codec>;

// An object of another record.
template <class T>
class Nested {
 public:
  explicit Nested(const Record<T>& record) : record_(&record) {}
  bool read(Decoder& decoder, Value value, T& to) const { return record_->read(decoder, value, to); }
  void schema(Schema& schema) const {
    schema.reference(record_->name(), [record = record_](Schema& inner) { record->schema(inner); });
  }

 private:
  const Record<T>* record_;
};

// The value itself, for what is decoded later; `schema_text` is what a schema says of it, a JSON object.
struct Anything {
  std::string_view schema_text = "{}";
  bool read(Decoder&, Value value, Value& to) const {
    to = value;
    return true;
  }
  void schema(Schema& schema) const { schema.out().raw(schema_text); }
};

// --- records ---------------------------------------------------------------------------------------------------------

struct FieldInfo {
  std::string_view key;
  bool required;
  std::string_view meaning;
};

template <class T>
class Record {
 public:
  Record(std::string_view name, std::string_view meaning) : name_(name), meaning_(meaning) {}
  // `at`: the member that keeps the handle of the object.
  Record(std::string_view name, std::string_view meaning, Value T::* at) : Record(name, meaning) {
    keep_ = [at](T& to, Value value) { to.*at = value; };
  }

  template <class M, class Codec>
  Record&& required(std::string_view key, M T::* member, Codec codec, std::string_view meaning) && {
    return add(true, key, member, std::move(codec), meaning);
  }
  template <class M, class Codec>
  Record&& optional(std::string_view key, M T::* member, Codec codec, std::string_view meaning) && {
    return add(false, key, member, std::move(codec), meaning);
  }
  // The last field was called `key` in older files: taken with a warning.
  Record&& formerly(std::string_view key) && {
    fields_.back().old_key = key;
    return std::move(*this);
  }
  // The keys of another record, in the same object; what they say goes into `member`.
  template <class M>
  Record&& part(M T::* member, const Record<M>& record) && {
    for (const auto& field : record.fields_) {
      fields_.push_back({field.info,
                         [member, read = field.read](Decoder& decoder, Value value, T& to) {
                           return read(decoder, value, to.*member);
                         },
                         field.schema, field.old_key});
    }
    for (const auto& rule : record.rules_) {
      rules_.push_back(
          [member, rule](Decoder& decoder, Value value, T& to) { return rule(decoder, value, to.*member); });
    }
    return std::move(*this);
  }
  // A rule over the whole object, run when all fields are good.
  Record&& rule(std::function<bool(Decoder&, Value, T&)> check) && {
    rules_.push_back(std::move(check));
    return std::move(*this);
  }

  std::string_view name() const { return name_; }
  std::string_view meaning() const { return meaning_; }
  std::vector<FieldInfo> fields() const {
    return fields_ | std::views::transform([](const Field& field) { return field.info; }) |
           std::ranges::to<std::vector>();
  }

  bool read(Decoder& decoder, Value value, T& to) const {
    if (!value.is(Type::Object)) return decoder.wrong_type(value, "an object");
    if (keep_) keep_(to, value);
    const std::string subject = subject_of(name_, value);
    std::vector<std::string_view> keys;
    for (const Field& field : fields_) {
      keys.push_back(field.info.key);
      if (!field.old_key.empty()) keys.push_back(field.old_key);
    }
    decoder.check_keys(value, keys, subject);
    bool good = true;
    for (const Field& field : fields_) {
      if (const Value member = decoder.member(value, field.info.key, field.old_key)) {
        good &= field.read(decoder, member, to);
      } else if (field.info.required) {
        good = decoder.missing(value, field.info.key, subject);
      }
    }
    for (const auto& rule : rules_) {
      if (good) good = rule(decoder, value, to);
    }
    return good;
  }

  void schema(Schema& schema) const {
    Writer& out = schema.out();
    out.object([&] {
      out.member("description", meaning_).member("type", "object");
      out.key("properties").object([&] {
        for (const Field& field : fields_) {
          write_property(schema, field, field.info.key);
          if (!field.old_key.empty()) write_property(schema, field, field.old_key);
        }
      });
      out.key("patternProperties").object([&] { out.key("^(comment$|[$_])").raw("{}"); });
      out.member("additionalProperties", false);
      out.key("required").array([&] {
        for (const Field& field : fields_) {
          if (field.info.required && field.old_key.empty()) out.value(field.info.key);
        }
      });
      const auto either = [](const Field& field) { return field.info.required && !field.old_key.empty(); };
      if (std::ranges::none_of(fields_, either)) return;
      out.key("allOf").array([&] {  // required under one of two names
        for (const Field& field : fields_ | std::views::filter(either)) {
          out.object([&] {
            out.key("anyOf").array([&] {
              for (const std::string_view key : {field.info.key, field.old_key}) {
                out.object([&] { out.key("required").array([&] { out.value(key); }); });
              }
            });
          });
        }
      });
    });
  }

 private:
  struct Field {
    FieldInfo info;
    std::function<bool(Decoder&, Value, T&)> read;
    std::function<void(Schema&)> schema;
    std::string_view old_key;
  };
  template <class>
  friend class Record;

  static void write_property(Schema& schema, const Field& field, std::string_view key) {
    Writer& out = schema.out();
    out.key(key).object([&] {
      out.member("description", field.info.meaning);
      if (key == field.old_key) out.member("deprecated", true);
      out.key("allOf").array([&] { field.schema(schema); });
    });
  }

  template <class V, class Codec>
  static bool read_into(const Codec& codec, Decoder& decoder, Value value, V& to) {
    return codec.read(decoder, value, to);
  }
  template <class V, class Codec>
  static bool read_into(const Codec& codec, Decoder& decoder, Value value, std::optional<V>& to) {
    return codec.read(decoder, value, to.emplace());
  }

  template <class M, class Codec>
  Record&& add(bool required, std::string_view key, M T::* member, Codec codec, std::string_view meaning) {
    fields_.push_back(
        {{key, required, meaning},
         [member, codec](Decoder& decoder, Value value, T& to) { return read_into(codec, decoder, value, to.*member); },
         [codec](Schema& schema) { codec.schema(schema); },
         ""});
    return std::move(*this);
  }

  std::string_view name_;
  std::string_view meaning_;
  std::function<void(T&, Value)> keep_;
  std::vector<Field> fields_;
  std::vector<std::function<bool(Decoder&, Value, T&)>> rules_;
};

}  // namespace slipway::json
