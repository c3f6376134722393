// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Base64 (RFC 4648, section 4): bytes in text files.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"

namespace slipway {

std::string to_base64(Bytes bytes);
// Accepts padded text without white space only; returns nothing for other text.
std::optional<std::vector<std::byte>> from_base64(std::string_view text);

}  // namespace slipway
