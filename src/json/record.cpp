// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "json/record.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/format.hpp"
#include "base/text/suggest.hpp"

namespace slipway::json {

bool Decoder::error(Value at, DiagnosticKind kind, std::string message) {
  diagnostics_.add(problem(at, kind, std::move(message)));
  return false;
}

void Decoder::warning(Value at, DiagnosticKind kind, std::string message) {
  diagnostics_.add(problem(at, kind, std::move(message), Severity::Warning));
}

bool Decoder::wrong_type(Value at, std::string_view wanted) {
  const std::string key = key_above(at);
  return error(at, DiagnosticKind::WrongType,
               key.empty() ? formatted("expected {}, but here is {}", wanted, name_of(at.type()))
                           : formatted("`{}` takes {}, but here is {}", key, wanted, name_of(at.type())));
}

// A key that is missing because it is misspelled is one error.
bool Decoder::missing(Value object, std::string_view key, std::string_view subject) {
  const std::string inside = object.pointer() + "/";
  const auto is_misspelled = [&](const Diagnostic& diagnostic) {
    return diagnostic.kind == DiagnosticKind::UnknownKey && diagnostic.suggestions.size() == 1 &&
           diagnostic.suggestions.front().text == key && diagnostic.path.starts_with(inside) &&
           !diagnostic.path.substr(inside.size()).contains('/');
  };
  if (std::ranges::any_of(diagnostics_.all(), is_misspelled)) {
    Failure all = diagnostics_.release();
    for (Diagnostic& diagnostic : all) {
      if (is_misspelled(diagnostic)) diagnostic.severity = Severity::Error;
    }
    diagnostics_ = {};
    diagnostics_.add(std::move(all));
    return false;
  }
  Diagnostic diagnostic =
      problem(object, DiagnosticKind::MissingKey, formatted("missing key `{}` in {}", key, subject));
  diagnostic.location = object.opening();
  add(std::move(diagnostic));
  return false;
}

Value Decoder::member(Value object, std::string_view key, std::string_view old_key) {
  const Value found = object[key];
  const Value old = old_key.empty() ? Value() : object[old_key];
  if (!old) return found;
  Diagnostic diagnostic =
      problem(old, DiagnosticKind::DeprecatedForm,
              found ? formatted("`{}` is an old name of `{}`, which is also present and is used", old_key, key)
                    : formatted("`{}` is an old name of `{}`", old_key, key),
              Severity::Warning);
  diagnostic.location = old.key_location();
  add(std::move(diagnostic));
  return found ? found : old;
}

void Decoder::check_duplicates(Value object, std::string_view subject) {
  std::map<std::string_view, Value> seen;
  std::optional<std::string> uid;
  for (const Value member : object) {
    const auto [first, fresh] = seen.emplace(member.key(), member);
    if (fresh) continue;
    if (!uid) uid = uid_around(object);
    Diagnostic diagnostic{.severity = leniency_,
                          .kind = DiagnosticKind::DuplicateKey,
                          .message = formatted("`{}` is given twice in {}; the last one counts", member.key(), subject),
                          .location = member.key_location(),
                          .path = member.pointer(),
                          .uid = *uid};
    diagnostic.note("the first one is here", first->second.key_location());
    add(std::move(diagnostic));
  }
}

void Decoder::check_keys(Value object, std::span<const std::string_view> known, std::string_view subject,
                         std::span<const Synonym> synonyms) {
  check_duplicates(object, subject);
  const std::string uid = uid_around(object);  // once: the search takes time in proportion to the members
  for (const Value member : object) {
    const std::string& key = member.key();
    if (is_free_key(key) || std::ranges::contains(known, key)) continue;
    Diagnostic diagnostic{.severity = leniency_,
                          .kind = DiagnosticKind::UnknownKey,
                          .message = formatted("unknown key `{}` in {}", key, subject),
                          .location = member.key_location(),
                          .path = member.pointer(),
                          .uid = uid};
    auto near = closest(key, known);
    if (const auto meant = std::ranges::find(synonyms, key, &Synonym::word);
        meant != synonyms.end() && !object[meant->key])
      near = meant->key;
    if (near) diagnostic.suggest(inside_quotes(member.key_location()), *near);
    add(std::move(diagnostic));
  }
}

bool is_free_key(std::string_view key) { return key == "comment" || key.starts_with('$') || key.starts_with('_'); }

std::string subject_of(std::string_view name, Value object) {
  const Value uid = object["uid"];
  if (uid.is(Type::String) && !uid.string().empty()) return formatted("{} `{}`", name, uid.string());
  return std::string(name);
}

std::string key_above(Value value) {
  for (Value above = value.parent(); above; value = above, above = value.parent()) {
    if (above.type() == Type::Object) return value.key();
  }
  return "";
}

void Schema::reference(const Definition& definition) {
  const auto at = std::ranges::lower_bound(definitions_, definition.name, {}, &Definition::name);
  if (at == definitions_.end() || at->name != definition.name) definitions_.insert(at, definition);
  out_.object([&] { out_.member("$ref", formatted("#/$defs/{}", definition.name)); });
}

void Schema::reference(std::string_view name, void (*define)(Schema&)) { reference({name, define, nullptr}); }

void Schema::reference(const RecordTable& record) { reference({record.name(), nullptr, &record}); }

void Schema::write_definitions() {
  out_.key("$defs").object([&] {
    // Writing one definition may refer to more, which are before or after it in the order of names.
    std::vector<std::string_view> written;
    for (bool more = true; more;) {
      more = false;
      for (const Definition& definition : std::vector(definitions_)) {
        if (std::ranges::contains(written, definition.name)) continue;
        written.push_back(definition.name);
        out_.key(definition.name);
        definition.record ? definition.record->schema(*this) : definition.define(*this);
        more = true;
      }
    }
  });
}

bool Text::read(Decoder& decoder, Value value, std::string& to) const {
  if (!value.is(Type::String)) return decoder.wrong_type(value, "a string");
  to = value.string();
  if (to.empty() && !empty)
    return decoder.error(value, DiagnosticKind::OutOfRange, formatted("`{}` must not be empty", key_above(value)));
  return true;
}

void Text::schema(Schema& schema) const {
  schema.out().object([&] {
    schema.out().member("type", "string");
    if (!empty) schema.out().member("minLength", 1);
  });
}

bool Boolean::read(Decoder& decoder, Value value, bool& to) const {
  if (!value.is(Type::Bool)) return decoder.wrong_type(value, "a boolean");
  to = value.boolean();
  return true;
}

void Boolean::schema(Schema& schema) const {
  schema.out().object([&] { schema.out().member("type", "boolean"); });
}

bool Real::read(Decoder& decoder, Value value, double& to) const {
  if (!value.is(Type::Number)) return decoder.wrong_type(value, "a number");
  to = value.number();
  if (to >= min) return true;
  return decoder.error(value, DiagnosticKind::OutOfRange,
                       formatted("`{}` is {}, but must be at least {}", key_above(value), value.text(), min));
}

void Real::schema(Schema& schema) const {
  schema.out().object([&] {
    schema.out().member("type", "number");
    if (std::isfinite(min)) schema.out().member("minimum", min);
  });
}

std::optional<std::uint64_t> Integer::check(Decoder& decoder, Value value, std::uint64_t type_max) const {
  const auto none = [](bool) { return std::optional<std::uint64_t>(); };
  if (!value.is(Type::Number)) return none(decoder.wrong_type(value, "an integer"));
  const std::uint64_t limit = std::min(max, type_max);
  const auto out_of_range = [&] {
    const bool unlimited = limit == std::numeric_limits<std::uint64_t>::max();
    const std::string range =
        unlimited && value.number() < 0x1p63 ? formatted("at least {}", min) : formatted("{} to {}", min, limit);
    return none(decoder.error(value, DiagnosticKind::OutOfRange,
                              formatted("`{}` is {}, but must be {}", key_above(value), value.text(), range)));
  };
  if (const auto number = value.integer()) {
    const auto bits = static_cast<std::uint64_t>(*number);
    return *number < min || (*number >= 0 && bits > limit) ? out_of_range() : bits;
  }
  if (const auto number = value.unsigned_integer()) return *number > limit ? out_of_range() : *number;
  const bool fractional = value.text().find_first_of(".eE") != std::string_view::npos;
  if (!fractional) return out_of_range();
  return none(decoder.error(value, DiagnosticKind::WrongType,
                            formatted("`{}` takes an integer, but here is {}", key_above(value), value.text())));
}

void Integer::schema(Schema& schema) const {
  schema.out().object([&] {
    schema.out().member("type", "integer").member("minimum", min);
    if (max != std::numeric_limits<std::uint64_t>::max()) schema.out().member("maximum", max);
  });
}

std::string_view WordList::operator[](std::size_t index) const {
  return *reinterpret_cast<const std::string_view*>(static_cast<const std::byte*>(first_) + index * stride_);
}

bool read_word(Decoder& decoder, Value value, const WordList& list, std::string_view name, std::size_t& index) {
  if (!value.is(Type::String)) return decoder.wrong_type(value, "a string");
  std::vector<std::string_view> words;
  for (std::size_t i = 0; i < list.size(); ++i) words.push_back(list[i]);
  const auto found = std::ranges::find(words, value.string());
  index = static_cast<std::size_t>(found - words.begin());
  if (found != words.end()) return true;
  std::string accepted;
  for (const std::string_view word : words) accepted += formatted("{}`{}`", accepted.empty() ? "" : ", ", word);
  // "Unknown KEY value" is a compatibility text (docs/spec/scenario.md#messages).
  Diagnostic diagnostic =
      problem(value, DiagnosticKind::UnknownValue,
              formatted("Unknown {} value `{}`; accepted are {}", name.empty() ? key_above(value) : std::string(name),
                        value.string(), accepted));
  if (const auto near = closest(value.string(), words)) diagnostic.suggest(inside_quotes(value.location()), *near);
  decoder.add(std::move(diagnostic));
  return false;
}

void word_schema(Schema& schema, const WordList& words) {
  schema.out().object([&] {
    schema.out().key("enum").array([&] {
      for (std::size_t i = 0; i < words.size(); ++i) schema.out().value(words[i]);
    });
  });
}

bool check_list(Decoder& decoder, Value value, std::size_t min, std::size_t max) {
  if (!value.is(Type::Array)) return decoder.wrong_type(value, "an array");
  if (value.size() >= min && value.size() <= max) return true;
  const std::string range = min == max                                       ? formatted("{}", min)
                            : max == std::numeric_limits<std::size_t>::max() ? formatted("at least {}", min)
                                                                             : formatted("{} to {}", min, max);
  return decoder.error(value, DiagnosticKind::OutOfRange,
                       formatted("`{}` has {} elements, but must have {}", key_above(value), value.size(), range));
}

bool read_elements(Decoder& decoder, Value value, CodecHandle element, void* list, void* (*append)(void* list)) {
  bool ok = true;
  for (const Value item : value) ok &= element.read(decoder, item, append(list));
  return ok;
}

bool read_elements(Decoder& decoder, Value value, CodecHandle element, void* first, std::size_t size) {
  bool ok = true;
  auto* to = static_cast<std::byte*>(first);
  for (const Value item : value) {
    ok &= element.read(decoder, item, to);
    to += size;
  }
  return ok;
}

void write_elements(Writer& out, CodecHandle element, const void* first, std::size_t count, std::size_t size) {
  out.array([&] {
    const auto* from = static_cast<const std::byte*>(first);
    for (std::size_t i = 0; i < count; ++i, from += size) element.write(out, from);
  });
}

void list_schema(Schema& schema, std::size_t min, std::size_t max, CodecHandle element) {
  schema.out().object([&] {
    schema.out().member("type", "array");
    if (min > 0) schema.out().member("minItems", min);
    if (max != std::numeric_limits<std::size_t>::max()) schema.out().member("maxItems", max);
    schema.out().key("items");
    element.schema(schema);
  });
}

void one_or_more_schema(Schema& schema, CodecHandle element) {
  schema.out().object([&] {
    schema.out().key("anyOf").array([&] {
      element.schema(schema);
      list_schema(schema, 0, std::numeric_limits<std::size_t>::max(), element);
    });
  });
}

void map_schema(Schema& schema, CodecHandle element) {
  schema.out().object([&] {
    schema.out().member("type", "object").key("additionalProperties");
    element.schema(schema);
  });
}

void or_null_schema(Schema& schema, CodecHandle codec) {
  schema.out().object([&] {
    schema.out().key("anyOf").array([&] {
      schema.out().object([&] { schema.out().member("type", "null"); });
      codec.schema(schema);
    });
  });
}

void Constant::schema(Schema& schema) const {
  schema.out().object([&] { schema.out().key("const").raw(text); });
}

}  // namespace slipway::json
