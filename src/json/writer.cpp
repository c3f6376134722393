// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "json/writer.hpp"

#include <charconv>
#include <cmath>

#include "base/format.hpp"

namespace slipway::json {

namespace {

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20)
          out += formatted("\\u{:04x}", static_cast<int>(c));
        else
          out += c;
    }
  }
  out += '"';
}

template <class Number>
std::string shortest(Number value) {
  if (!std::isfinite(value)) return "null";
  char buffer[32];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
  std::string text(buffer, result.ptr);
  if (text.find_first_of(".e") == text.npos) text += ".0";
  return text;
}

}  // namespace

std::string quoted(std::string_view text) {
  std::string out;
  append_quoted(out, text);
  return out;
}

std::string number_text(double value) { return shortest(value); }
std::string number_text(float value) { return shortest(value); }

Writer& Writer::key(std::string_view name) {
  before_value();
  append_quoted(text_, name);
  text_ += indent_ > 0 ? ": " : ":";
  after_key_ = true;
  return *this;
}

Writer& Writer::value(std::string_view text) {
  before_value();
  append_quoted(text_, text);
  return *this;
}

Writer& Writer::raw(std::string_view text) {
  before_value();
  text_ += text;
  return *this;
}

Writer& Writer::integer(std::uint64_t bits, bool is_signed) {
  return raw(is_signed ? std::to_string(static_cast<std::int64_t>(bits)) : std::to_string(bits));
}

void Writer::before_value() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (!first_) text_ += indent_ == 0 ? ", " : ",";
  if (depth_ > 0) new_line();
  first_ = false;
}

void Writer::new_line() {
  if (indent_ <= 0) return;
  text_ += '\n';
  text_.append(static_cast<std::size_t>(indent_) * static_cast<std::size_t>(depth_), ' ');
}

void Writer::open(char bracket) {
  before_value();
  text_ += bracket;
  ++depth_;
  first_ = true;
}

Writer& Writer::close(char bracket) {
  --depth_;
  if (!first_) new_line();
  text_ += bracket;
  first_ = false;
  return *this;
}

}  // namespace slipway::json
