// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "zeinfo/read/scalars.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace slipway::zeinfo {
namespace {

bool all_of(std::string_view word, std::string_view characters) {
  return !word.empty() && word.find_first_not_of(characters) == word.npos;
}

}  // namespace

std::expected<std::int32_t, DiagnosticKind> parse_int32(std::string_view word) {
  const bool negative = word.starts_with('-');
  if (negative || word.starts_with('+')) word.remove_prefix(1);
  int base = 10;
  if (word.starts_with("0x")) {
    word.remove_prefix(2);
    base = 16;
    if (!all_of(word, "0123456789abcdefABCDEF")) return std::unexpected(DiagnosticKind::BadInteger);
  } else if (!all_of(word, "0123456789") || (word.size() > 1 && word.front() == '0')) {
    return std::unexpected(DiagnosticKind::BadInteger);
  }
  std::uint64_t magnitude = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), magnitude, base);
  const std::uint64_t limit = std::uint64_t{std::numeric_limits<std::int32_t>::max()} + negative;
  if (error != std::errc() || magnitude > limit) return std::unexpected(DiagnosticKind::IntegerRange);
  const auto value = static_cast<std::int64_t>(magnitude);
  return static_cast<std::int32_t>(negative ? -value : value);
}

std::optional<bool> parse_boolean(std::string_view word) {
  struct Spelling {
    std::string_view lower;
    bool value;
  };
  constexpr std::array kSpellings = {Spelling{"true", true}, Spelling{"false", false}, Spelling{"yes", true},
                                     Spelling{"no", false},  Spelling{"on", true},     Spelling{"off", false},
                                     Spelling{"y", true},    Spelling{"n", false}};
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  for (const Spelling& one : kSpellings) {
    if (!std::ranges::equal(word, one.lower, {}, lower)) continue;
    // All lower case, all upper case, or the first letter upper case.
    const auto capitals = static_cast<std::size_t>(std::ranges::count_if(word, is_upper));
    if (capitals == 0 || capitals == word.size() || (capitals == 1 && is_upper(word.front()))) return one.value;
  }
  return std::nullopt;
}

std::optional<float> parse_real(std::string_view word) {
  std::string_view digits = word;
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  constexpr std::array<std::string_view, 6> kInfinity = {".inf", ".Inf", ".INF", "inf", "Inf", "INF"};
  constexpr std::array<std::string_view, 6> kNan = {".nan", ".NaN", ".NAN", "nan", "NaN", "NAN"};
  if (std::ranges::contains(kInfinity, digits)) {
    return negative ? -std::numeric_limits<float>::infinity() : std::numeric_limits<float>::infinity();
  }
  if (std::ranges::contains(kNan, digits)) return std::numeric_limits<float>::quiet_NaN();
  // from_chars would accept words such as `infinity`.
  if (digits.empty() || digits.find_first_not_of("0123456789.eE+-") != digits.npos) return std::nullopt;
  float value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return negative ? -value : value;
}

std::size_t invalid_utf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const auto lead = static_cast<unsigned char>(text[at]);
    if (lead < 0x80) {
      ++at;
      continue;
    }
    const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || length > text.size() - at) return at;
    char32_t code = lead & (0xffu >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
      const auto next = static_cast<unsigned char>(text[at + i]);
      if ((next & 0xc0) != 0x80) return at;
      code = code << 6 | (next & 0x3f);
    }
    constexpr std::array<char32_t, 5> kMin = {0, 0, 0x80, 0x800, 0x10000};
    if (code < kMin[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return at;
    at += length;
  }
  return std::string_view::npos;
}

char32_t next_code_point(std::string_view& text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0x80 ? 2 : 1;
  char32_t code = length == 1 ? lead : lead & (0xffu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3f);
  text.remove_prefix(length);
  return code;
}

void append_utf8(std::string& to, char32_t code) {
  const auto tail = [code](int shift) { return static_cast<char>(0x80 | (code >> shift & 0x3f)); };
  if (code < 0x80) {
    to += static_cast<char>(code);
  } else if (code < 0x800) {
    to += {static_cast<char>(0xc0 | code >> 6), tail(0)};
  } else if (code < 0x10000) {
    to += {static_cast<char>(0xe0 | code >> 12), tail(6), tail(0)};
  } else {
    to += {static_cast<char>(0xf0 | code >> 18), tail(12), tail(6), tail(0)};
  }
}

std::expected<std::string, std::size_t> unescape(std::string_view inside) {
  struct Escape {
    char letter;
    char32_t code;
  };
  constexpr std::array kEscapes = {Escape{'0', 0},      Escape{'a', 7},     Escape{'b', 8},    Escape{'t', 9},
                                   Escape{'\t', 9},     Escape{'n', 10},    Escape{'v', 11},   Escape{'f', 12},
                                   Escape{'r', 13},     Escape{'e', 27},    Escape{' ', ' '},  Escape{'"', '"'},
                                   Escape{'/', '/'},    Escape{'\\', '\\'}, Escape{'N', 0x85}, Escape{'_', 0xa0},
                                   Escape{'L', 0x2028}, Escape{'P', 0x2029}};
  std::string out;
  out.reserve(inside.size());
  for (std::size_t at = 0; at < inside.size(); ++at) {
    if (inside[at] != '\\') {
      out += inside[at];
      continue;
    }
    const std::size_t begin = at++;
    if (at >= inside.size()) return std::unexpected(begin);
    const char letter = inside[at];
    const auto known = std::ranges::find(kEscapes, letter, &Escape::letter);
    if (known != kEscapes.end()) {
      append_utf8(out, known->code);
      continue;
    }
    const std::size_t digits = letter == 'x' ? 2 : letter == 'u' ? 4 : letter == 'U' ? 8 : 0;
    if (digits == 0 || digits > inside.size() - at - 1) return std::unexpected(begin);
    std::uint32_t code = 0;
    const char* first = inside.data() + at + 1;
    const auto [end, error] = std::from_chars(first, first + digits, code, 16);
    if (error != std::errc() || end != first + digits || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) {
      return std::unexpected(begin);
    }
    append_utf8(out, code);
    at += digits;
  }
  return out;
}

}  // namespace slipway::zeinfo
