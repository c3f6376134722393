// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "zeinfo/write/json.hpp"

#include <cmath>
#include <cstring>
#include <ranges>

#include "base/format.hpp"
#include "base/text/suggest.hpp"
#include "zeinfo/read/parse.hpp"
#include "zeinfo/read/scalars.hpp"
#include "zeinfo/schema.hpp"
#include "zeinfo/words.hpp"
#include "zeinfo/write/write.hpp"

namespace slipway::zeinfo {
namespace {

// --- writing ---------------------------------------------------------------------------------------------------------

struct JsonStyle {
  bool defaults = false;
  int level = 0;  // of the document's version
};

void write_object(Object object, json::Writer& out, const JsonStyle& options);

void write_field(Object object, const FieldInfo& field, json::Writer& out, const JsonStyle& options) {
  switch (field.type) {
    case Type::Int32:
      out.value(object.integer(field));
      return;
    case Type::Bool:
      out.value(object.boolean(field));
      return;
    case Type::Float: {
      const float number = object.real(field);
      // The shortest text of the float, not of the nearest double; JSON cannot represent values that are not finite.
      if (std::isfinite(number)) {
        out.raw(formatted("{}", number));
      } else {
        out.value(std::isnan(number) ? ".nan" : number > 0 ? ".inf" : "-.inf");
      }
      return;
    }
    case Type::String:
      out.value(object.string(field));
      return;
    case Type::Enum:
      if (object.enumerator(field)) {
        out.value((*field.values)[object.enumerator(field)].name);
      } else {
        out.null();
      }
      return;
    case Type::Version:
      out.value(std::string_view(text_of(object.version(field))));
      return;
    case Type::Int3: {
      const Int3& value = object.int3(field);
      if (!value) {
        out.null();
        return;
      }
      out.array([&] {
        for (const std::int32_t one : value.values) out.value(one);
      });
      return;
    }
    case Type::Mapping:
      write_object(object.nested(field), out, options);
      return;
    case Type::Sequence:
      out.array([&] {
        for (std::uint32_t i = 0; i < object.count(field); ++i) write_object(object.item(field, i), out, options);
      });
      return;
  }
}

void write_object(Object object, json::Writer& out, const JsonStyle& options) {
  out.object([&] {
    for (const FieldInfo& field : object.mapping().fields) {
      if (!object.is_written(field, options.level)) {
        // An absent version, enum or int3 has no default value to write.
        const bool has_default = field.type != Type::Version && field.type != Type::Enum && field.type != Type::Int3;
        if (!options.defaults || !has_default) continue;
      }
      out.key(field.key);
      write_field(object, field, out, options);
    }
  });
}

const char* first_bad_string(Object object, std::string_view& bad) {
  for (const FieldInfo& field : object.mapping().fields) {
    const char* found = nullptr;
    if (field.type == Type::String && invalid_utf8(object.string(field)) != std::string_view::npos) {
      bad = object.string(field);
      return bad.data();
    }
    if (field.type == Type::Mapping) found = first_bad_string(object.nested(field), bad);
    if (field.type == Type::Sequence) {
      for (std::uint32_t i = 0; i < object.count(field) && !found; ++i) {
        found = first_bad_string(object.item(field, i), bad);
      }
    }
    if (found) return found;
  }
  return nullptr;
}

// --- reading ---------------------------------------------------------------------------------------------------------

class JsonReader {
 public:
  JsonReader(Document& document, Diagnostics& diagnostics) : document_(document), diagnostics_(diagnostics) {}

  void mapping(const MappingInfo& info, json::Value value, std::byte* object) {
    if (!value.is(json::Type::Object)) {
      error(value, DiagnosticKind::NotAMapping,
            formatted("{} is an object, not {}", info.name, json::name_of(value.type())));
      return;
    }
    const Span span = value.location().span;
    const auto at = static_cast<std::uint32_t>(span.begin);
    std::memcpy(object + sizeof(std::uint64_t), &at, sizeof at);
    std::uint64_t seen = 0;
    for (const json::Value member : value) {
      const std::uint8_t location = keys_of(info).find(member.key());
      if (location == WordTable::kNone) {
        if (member.key().starts_with('$') && &info == &mapping_of<Root>()) continue;  // $schema
        Diagnostic& told =
            error(member, DiagnosticKind::UnknownKey, formatted("unknown key `{}` in {}", member.key(), info.name));
        told.location = member.key_location();
        const auto near = closest(member.key(), info.fields | std::views::transform(&FieldInfo::key));
        if (near) told.suggest(json::inside_quotes(member.key_location()), *near);
        continue;
      }
      if (seen >> location & 1) {
        error(member, DiagnosticKind::DuplicateKey, formatted("`{}` appears twice here", member.key())).location =
            member.key_location();
        continue;
      }
      seen |= std::uint64_t{1} << location;
      if (field(info.fields[location], member, object)) {
        std::uint64_t present = 0;
        std::memcpy(&present, object, sizeof present);
        present |= std::uint64_t{1} << location;
        std::memcpy(object, &present, sizeof present);
      }
    }
    for (const FieldInfo& one : info.fields) {
      if (!one.required || seen >> one.index & 1) continue;
      error(value, DiagnosticKind::MissingKey, formatted("{} without its required key `{}`", info.name, one.key))
          .location = value.opening();
    }
  }

 private:
  Diagnostic& error(json::Value at, DiagnosticKind kind, std::string message) {
    document_.has_errors = true;
    return diagnostics_.add(json::problem(at, kind, std::move(message)));
  }
  template <class T>
  static void store(std::byte* object, const FieldInfo& field, const T& value) {
    std::memcpy(object + field.offset, &value, sizeof value);
  }
  bool wrong(json::Value at, DiagnosticKind kind, const FieldInfo& field, std::string_view wanted) {
    error(at, kind, formatted("`{}` takes {}, not {}", field.key, wanted, at.text().substr(0, 60)));
    return false;
  }

  bool int32(const FieldInfo& field, json::Value value, std::int32_t& to) {
    if (!value.is(json::Type::Number)) return wrong(value, DiagnosticKind::BadInteger, field, "an integer");
    const auto number = value.integer();
    if (!number && std::floor(value.number()) != value.number()) {
      return wrong(value, DiagnosticKind::BadInteger, field, "an integer");
    }
    if (!number || *number != static_cast<std::int32_t>(*number)) {
      return wrong(value, DiagnosticKind::IntegerRange, field, "an integer of 32 bits");
    }
    to = static_cast<std::int32_t>(*number);
    return true;
  }

  // Whether the field is present now.
  bool field(const FieldInfo& field, json::Value value, std::byte* object) {
    switch (field.type) {
      case Type::Int32: {
        std::int32_t number = 0;
        if (!int32(field, value, number)) return false;
        store(object, field, number);
        return true;
      }
      case Type::Bool:
        if (!value.is(json::Type::Bool)) return wrong(value, DiagnosticKind::BadBoolean, field, "true or false");
        store(object, field, value.boolean());
        return true;
      case Type::Float: {
        std::optional<float> number;
        if (value.is(json::Type::Number)) number = static_cast<float>(value.number());
        if (value.is(json::Type::String)) number = parse_real(value.string());
        if (!number) return wrong(value, DiagnosticKind::BadFloat, field, "a number");
        store(object, field, *number);
        return true;
      }
      case Type::String:
        if (!value.is(json::Type::String)) return wrong(value, DiagnosticKind::NotAScalar, field, "a string");
        store(object, field, document_.arena->copy(std::string_view(value.string())));
        return true;
      case Type::Enum:
        return enumerator(field, value, object);
      case Type::Version:
        return version(field, value, object);
      case Type::Int3:
        return int3(field, value, object);
      case Type::Mapping:
        mapping(*field.mapping, value, object + field.offset);
        return true;
      case Type::Sequence:
        return sequence(field, value, object);
    }
    return false;
  }

  bool enumerator(const FieldInfo& field, json::Value value, std::byte* object) {
    const std::uint8_t location =
        value.is(json::Type::String) ? words_of(*field.values).find(value.string()) : WordTable::kNone;
    if (location == WordTable::kNone) {
      Diagnostic& told = error(value, DiagnosticKind::UnknownValue,
                               formatted("`{}` has no value {}", field.key, value.text().substr(0, 60)));
      if (value.is(json::Type::String)) {
        const auto near = closest(value.string(), field.values->values | std::views::transform(&ValueInfo::name));
        if (near) told.suggest(json::inside_quotes(value.location()), *near);
      }
      return false;
    }
    store(object, field, static_cast<std::uint8_t>(location + 1));
    return true;
  }

  bool version(const FieldInfo& field, json::Value value, std::byte* object) {
    const auto parsed = value.is(json::Type::String) ? parse_version(value.string()) : std::nullopt;
    if (!parsed) return wrong(value, DiagnosticKind::BadVersion, field, "a string MAJOR.MINOR");
    if (parsed->major != 1) return wrong(value, DiagnosticKind::UnsupportedVersion, field, "a version 1.MINOR");
    store(object, field, *parsed);
    return true;
  }

  bool int3(const FieldInfo& field, json::Value value, std::byte* object) {
    if (!value.is(json::Type::Array))
      return wrong(value, DiagnosticKind::NotASequence, field, "an array of three integers");
    if (value.size() != 3) return wrong(value, DiagnosticKind::ListLength, field, "an array of three integers");
    Int3 to{.present = true};
    for (std::size_t i = 0; i < 3; ++i) {
      if (!int32(field, value[i], to.values[i])) return false;
    }
    store(object, field, to);
    return true;
  }

  bool sequence(const FieldInfo& field, json::Value value, std::byte* object) {
    if (!value.is(json::Type::Array)) return wrong(value, DiagnosticKind::NotASequence, field, "an array of objects");
    const std::size_t size = field.mapping->size;
    std::byte* items = document_.arena->allocate(size * value.size());
    std::byte* to = items;
    for (const json::Value item : value) {
      std::memcpy(to, field.mapping->blank(), size);
      mapping(*field.mapping, item, to);
      to += size;
    }
    store(object, field, RawList{items, static_cast<std::uint32_t>(value.size())});
    return true;
  }

  Document& document_;
  Diagnostics& diagnostics_;
};

}  // namespace

void write_json(const Document& document, json::Writer& out, const JsonOptions& options) {
  write_object(Object::of(static_cast<const Root&>(document)), out,
               {.defaults = options.defaults, .level = effective_version(document).level()});
}

Result<std::string> to_json(const Document& document, const JsonOptions& options) {
  if (const auto unknown = not_understood(document)) {
    return fail(DiagnosticKind::VersionNewer, SourceLocation::nowhere(),
                formatted("the text has `{}`, which this program does not know; its JSON would lose it", *unknown));
  }
  std::string_view bad;
  if (first_bad_string(Object::of(static_cast<const Root&>(document)), bad)) {
    return fail(DiagnosticKind::InvalidUtf8, SourceLocation::nowhere(),
                formatted("a string of {} bytes is not UTF-8 and cannot be written as JSON", bad.size()));
  }
  json::Writer out;
  write_json(document, out, options);
  return out.text();
}

Document read_json(const SourcePtr& source, Diagnostics& diagnostics) {
  Document document;
  document.text = source->text();
  document.from_json = true;
  const auto parsed = diagnostics.take(json::parse(source));
  if (!parsed) {
    document.has_errors = true;
    return document;
  }
  Root& root = document;
  JsonReader(document, diagnostics).mapping(mapping_of<Root>(), (*parsed)->root(), reinterpret_cast<std::byte*>(&root));
  return document;
}

}  // namespace slipway::zeinfo
