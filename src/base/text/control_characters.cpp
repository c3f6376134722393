// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/text/control_characters.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/format.hpp"

namespace slipway {
namespace {

// The length of the sequence at the beginning of `text` that makes it bold, with or without a colour, or ends that; or
// 0. Others may hide text.
std::size_t colour_sequence(std::string_view text) {
  for (const std::string_view one : {"\x1b[0m", "\x1b[1m"}) {
    if (text.starts_with(one)) return one.size();
  }
  constexpr std::string_view kColour = "\x1b[1;3";
  const std::string_view rest = text.substr(std::min(kColour.size(), text.size()));
  const bool is_one =
      text.starts_with(kColour) && rest.size() >= 2 && rest[0] >= '1' && rest[0] <= '7' && rest[1] == 'm';
  return is_one ? kColour.size() + 2 : 0;
}

// The size in UTF-8 of a character at the beginning of `text` that changes the direction or the lines of the text
// around it (Unicode, Bidi_Control and line separators), and its number; 0 of others.
std::pair<std::size_t, std::uint32_t> direction_character(std::string_view text) {
  const auto byte = [&](std::size_t i) -> std::uint32_t {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  if (byte(0) == 0xd8 && byte(1) == 0x9c) return {2, 0x61c};
  if (byte(0) != 0xe2 || (byte(1) != 0x80 && byte(1) != 0x81)) return {};
  const std::uint32_t c = 0x2000 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f);
  const bool is_one = c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
  return byte(2) >= 0x80 && is_one ? std::pair<std::size_t, std::uint32_t>{3, c}
                                   : std::pair<std::size_t, std::uint32_t>{};
}

}  // namespace

std::string show_control_characters(std::string_view text, const KeptCharacters& kept) {
  std::string shown;
  while (!text.empty()) {
    if (const std::size_t length = kept.colours ? colour_sequence(text) : 0; length != 0) {
      shown += text.substr(0, length);
      text.remove_prefix(length);
      continue;
    }
    const auto c = static_cast<unsigned char>(text[0]);
    const auto next = static_cast<unsigned char>(text.size() > 1 ? text[1] : 0);
    if ((c < 0x20 && c != '\t' && !(kept.newlines && c == '\n')) || c == 0x7f) {
      shown += formatted("\\x{:02x}", c);
    } else if (c == 0xc2 && next >= 0x80 && next < 0xa0) {
      shown += formatted("\\x{:02x}", next);
      text.remove_prefix(1);
    } else if (const auto [size, character] = direction_character(text); size != 0) {
      shown += formatted("\\u{:04x}", character);
      text.remove_prefix(size - 1);
    } else {
      shown += text[0];
    }
    text.remove_prefix(1);
  }
  return shown;
}

}  // namespace slipway
