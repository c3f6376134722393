// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names from binary files, made safe for a terminal and for JSON.
#pragma once

#include <string>
#include <string_view>

namespace slipway::recipe {

// The text as UTF-8: every byte that is not part of a valid character becomes U+FFFD.
std::string utf8(std::string_view bytes);
// As `utf8`; control characters become `?`.
std::string printable(std::string_view bytes);

}  // namespace slipway::recipe
