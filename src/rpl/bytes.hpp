// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text as numbers of eight bytes, the first byte lowest on every host: names are compared, hashed and scanned by them.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace slipway::rpl {

template <class Word>
[[gnu::always_inline]] inline std::uint64_t read_bytes(const char* from) {
  Word word;
  std::memcpy(&word, from, sizeof word);
  if constexpr (std::endian::native == std::endian::big) word = std::byteswap(word);
  return word;
}

[[gnu::always_inline]] inline std::uint64_t eight_bytes(const char* from) { return read_bytes<std::uint64_t>(from); }

// The first `count` of eight bytes, zero past them; all for a larger count.
[[gnu::always_inline]] inline std::uint64_t first_bytes(std::uint64_t bytes, std::size_t count) {
  return count >= 8 ? bytes : bytes & ((std::uint64_t{1} << 8 * count) - 1);
}

}  // namespace slipway::rpl
