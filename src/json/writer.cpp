// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "json/writer.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/format.hpp"

namespace slipway::json {

namespace {

// The bytes of the UTF-8 character at the begin of a text; 0 if it does not begin with one.
std::size_t character_size(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(i < text.size() ? text[i] : 0); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  // Overlong forms, halves of surrogates, and numbers past the last character.
  const unsigned char second = byte(1);
  if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second >= 0xa0) || (first == 0xf0 && second < 0x90) ||
      (first == 0xf4 && second >= 0x90))
    return 0;
  return size;
}

// A byte that is not part of UTF-8, as in some names of files, becomes the replacement character: JSON has no other
// bytes.
void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  const auto is_plain = [](unsigned char c) { return c >= 0x20 && c < 0x80 && c != '"' && c != '\\'; };
  for (std::size_t at = 0, size = 1; at < text.size(); at += size) {
    size = static_cast<std::size_t>(std::ranges::find_if_not(text.substr(at), is_plain) - text.begin()) - at;
    if (size != 0) {  // most texts are plain
      out += text.substr(at, size);
      continue;
    }
    const char c = text[at];
    size = character_size(text.substr(at));
    if (size != 1) {
      out += size == 0 ? std::string_view("\uFFFD") : text.substr(at, size);
      size = std::max<std::size_t>(size, 1);
      continue;
    }
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
