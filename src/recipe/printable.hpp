// Names that come out of binary files, made fit for a terminal and for JSON.
#pragma once

#include <string>
#include <string_view>

namespace slipway::recipe {

// The text as UTF-8: every byte that belongs to no character becomes U+FFFD.
std::string utf8(std::string_view bytes);
// The same without control characters, which become `?`.
std::string printable(std::string_view bytes);

}  // namespace slipway::recipe
