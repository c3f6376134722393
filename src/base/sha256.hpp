// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SHA-256 (FIPS 180-4). It identifies contents in metadata and caches; it is not used for secrets.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "base/bytes.hpp"

namespace slipway {

using Sha256 = std::array<std::uint8_t, 32>;

Sha256 sha256(Bytes bytes);
// Without the SHA instructions of the CPU; tests compare the two.
Sha256 sha256_plainly(Bytes bytes);

// 64 lower-case hexadecimal digits.
std::string hex_text(const Sha256& digest);
inline std::string sha256_text(Bytes bytes) { return hex_text(sha256(bytes)); }
inline std::string sha256_text(std::string_view text) { return hex_text(sha256(bytes_of(text))); }

}  // namespace slipway
