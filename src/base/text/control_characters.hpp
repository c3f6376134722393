// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Control characters in text that a terminal may get: names and lines come from files, and a terminal obeys them.
#pragma once

#include <string>
#include <string_view>

namespace slipway {

struct KeptCharacters {
  bool newlines = true;
  bool colours = false;  // select graphic rendition: ESC [ digits and semicolons m
};

// The text with control characters as `\x1b`, and those that change the direction of writing, with which a line can
// look like another one, as `\u202e`. Tabs stay. The control characters of ISO 8859-1, which some terminals obey too,
// are two bytes in UTF-8.
std::string show_control_characters(std::string_view text, const KeptCharacters& kept = {});

}  // namespace slipway
