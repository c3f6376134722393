// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scalars: conversion of text to numbers, and of quoted strings (docs/spec/zeinfo.md#text-syntax).
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostic.hpp"

namespace slipway::zeinfo {

// Errors: BadInteger, IntegerRange.
std::expected<std::int32_t, DiagnosticKind> parse_int32(std::string_view word);
// Whether a scalar is one of the spellings of null, where a mapping or a sequence is expected.
constexpr bool is_null_word(std::string_view word) {
  return word == "null" || word == "Null" || word == "NULL" || word == "~";
}
std::optional<bool> parse_boolean(std::string_view word);
std::optional<float> parse_real(std::string_view word);

// The offset of the first byte that is not part of a UTF-8 sequence, or npos.
std::size_t invalid_utf8(std::string_view text);
// Decodes one code point of valid UTF-8 and moves past it.
char32_t next_code_point(std::string_view& text);
void append_utf8(std::string& to, char32_t code_point);

// The contents of a double-quoted string with escapes resolved; on failure the offset of the invalid escape.
std::expected<std::string, std::size_t> unescape(std::string_view inside);

}  // namespace slipway::zeinfo
