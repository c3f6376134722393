// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tokens of the YAML subset: blanks, comments, line ends and scalars (docs/spec/zeinfo.md#text-syntax).

#include "base/format.hpp"
#include "zeinfo/read/reader.hpp"
#include "zeinfo/read/scalars.hpp"
#include "zeinfo/read/scan.hpp"

namespace slipway::zeinfo {

Reader::Reader(std::string_view text, Document& document, TextDiagnostics* diagnostics, bool quick)
    : begin_(text.data()),
      end_(text.data() + text.size()),
      p_(begin_),
      line_(begin_),
      quick_end_(quick && text.size() > scan::kSlack ? end_ - scan::kSlack : begin_),
      document_(document),
      diagnostics_(diagnostics) {}

Diagnostic* Reader::problem(Severity severity, DiagnosticKind kind, Span span, std::string_view message) {
  return diagnostics_ ? diagnostics_->report(severity, kind, span, message) : nullptr;
}

void Reader::error(DiagnosticKind kind, Span span, std::string_view message) {
  document_.has_errors = true;
  ++errors_;
  problem(Severity::Error, kind, span, message);
}

void Reader::deviation(DeviationKind kind, Span span, const MappingInfo* mapping, const FieldInfo* field) {
  if (diagnostics_ && document_.deviations.size() < Document::kMaxDeviations) {
    document_.deviations.push_back({kind, span, mapping, field, kernel_});
  }
}

bool Reader::is_line_end(const char* at) const {
  return at >= end_ || *at == '\n' || (*at == '\r' && (at + 1 >= end_ || at[1] == '\n'));
}

bool Reader::is_blank_or_end(const char* at) const { return is_line_end(at) || *at == ' ' || *at == '\t'; }

// `---` or `...` at the start of a line.
bool Reader::at_marker() const {
  if (!fresh_ || column_ != 0 || end_ - p_ < 3) return false;
  const std::string_view three(p_, 3);
  return (three == "---" || three == "...") && is_blank_or_end(p_ + 3);
}

bool Reader::check_utf8(std::string_view text) {
  const std::size_t bad = invalid_utf8(text);
  if (bad == text.npos) return true;
  const char* at = text.data() + bad;
  error(DiagnosticKind::InvalidUtf8, span(at, at + 1),
        formatted("byte 0x{:02x} is not UTF-8 here", static_cast<unsigned char>(*at)));
  return false;
}

// Stops at the line end. False if the comment is not UTF-8.
bool Reader::skip_comment() {
  const char* from = p_;
  skip_line();
  return check_utf8({from, static_cast<std::size_t>(p_ - from)});
}

void Reader::skip_line() {
  const void* found = p_ < end_ ? std::memchr(p_, '\n', static_cast<std::size_t>(end_ - p_)) : nullptr;
  p_ = found ? static_cast<const char*>(found) : end_;
}

void Reader::skip_inline_blanks() {
  while (p_ < end_ && (*p_ == ' ' || *p_ == '\t')) {
    if (*p_ == '\t') deviation(DeviationKind::TabSeparator, span(p_, p_ + 1));
    ++p_;
  }
}

void Reader::next_token() {
  fresh_ = p_ == line_;
  const char* tab = nullptr;
  while (p_ < end_) {
    const char c = *p_;
    if (c == '\n') {
      line_ = ++p_;
      fresh_ = true;
      tab = nullptr;
      if (p_ < quick_end_) p_ = scan::skip_blanks(p_);
    } else if (c == ' ') {
      ++p_;
    } else if (c == '\t') {
      if (fresh_ && !tab) tab = p_;
      ++p_;
    } else if (c == '\r' && is_line_end(p_)) {
      ++p_;
    } else if (c == '#' && (p_ == line_ || p_[-1] == ' ' || p_[-1] == '\t')) {
      skip_comment();
    } else {
      break;
    }
  }
  column_ = static_cast<int>(p_ - line_);
  if (tab && p_ < end_) {
    error(DiagnosticKind::TabIndentation, span(tab, tab + 1), "a tab in the indentation; YAML indents with spaces");
  }
}

void Reader::end_line() {
  const char* from = p_;
  skip_inline_blanks();
  if (p_ < end_ && *p_ == '#' && p_ > from) {
    if (from > begin_ && from[-1] == ']') deviation(DeviationKind::CommentAfterBracket, span(p_, p_ + 1));
    skip_comment();
    return;
  }
  if (is_line_end(p_)) return;
  const char* rest = p_;
  skip_line();
  error(DiagnosticKind::BadToken, span(rest, rest + 1), "content after the value; a value ends with its line");
}

// Whether the line continues as `key:`, which distinguishes a mapping from a scalar.
bool Reader::looks_like_entry() const {
  const char* at = p_;
  if (at < quick_end_ && *at >= 'A' && *at <= 'z') {
    const scan::Block block(at);
    const std::uint32_t colon = block.equal(':');
    if (colon && !(block.special() & ((colon & -colon) - 1))) {
      const char next = at[std::countr_zero(colon) + 1];
      if (next == ' ' || next == '\n') return true;
    }
  }
  if (at < end_ && (*at == '"' || *at == '\'')) {
    const char quote = *at++;
    while (at < end_ && *at != '\n' && *at != quote) at += *at == '\\' && quote == '"' && at + 1 < end_ ? 2 : 1;
    if (at >= end_ || *at != quote) return false;
    ++at;
    while (at < end_ && (*at == ' ' || *at == '\t')) ++at;
    return at < end_ && *at == ':' && is_blank_or_end(at + 1);
  }
  const auto is_name = [](char c) { return c == '_' || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  bool name = at < end_ && *at >= 'a' && *at <= 'z';  // only a name, and blanks after it, so far
  bool blanks = false;
  for (; at < end_ && *at != '\n'; ++at) {
    if (*at == ':' && (name || is_blank_or_end(at + 1))) return true;
    blanks |= *at == ' ';
    name = name && (blanks ? *at == ' ' : is_name(*at));
    if (*at == '#' && at > p_ && (at[-1] == ' ' || at[-1] == '\t')) return false;
  }
  return false;
}

Reader::Scalar Reader::read_scalar(bool in_flow, bool is_key) {
  return peek() == '\'' || peek() == '"' ? read_quoted() : read_plain(in_flow, is_key);
}

namespace {

struct Construct {
  char first;
  std::string_view name;
};
constexpr Construct kUnsupported[] = {{'&', "an anchor"},      {'*', "an alias"},       {'!', "a tag"},
                                      {'|', "a block scalar"}, {'>', "a block scalar"}, {'%', "a directive"},
                                      {'?', "a complex key"}};

}  // namespace

Reader::Scalar Reader::read_plain(bool in_flow, bool is_key) {
  Scalar scalar;
  const char* from = p_;
  const char first = peek();
  for (const Construct& one : kUnsupported) {
    if (one.first != first || (first == '?' && !is_blank_or_end(p_ + 1))) continue;
    skip_line();
    deviation(DeviationKind::Unsupported, span(from, from + 1));
    error(DiagnosticKind::UnsupportedYaml, span(from, from + 1), formatted("{}: not supported by ZE Info", one.name));
    scalar.ok = false;
    return scalar;
  }
  const bool indicator = first == '@' || first == '`' || first == ',' || first == ']' || first == '}' || first == '#' ||
                         first == '[' || first == '{' || ((first == '-' || first == ':') && is_blank_or_end(p_ + 1));
  const char* last = p_;  // after the last character that is not blank
  bool high = false;
  const char* bad = indicator ? p_ : nullptr;
  while (!bad && p_ < end_) {
    const char c = *p_;
    if (c == '\n' || (c == '\r' && is_line_end(p_))) break;
    if (c == ':' && is_key && !in_flow) break;
    if (c == ':' && (is_blank_or_end(p_ + 1) || (in_flow && (p_[1] == ',' || p_[1] == ']' || p_[1] == '}')))) {
      if (is_key) break;
      bad = p_;
      break;
    }
    if (in_flow && (c == ',' || c == ']' || c == '}' || c == '[' || c == '{')) {
      if (c == '[' || c == '{') bad = p_;
      break;
    }
    if (c == '#' && p_ > from && (p_[-1] == ' ' || p_[-1] == '\t')) break;
    if (static_cast<unsigned char>(c) < 0x20 && c != '\t') bad = p_;
    if (c == 0x7f) bad = p_;
    high |= static_cast<signed char>(c) < 0;
    ++p_;
    if (c != ' ' && c != '\t') last = p_;
  }
  if (bad) {
    const auto code = static_cast<unsigned char>(*bad);
    const std::string what =
        code < 0x20 || code == 0x7f ? formatted("the control character 0x{:02x}", code) : formatted("`{}`", *bad);
    p_ = bad;
    skip_line();
    error(DiagnosticKind::BadToken, span(bad, bad + 1), what + " is not allowed here; put the value in quotes");
    scalar.ok = false;
    return scalar;
  }
  p_ = last;
  scalar.text = {from, static_cast<std::size_t>(last - from)};
  scalar.span = span(from, last);
  if (high) scalar.ok = check_utf8(scalar.text);
  return scalar;
}

Reader::Scalar Reader::read_quoted() {
  Scalar scalar;
  const char* from = p_;
  const char quote = *p_++;
  scalar.style = quote == '"' ? Style::Double : Style::Single;
  bool escapes = false;
  bool high = false;
  const char* control = nullptr;
  while (p_ < end_ && *p_ != '\n') {
    if (*p_ == quote) {
      if (quote == '"' || p_ + 1 >= end_ || p_[1] != '\'') break;
      escapes = true;
      ++p_;
    } else if (*p_ == '\\' && quote == '"') {
      escapes = true;
      if (p_ + 1 < end_ && p_[1] != '\n') ++p_;
    } else if (static_cast<unsigned char>(*p_) < 0x20 && *p_ != '\t' && *p_ != '\r') {
      control = p_;
    }
    high |= static_cast<signed char>(*p_) < 0;
    ++p_;
  }
  if (p_ >= end_ || *p_ != quote) {
    error(DiagnosticKind::UnterminatedString, span(from, from + 1), "this string does not end on its line");
    scalar.ok = false;
    return scalar;
  }
  const std::string_view inside(from + 1, static_cast<std::size_t>(p_ - from - 1));
  ++p_;
  scalar.span = span(from, p_);
  scalar.text = inside;
  if (control) {
    error(DiagnosticKind::BadToken, span(control, control + 1),
          formatted("the control character 0x{:02x} in a string; write it as an escape",
                    static_cast<unsigned char>(*control)));
    scalar.ok = false;
  }
  if (high && !check_utf8(inside)) scalar.ok = false;
  if (!escapes || !scalar.ok) return scalar;
  deviation(DeviationKind::EscapedString, scalar.span);
  if (quote == '\'') {
    std::string plain;
    plain.reserve(inside.size());
    for (std::size_t i = 0; i < inside.size(); ++i) {
      plain += inside[i];
      if (inside[i] == '\'') ++i;
    }
    scalar.text = document_.arena->copy(std::string_view(plain));
    return scalar;
  }
  const auto plain = unescape(inside);
  if (!plain) {
    const char* at = inside.data() + plain.error();
    error(DiagnosticKind::BadEscape, span(at, std::min(at + 2, p_)), "double-quoted strings have no such escape");
    scalar.ok = false;
    return scalar;
  }
  scalar.text = document_.arena->copy(std::string_view(*plain));
  return scalar;
}

}  // namespace slipway::zeinfo
