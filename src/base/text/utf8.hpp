// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

namespace slipway {

// The text with U+FFFD in place of each byte that is not part of valid UTF-8, which JSON and XML do not allow. What
// drivers print, and a text that was truncated, may contain such bytes.
std::string valid_utf8(std::string_view text);

}  // namespace slipway
