// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finding a key of a mapping or a value of an enum: one multiplication, one table look-up, one comparison.
//
// The first eight and the last eight bytes and the length of a word make a 64-bit number; for each table a multiplier
// is searched that maps its words to different slots. Tables are made once, at the first use.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "zeinfo/schema.hpp"

namespace slipway::zeinfo {

class WordTable {
 public:
  static constexpr std::uint8_t kNone = 0xff;

  explicit WordTable(std::vector<std::string_view> words);

  // The index of the word in the list, or kNone. Eight bytes from its start must be readable.
  std::uint8_t find_padded(const char* word, std::size_t length) const {
    if (length == 0) return kNone;
    std::uint64_t first = 0;
    std::memcpy(&first, word, sizeof first);
    std::uint64_t last = 0;
    if (length < 8) {
      first &= ~std::uint64_t{0} >> (64 - 8 * length);
    } else {
      std::memcpy(&last, word + length - 8, sizeof last);
    }
    return find(first, last, word, length);
  }
  std::uint8_t find(std::string_view word) const {
    if (word.empty()) return kNone;
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    std::memcpy(&first, word.data(), word.size() < 8 ? word.size() : 8);
    if (word.size() >= 8) std::memcpy(&last, word.data() + word.size() - 8, 8);
    return find(first, last, word.data(), word.size());
  }

 private:
  struct Entry {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    std::string_view word;
  };

  static std::uint64_t mix(std::uint64_t first, std::uint64_t last, std::size_t length) {
    return (first ^ std::rotl(last, 29)) + length;
  }
  std::uint8_t find(std::uint64_t first, std::uint64_t last, const char* word, std::size_t length) const {
    const std::uint8_t location = slots_[mix(first, last, length) * multiplier_ >> 56];
    if (location == kNone) return kNone;
    const Entry& entry = entries_[location];
    if (entry.first != first || entry.last != last || entry.word.size() != length) return kNone;
    if (length > 16 && std::memcmp(entry.word.data() + 8, word + 8, length - 16) != 0) return kNone;
    return location;
  }

  std::uint64_t multiplier_ = 0;
  std::array<std::uint8_t, 256> slots_;
  std::vector<Entry> entries_;
};

const WordTable& keys_of(const MappingInfo& mapping);
const WordTable& words_of(const EnumInfo& values);

}  // namespace slipway::zeinfo
