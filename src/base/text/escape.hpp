// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text escaped for other formats.
#pragma once

#include <string>
#include <string_view>

namespace slipway {

// For the contents of elements and for quoted attributes of XML, HTML and SVG. Control characters except tab and
// newline become spaces, and bytes that are not UTF-8, U+FFFE and U+FFFF become U+FFFD, because XML cannot represent
// them. `newline` replaces newlines; XML attributes need "&#10;" to keep them.
std::string escape_markup(std::string_view text, std::string_view newline = "\n");

}  // namespace slipway
