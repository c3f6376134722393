// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans several bytes at a time. All functions read up to kSlack bytes after their start: callers ensure that these
// exist.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace slipway::zeinfo::scan {

inline constexpr std::size_t kSlack = 160;

// One bit for each of 16 bytes.
#if defined(__SSE2__)
struct Block {
  __m128i bytes;
  explicit Block(const char* at) : bytes(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at))) {}
  std::uint32_t equal(char c) const { return mask(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(c))); }
  // Control characters (including line ends and tabs), `:`, `#` and bytes that are not ASCII: all that can end a simple
  // plain scalar.
  std::uint32_t special() const {
    const __m128i low = _mm_cmplt_epi8(bytes, _mm_set1_epi8(0x20));  // signed: from 0x80 on too
    const __m128i colon = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(':'));
    const __m128i hash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('#'));
    return mask(_mm_or_si128(low, _mm_or_si128(colon, hash)));
  }
  // Control characters, single quotes and bytes that are not ASCII.
  std::uint32_t quote_special() const {
    const __m128i low = _mm_cmplt_epi8(bytes, _mm_set1_epi8(0x20));
    return mask(_mm_or_si128(low, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\''))));
  }

 private:
  static std::uint32_t mask(__m128i bits) { return static_cast<std::uint32_t>(_mm_movemask_epi8(bits)); }
};
#else
struct Block {
  const char* at;
  explicit Block(const char* from) : at(from) {}
  std::uint32_t equal(char c) const {
    return mask([c](char x) { return x == c; });
  }
  std::uint32_t special() const {
    return mask([](char x) { return static_cast<signed char>(x) < 0x20 || x == ':' || x == '#'; });
  }
  std::uint32_t quote_special() const {
    return mask([](char x) { return static_cast<signed char>(x) < 0x20 || x == '\''; });
  }

 private:
  template <class F>
  std::uint32_t mask(F test) const {
    std::uint32_t bits = 0;
    for (int i = 0; i < 16; ++i) bits |= static_cast<std::uint32_t>(test(at[i])) << i;
    return bits;
  }
};
#endif

// The first byte from `at` on that is not a blank; looks at 32 bytes at most.
inline const char* skip_blanks(const char* at) {
  std::uint32_t others = ~Block(at).equal(' ') & 0xffff;
  if (others) return at + std::countr_zero(others);
  others = ~Block(at + 16).equal(' ') & 0xffff;
  return at + 16 + (others ? std::countr_zero(others) : 16);
}

}  // namespace slipway::zeinfo::scan
