// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text as numbers of eight bytes, the first byte lowest on every host: names are compared and hashed by them. The
// `head` of a text is its first eight bytes, zero past its end; most names are not longer.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

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

// The highest bits choose the slot of a hash table: the last characters have little influence on the lower bits of a
// product.
[[gnu::always_inline]] inline std::uint32_t hash_of(std::string_view text, std::uint64_t head) {
  constexpr std::uint64_t kSpread = 0x9E3779B97F4A7C15u;  // odd, without a bit pattern
  const char* const from = text.data();
  const std::size_t size = text.size();
  std::uint64_t hash = (head + size) * kSpread;
  if (size > 8) {
    for (std::size_t i = 8; i + 8 < size; i += 8) hash = (std::rotl(hash, 23) ^ eight_bytes(from + i)) * kSpread;
    hash = (std::rotl(hash, 23) ^ eight_bytes(from + size - 8)) * kSpread;
  }
  return static_cast<std::uint32_t>(hash >> 32);
}

// Of texts of one size whose heads are equal. Most are short: a call of memcmp would take longer.
[[gnu::always_inline]] inline bool same_rest(const char* a, const char* b, std::size_t size) {
  if (size <= 8) return true;
  for (std::size_t i = 8; i + 8 < size; i += 8) {
    if (eight_bytes(a + i) != eight_bytes(b + i)) return false;
  }
  return eight_bytes(a + size - 8) == eight_bytes(b + size - 8);
}

}  // namespace slipway::rpl
