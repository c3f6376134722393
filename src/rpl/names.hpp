// Interned names: every identifier, string and word of a program is a number.
//
// The words that the language itself knows (keywords, types, settings, built-in functions...) have fixed numbers, the
// same in every program, so that asking "is this `conditional`?" is one comparison. Names that a program adds are
// numbered from `kFirstProgramName` in order of appearance.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

class NameTable {
 public:
  NameTable();

  NameId intern(std::string_view text) { return intern(text, hash(text)); }
  NameId intern(std::string_view text, std::uint32_t hash);
  // kNoName when the program does not contain it.
  NameId find(std::string_view text) const;
  std::string_view text(NameId name) const;
  // All numbers are below this.
  NameId size() const { return first_own_ + static_cast<NameId>(entries_.size()); }

  static constexpr std::uint32_t kHashSeed = 2166136261u;
  static constexpr std::uint32_t hash_step(std::uint32_t hash, unsigned char byte) { return (hash ^ byte) * 16777619u; }
  static std::uint32_t hash(std::string_view text) {
    std::uint32_t hash = kHashSeed;
    for (const char c : text) hash = hash_step(hash, static_cast<unsigned char>(c));
    return hash;
  }

 private:
  struct Entry {
    std::uint32_t begin, length;  // in characters_
    std::uint32_t hash;
  };
  void grow();

  NameId first_own_;
  std::string characters_;
  std::vector<Entry> entries_;        // by NameId - first_program_name()
  std::vector<std::uint32_t> slots_;  // open addressing; entry index + 1
};

}  // namespace slipway::rpl
