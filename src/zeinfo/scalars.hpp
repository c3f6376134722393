// Scalars: words to numbers, and strings without their quotes (ZE Info page, 3.4).
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
// The words for nothing at all, where a mapping or a sequence belongs.
constexpr bool is_null_word(std::string_view word) {
  return word == "null" || word == "Null" || word == "NULL" || word == "~";
}
std::optional<bool> parse_boolean(std::string_view word);
std::optional<float> parse_real(std::string_view word);

// The offset of the first byte that is not part of a UTF-8 sequence, or npos.
std::size_t invalid_utf8(std::string_view text);
// Decodes one code point of valid UTF-8 and moves behind it.
char32_t next_code_point(std::string_view& text);
void append_utf8(std::string& to, char32_t code_point);

// The inside of a double-quoted string without its escapes; on failure the offset of the bad one.
std::expected<std::string, std::size_t> unescape(std::string_view inside);

}  // namespace slipway::zeinfo
