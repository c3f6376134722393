// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Interned names: every identifier, string and word of a program is a number (NameId).
//
// The words that the language itself knows (keywords, types, settings, built-in functions...) have fixed numbers, the
// same in every program, so that asking "is this `conditional`?" is one comparison. Names that a program adds are
// numbered from `first_program_name()` in order of appearance.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "rpl/bytes.hpp"
#include "spirv/module.hpp"

namespace slipway::rpl {

// 0 is the empty name. Strings of a program share the numbers with identifiers: equal text, equal number.
using NameId = std::uint32_t;
inline constexpr NameId kNoName = 0;

// The words with fixed numbers: Word::conditional is the NameId of "conditional". C++ keywords end in `_`.
struct Word {
  enum : NameId {
    None = 0,
#define WORD(identifier, text) identifier,
#include "rpl/words.def"
#undef WORD
    Count,
  };
};

// Names of built-in functions follow the words; see builtins.hpp.
NameId first_program_name();

// The texts of all fixed names, by NameId.
std::span<const std::string_view> fixed_names();
// The number of a fixed name, or kNoName.
NameId find_fixed_name(std::string_view text);

// The fixed names with a hash table over them, created once per process.
struct FixedNames {
  static constexpr std::uint32_t kSlotShift = 32 - 11;              // the highest 11 bits of a hash choose the slot
  static constexpr std::uint32_t kSlots = 1u << (32 - kSlotShift);  // more than twice the number of names
  struct Key {                                                      // what is compared first, side by side
    std::uint64_t head = 0;
    std::uint64_t size = 0;
  };
  std::vector<std::string_view> texts;
  std::vector<Key> keys;
  std::vector<std::uint32_t> words;   // the texts as SPIR-V has them
  std::vector<std::uint32_t> begins;  // where each begins in `words`
  std::uint16_t slots[kSlots] = {};

  FixedNames();
  [[gnu::always_inline]] NameId find(std::string_view text, std::uint64_t head, std::uint32_t hash) const {
    for (std::uint32_t slot = hash >> kSlotShift; slots[slot] != 0; slot = (slot + 1) % kSlots) {
      const NameId name = slots[slot];
      if (keys[name].head == head && keys[name].size == text.size() &&
          same_rest(texts[name].data(), text.data(), text.size())) {
        return name;
      }
    }
    return kNoName;
  }
};

class NameTable {
 public:
  NameTable();

  NameId intern(std::string_view text);
  // The same of a text that is not empty, with its head (bytes.hpp). Compiled into the lexer, which calls it for each
  // word.
  [[gnu::always_inline]] NameId intern(std::string_view text, std::uint64_t head) {
    const std::uint32_t hash = hash_of(text, head);
    if (const NameId known = fixed_->find(text, head, hash)) return known;
    const std::uint32_t mask = static_cast<std::uint32_t>(slots_.size()) - 1;
    std::uint32_t slot = hash >> slot_shift_;
    for (; slots_[slot] != 0; slot = (slot + 1) & mask) {
      const Entry& entry = entries_[slots_[slot] - 1];
      if (entry.head == head && entry.length == text.size() &&
          same_rest(reinterpret_cast<const char*>(words_.data() + entry.begin), text.data(), text.size())) {
        return first_own_ + slots_[slot] - 1;
      }
    }
    return add(text, head, hash, slot);
  }
  // kNoName when the program does not contain it.
  NameId find(std::string_view text) const;
  std::string_view text(NameId name) const {
    if (name < first_own_) return fixed_->texts[name];
    const Entry& entry = entries_[name - first_own_];
    return {reinterpret_cast<const char*>(words_.data() + entry.begin), entry.length};
  }
  // The same as a SPIR-V string: terminated by a zero byte and padded with zeros to whole words.
  std::span<const std::uint32_t> words(NameId name) const {
    if (name < first_own_) {
      return {fixed_->words.data() + fixed_->begins[name], spirv::string_words(fixed_->texts[name])};
    }
    const Entry& entry = entries_[name - first_own_];
    return {words_.data() + entry.begin, entry.length / 4 + 1};
  }
  // All NameIds are below this.
  NameId size() const { return first_own_ + static_cast<NameId>(entries_.size()); }

 private:
  struct Entry {
    std::uint64_t head;    // the first eight bytes, zero past the end
    std::uint32_t begin;   // in words_
    std::uint32_t length;  // in bytes
    std::uint32_t hash;
  };
  NameId add(std::string_view text, std::uint64_t head, std::uint32_t hash, std::uint32_t slot);
  void grow();

  const FixedNames* fixed_;  // those of the language, the same for all tables
  NameId first_own_;
  std::vector<std::uint32_t> words_;   // the texts as `words` returns them
  std::vector<Entry> entries_;         // by NameId - first_program_name()
  std::uint32_t slot_shift_ = 32 - 9;  // as FixedNames::kSlotShift
  std::vector<std::uint32_t> slots_;   // open addressing; entry index + 1
};

}  // namespace slipway::rpl
