// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/text/control_characters.hpp"

#include <algorithm>

#include "base/format.hpp"

namespace slipway {
namespace {

// The length of the sequence at the beginning of `text` that sets colours, or 0.
std::size_t colour_sequence(std::string_view text) {
  if (!text.starts_with("\x1b[")) return 0;
  const std::size_t end = text.find_first_not_of("0123456789;", 2);
  return end != text.npos && text[end] == 'm' ? end + 1 : 0;
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
    } else {
      shown += text[0];
    }
    text.remove_prefix(1);
  }
  return shown;
}

}  // namespace slipway
