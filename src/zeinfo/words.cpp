// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "zeinfo/words.hpp"

#include <ranges>
#include <span>

namespace slipway::zeinfo {

WordTable::WordTable(std::vector<std::string_view> words) {
  for (std::string_view word : words) {
    Entry entry{0, 0, word};
    std::memcpy(&entry.first, word.data(), word.size() < 8 ? word.size() : 8);
    if (word.size() >= 8) std::memcpy(&entry.last, word.data() + word.size() - 8, 8);
    entries_.push_back(entry);
  }
  // A few dozen words into 256 slots need a few hundred tries at most.
  for (std::uint64_t seed = 0x9e3779b97f4a7c15;; seed = seed * 6364136223846793005u + 1442695040888963407u) {
    multiplier_ = seed | 1;
    slots_.fill(kNone);
    bool collides = false;
    for (std::size_t i = 0; i < entries_.size() && !collides; ++i) {
      std::uint8_t& slot =
          slots_[mix(entries_[i].first, entries_[i].last, entries_[i].word.size()) * multiplier_ >> 56];
      collides = slot != kNone;
      slot = static_cast<std::uint8_t>(i);
    }
    if (!collides) return;
  }
}

namespace {

// The tables are made in functions of their own: the functions below, which are called for each word, need no protected
// stack frame then. The bound of a span is checked in less time than that of a vector.
[[gnu::noinline]] std::span<const WordTable> key_tables() {
  static const auto tables = all_mappings() | std::views::transform([](const MappingInfo* one) {
                               return WordTable(one->fields | std::views::transform(&FieldInfo::key) |
                                                std::ranges::to<std::vector<std::string_view>>());
                             }) |
                             std::ranges::to<std::vector>();
  return tables;
}

[[gnu::noinline]] std::span<const WordTable> value_tables() {
  static const auto tables = all_enums() | std::views::transform([](const EnumInfo* one) {
                               return WordTable(one->values | std::views::transform(&ValueInfo::name) |
                                                std::ranges::to<std::vector<std::string_view>>());
                             }) |
                             std::ranges::to<std::vector>();
  return tables;
}

}  // namespace

const WordTable& keys_of(const MappingInfo& mapping) {
  static const std::span<const WordTable> tables = key_tables();
  return tables[mapping.number];
}

const WordTable& words_of(const EnumInfo& values) {
  static const std::span<const WordTable> tables = value_tables();
  return tables[values.number];
}

}  // namespace slipway::zeinfo
