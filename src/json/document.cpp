// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "json/document.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/format.hpp"

namespace slipway::json {

std::string_view name_of(Type type) {
  switch (type) {
    case Type::Null:
      return "null";
    case Type::Bool:
      return "a boolean";
    case Type::Number:
      return "a number";
    case Type::String:
      return "a string";
    case Type::Array:
      return "an array";
    case Type::Object:
      return "an object";
  }
  return "";
}

std::size_t end_of_string(std::string_view text, std::size_t begin) {
  std::size_t i = begin + 1;
  while (i < text.size() && text[i] != '"') i += text[i] == '\\' ? 2 : 1;
  return std::min(i + 1, text.size());
}

std::size_t end_of_comment(std::string_view text, std::size_t begin) {
  if (text.substr(begin, 2) == "//") return std::min(text.find('\n', begin), text.size());
  const std::size_t close = text.substr(begin, 2) == "/*" ? text.find("*/", begin + 2) : text.npos;
  return close == text.npos ? begin : close + 2;
}

namespace {

// To the next character that is not a blank, a comma, or in a comment.
std::size_t skip_between(std::string_view text, std::size_t at) {
  while (true) {
    at = std::min(text.find_first_not_of(" \t\r\n,", at), text.size());
    const std::size_t end = end_of_comment(text, at);
    if (end == at) return at;
    at = end;
  }
}

bool is_closing(std::string_view text, std::size_t at) {
  return at < text.size() && (text[at] == '}' || text[at] == ']');
}

}  // namespace

std::size_t Document::end_of_token(std::uint32_t index) const {
  const std::string_view text = source_->text();
  const std::size_t begin = nodes_[index].begin;
  if (nodes_[index].is_container) return begin + 1;
  if (text[begin] == '"') return end_of_string(text, begin);
  return std::min(text.find_first_of(" \t\r\n,]}/", begin), text.size());
}

std::size_t Document::end_of(std::uint32_t index) const {
  // After the last value in it come the brackets that close what that is the last value of.
  const std::uint32_t last = after(index) - 1;
  std::size_t brackets = nodes_[last].is_container ? 1 : 0;
  for (std::uint32_t each = last; each != index; each = nodes_[each].parent) ++brackets;
  const std::string_view text = source_->text();
  std::size_t at = end_of_token(last);
  for (; brackets != 0; --brackets) at = std::min(skip_between(text, at) + 1, text.size());
  return at;
}

std::size_t Document::key_of(std::uint32_t index) const {
  const std::string_view text = source_->text();
  std::size_t at = skip_between(text, end_of_token(index - 1));
  while (is_closing(text, at)) at = skip_between(text, at + 1);
  return at;
}

Value Document::root() const { return nodes_.empty() ? Value() : Value(this, 0); }

Type Value::type() const {
  switch (document_->source_->text()[node().begin]) {
    case '{':
      return Type::Object;
    case '[':
      return Type::Array;
    case '"':
      return Type::String;
    case 't':
    case 'f':
      return Type::Bool;
    case 'n':
      return Type::Null;
    default:
      return Type::Number;
  }
}

std::size_t Value::size() const { return static_cast<std::size_t>(std::ranges::distance(begin(), end())); }

const std::string& Value::string() const {
  static const std::string kNone;
  return is(Type::String) ? document_->strings_[node().link] : kNone;
}

double Value::number() const {
  double value = 0;
  const std::string_view digits = text();
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  // from_chars does not set a value that is out of range: tiny ones become zero, huge ones infinite.
  if (error == std::errc::result_out_of_range && digits.find("e-") == digits.npos && digits.find("E-") == digits.npos) {
    value = digits.starts_with('-') ? -HUGE_VAL : HUGE_VAL;
  }
  return value;
}

std::optional<std::int64_t> Value::integer() const {
  const std::string_view digits = text();
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc() && end == digits.data() + digits.size()) return value;
  if (error == std::errc::result_out_of_range) return std::nullopt;
  const double real = number();  // an integral float such as 40.0 or 4e1
  if (real != std::floor(real) || std::abs(real) >= 0x1p53) return std::nullopt;
  return static_cast<std::int64_t>(real);
}

std::optional<std::uint64_t> Value::unsigned_integer() const {
  const std::string_view digits = text();
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc() && end == digits.data() + digits.size()) return value;
  const std::optional<std::int64_t> small = integer();
  if (!small || *small < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*small);
}

Value Value::operator[](std::string_view key) const {
  Value found;
  if (!is(Type::Object)) return found;
  for (const Value member : *this) {
    if (member.key() == key) found = member;
  }
  return found;
}

Value Value::operator[](std::size_t index) const {
  if (!is(Type::Array) && !is(Type::Object)) return {};
  for (const Value element : *this) {
    if (index-- == 0) return element;
  }
  return {};
}

Value Value::parent() const {
  if (!document_ || node().parent == Document::kNoParent) return {};
  return {document_, node().parent};
}

SourceLocation Value::location() const {
  return document_ ? SourceLocation::in_text(document_->source_, {node().begin, document_->end_of(index_)})
                   : SourceLocation::nowhere();
}

SourceLocation Value::key_location() const {
  const std::uint64_t begin = document_->key_of(index_);
  return SourceLocation::in_text(document_->source_, {begin, end_of_string(document_->source_->text(), begin)});
}

SourceLocation Value::opening() const {
  return document_ ? SourceLocation::in_text(document_->source_, {node().begin, node().begin + 1})
                   : SourceLocation::nowhere();
}

std::string_view Value::text() const { return document_->source_->text({node().begin, document_->end_of(index_)}); }

std::string Value::pointer() const {
  const Value above = parent();
  if (!above) return "";
  if (above.type() == Type::Array) {
    return formatted("{}/{}", above.pointer(), std::uint32_t{node().name});
  }
  std::string escaped;
  for (const char c : key()) {
    if (c == '~')
      escaped += "~0";
    else if (c == '/')
      escaped += "~1";
    else
      escaped += c;
  }
  return above.pointer() + "/" + escaped;
}

SourceLocation inside_quotes(SourceLocation quoted) {
  quoted.span = {quoted.span.begin + 1, quoted.span.end - 1};
  return quoted;
}

std::string uid_around(Value value) {
  for (; value; value = value.parent()) {
    if (const Value uid = value["uid"]; uid.is(Type::String)) return uid.string();
  }
  return "";
}

Diagnostic problem(Value at, DiagnosticKind kind, std::string message, Severity severity) {
  return Diagnostic{.severity = severity,
                    .kind = kind,
                    .message = std::move(message),
                    .location = at.location(),
                    .path = at.pointer(),
                    .uid = uid_around(at)};
}

}  // namespace slipway::json
