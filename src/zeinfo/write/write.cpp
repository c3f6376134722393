// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes canonical text. The rules for strings are those of LLVM's YAML writer, which the compilers use.

#include "zeinfo/write/write.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/format.hpp"
#include "zeinfo/read/parse.hpp"
#include "zeinfo/read/scalars.hpp"
#include "zeinfo/schema.hpp"

namespace slipway::zeinfo {
namespace {

struct CodeRange {
  char32_t first;
  char32_t last;
};
constexpr CodeRange kUnprintable[] = {
#include "zeinfo/write/unprintable.def"
};

bool is_printable(char32_t code) {
  const auto after = std::ranges::upper_bound(kUnprintable, code, {}, &CodeRange::first);
  return after == std::begin(kUnprintable) || code > std::prev(after)->last;
}

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
constexpr bool is_alnum(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool is_number(std::string_view s) {
  constexpr std::array<std::string_view, 3> kNan = {".nan", ".NaN", ".NAN"};
  constexpr std::array<std::string_view, 3> kInfinity = {".inf", ".Inf", ".INF"};
  if (std::ranges::contains(kNan, s)) return true;
  if (s.starts_with("0x")) {
    return s.size() > 2 && s.find_first_not_of("0123456789abcdefABCDEF", 2) == s.npos;
  }
  if (s.starts_with("0o")) return s.size() > 2 && s.find_first_not_of("01234567", 2) == s.npos;
  if (s.starts_with('-') || s.starts_with('+')) s.remove_prefix(1);
  if (std::ranges::contains(kInfinity, s)) return true;
  std::size_t digits = 0;
  const auto skip_digits = [&] {
    std::size_t count = 0;
    while (!s.empty() && is_digit(s.front())) {
      s.remove_prefix(1);
      ++count;
    }
    return count;
  };
  digits = skip_digits();
  if (s.starts_with('.')) {
    s.remove_prefix(1);
    digits += skip_digits();
  }
  if (digits == 0) return false;
  if (s.starts_with('e') || s.starts_with('E')) {
    s.remove_prefix(1);
    if (s.starts_with('-') || s.starts_with('+')) s.remove_prefix(1);
    if (skip_digits() == 0) return false;
  }
  return s.empty();
}

enum class Quotes : std::uint8_t { None, Single, Double };

Quotes quotes_for(std::string_view s) {
  if (s.empty()) return Quotes::Single;
  Quotes quotes = Quotes::None;
  for (const char c : s) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x7f || (byte < 0x20 && c != '\t')) return Quotes::Double;
    if (!is_alnum(c) && std::string_view("_-^., \t").find(c) == std::string_view::npos) quotes = Quotes::Single;
  }
  if (quotes != Quotes::None) return quotes;
  constexpr std::array<std::string_view, 10> kWords = {"null", "Null", "NULL",  "~",     "true",
                                                       "True", "TRUE", "false", "False", "FALSE"};
  const bool quoted = is_space(s.front()) || is_space(s.back()) || std::ranges::contains(kWords, s) || is_number(s) ||
                      std::string_view("-?:\\,[]{}#&*!|>'\"%@`").contains(s.front());
  return quoted ? Quotes::Single : Quotes::None;
}

void append_escaped(std::string& out, std::string_view s) {
  struct Escape {
    char32_t code;
    std::string_view text;
  };
  constexpr std::array kEscapes = {
      Escape{'\\', "\\\\"}, Escape{'"', "\\\""}, Escape{0, "\\0"},    Escape{7, "\\a"},      Escape{8, "\\b"},
      Escape{9, "\\t"},     Escape{10, "\\n"},   Escape{11, "\\v"},   Escape{12, "\\f"},     Escape{13, "\\r"},
      Escape{27, "\\e"},    Escape{0x85, "\\N"}, Escape{0xa0, "\\_"}, Escape{0x2028, "\\L"}, Escape{0x2029, "\\P"}};
  while (!s.empty()) {
    const char* from = s.data();
    const char32_t code = next_code_point(s);
    const auto known = std::ranges::find(kEscapes, code, &Escape::code);
    const auto number = static_cast<std::uint32_t>(code);
    if (known != kEscapes.end()) {
      out += known->text;
    } else if (code < 0x20) {
      append_formatted(out, "\\x{:02X}", number);
    } else if (code < 0x80 || is_printable(code)) {
      out.append(from, s.data());
    } else if (code <= 0xff) {
      append_formatted(out, "\\x{:02X}", number);
    } else if (code <= 0xffff) {
      append_formatted(out, "\\u{:04X}", number);
    } else {
      append_formatted(out, "\\U{:08X}", number);
    }
  }
}

bool append_string(std::string& out, std::string_view s) {
  switch (quotes_for(s)) {
    case Quotes::None:
      out += s;
      return true;
    case Quotes::Single:
      out += '\'';
      for (const char c : s) {
        out += c;
        if (c == '\'') out += c;
      }
      out += '\'';
      return true;
    case Quotes::Double:
      if (invalid_utf8(s) != s.npos) return false;
      out += '"';
      append_escaped(out, s);
      out += '"';
      return true;
  }
  return true;
}

std::unexpected<Failure> bad_string(std::string_view text) {
  return fail(DiagnosticKind::InvalidUtf8, SourceLocation::nowhere(),
              formatted("a string of {} bytes is not UTF-8 and cannot be written as text", text.size()));
}

class Writer {
 public:
  explicit Writer(int level) : level_(level) {}

  void mapping(Object object, int indent) {
    bool first = true;
    for (const FieldInfo& field : object.mapping().fields) {
      if (!object.is_written(field, level_)) continue;
      if (!first || !after_dash_) out_.append(static_cast<std::size_t>(indent) * 2, ' ');
      first = false;
      after_dash_ = false;
      entry(object, field, indent);
    }
    // An item with only default values; no list of the schema can have one, because all have required fields.
    if (after_dash_) out_ += "{}\n";
    after_dash_ = false;
  }
  std::string text() { return std::move(out_); }
  std::string& out() { return out_; }
  std::optional<std::string_view> bad() const { return bad_; }

 private:
  void entry(Object object, const FieldInfo& field, int indent) {
    out_ += field.key;
    out_ += ':';
    switch (field.type) {
      case Type::Mapping:
        out_ += '\n';
        if (level_ < 7 &&
            (field.mapping == &mapping_of<ExperimentalProperties>() || field.mapping == &mapping_of<DebugEnv>())) {
          dash(indent + 1);
          mapping(object.nested(field), indent + 2);
        } else {
          mapping(object.nested(field), indent + 1);
        }
        return;
      case Type::Sequence: {
        const std::uint32_t count = object.count(field);
        if (count == 0) break;
        out_ += '\n';
        for (std::uint32_t i = 0; i < count; ++i) {
          dash(indent + 1);
          mapping(object.item(field, i), indent + 2);
        }
        return;
      }
      default:
        break;
    }
    out_.append(field.key.size() < 16 ? 16 - field.key.size() : 1, ' ');
    scalar(object, field);
    out_ += '\n';
  }

  void dash(int indent) {
    out_.append(static_cast<std::size_t>(indent) * 2, ' ');
    out_ += "- ";
    after_dash_ = true;
  }

  void number(std::int32_t value) {
    char digits[12];
    const auto [end, error] = std::to_chars(digits, std::end(digits), value);
    out_.append(digits, end);
  }

  void scalar(Object object, const FieldInfo& field) {
    switch (field.type) {
      case Type::Int32:
        return number(object.integer(field));
      case Type::Bool:
        out_ += object.boolean(field) ? "true" : "false";
        return;
      case Type::Float:
        append_formatted(out_, "{:g}", object.real(field));
        return;
      case Type::String:
        if (!append_string(out_, object.string(field))) bad_ = object.string(field);
        return;
      case Type::Enum:
        // A required enum without a value is a text with errors; it has no canonical form.
        if (object.enumerator(field)) append_string(out_, (*field.values)[object.enumerator(field)].name);
        return;
      case Type::Version:
        append_string(out_, object.version(field).is_pre() ? "" : text_of(object.version(field)));
        return;
      case Type::Int3: {
        // Three int32 never reach column 70, where longer lists would be broken.
        const Int3& value = object.int3(field);
        out_ += "[ ";
        number(value[0]);
        out_ += ", ";
        number(value[1]);
        out_ += ", ";
        number(value[2]);
        out_ += " ]";
        return;
      }
      case Type::Sequence:
        out_ += "[]";
        return;
      case Type::Mapping:
        return;
    }
  }

  std::string out_;
  int level_;
  bool after_dash_ = false;
  std::optional<std::string_view> bad_;
};

}  // namespace

std::optional<std::string_view> not_understood(const Document& document) {
  const auto unknown = std::ranges::find_if(document.deviations, [](const Deviation& one) {
    return one.kind == DeviationKind::UnknownKey || one.kind == DeviationKind::UnknownValue;
  });
  if (unknown == document.deviations.end()) return std::nullopt;
  return document.text.substr(unknown->span.begin, unknown->span.end - unknown->span.begin);
}

Result<std::string> write(const Document& document) {
  if (const auto unknown = not_understood(document)) {
    return fail(
        DiagnosticKind::VersionNewer, SourceLocation::nowhere(),
        formatted("the text has `{}`, which this program does not know; writing the text would lose it", *unknown));
  }
  Writer writer(effective_version(document).level());
  writer.out().reserve(document.from_json ? 0 : document.text.size());
  writer.out() = "---\n";
  writer.mapping(Object::of(static_cast<const Root&>(document)), 0);
  writer.out() += "...\n";
  if (writer.bad()) return bad_string(*writer.bad());
  return writer.text();
}

Result<std::string> write_string(std::string_view text) {
  std::string out;
  if (!append_string(out, text)) return bad_string(text);
  return out;
}

}  // namespace slipway::zeinfo
