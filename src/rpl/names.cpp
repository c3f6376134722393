#include "rpl/names.hpp"

#include <algorithm>

#include "rpl/builtins.hpp"

namespace slipway::rpl {

namespace {

// All words and built-in names with a hash table over them; made once in a process.
struct FixedNames {
  static constexpr std::uint32_t kSlots = 2048;  // a power of two, more than twice the number of names
  std::vector<std::string_view> texts;
  std::vector<std::uint32_t> hashes;
  std::uint16_t slots[kSlots] = {};

  FixedNames() {
    texts = {
        "",
#define WORD(identifier, text) text,
#include "rpl/words.def"
#undef WORD
    };
    for (const BuiltinFunction& function : builtin_functions()) texts.push_back(function.name);
    hashes.resize(texts.size());
    for (NameId name = 1; name < texts.size(); ++name) {
      hashes[name] = NameTable::hash(texts[name]);
      std::uint32_t slot = hashes[name] % kSlots;
      while (slots[slot] != 0) slot = (slot + 1) % kSlots;
      slots[slot] = static_cast<std::uint16_t>(name);
    }
  }

  NameId find(std::string_view text, std::uint32_t hash) const {
    for (std::uint32_t slot = hash % kSlots; slots[slot] != 0; slot = (slot + 1) % kSlots) {
      const NameId name = slots[slot];
      if (hashes[name] == hash && texts[name] == text) return name;
    }
    return kNoName;
  }
};

const FixedNames& fixed() {
  static const FixedNames names;
  return names;
}

}  // namespace

NameId first_program_name() { return static_cast<NameId>(fixed().texts.size()); }
std::span<const std::string_view> fixed_names() { return fixed().texts; }
NameId find_fixed_name(std::string_view text) {
  return text.empty() ? kNoName : fixed().find(text, NameTable::hash(text));
}

NameTable::NameTable() : first_own_(first_program_name()), slots_(256) {}

NameId NameTable::intern(std::string_view text, std::uint32_t hash) {
  if (text.empty()) return kNoName;
  if (const NameId known = fixed().find(text, hash)) return known;
  const std::uint32_t mask = static_cast<std::uint32_t>(slots_.size()) - 1;
  std::uint32_t slot = hash & mask;
  for (; slots_[slot] != 0; slot = (slot + 1) & mask) {
    const Entry& entry = entries_[slots_[slot] - 1];
    if (entry.hash == hash && std::string_view(characters_).substr(entry.begin, entry.length) == text) {
      return first_own_ + slots_[slot] - 1;
    }
  }
  entries_.push_back({static_cast<std::uint32_t>(characters_.size()), static_cast<std::uint32_t>(text.size()), hash});
  characters_ += text;
  slots_[slot] = static_cast<std::uint32_t>(entries_.size());
  if (entries_.size() * 2 > slots_.size()) grow();
  return first_own_ + static_cast<NameId>(entries_.size()) - 1;
}

void NameTable::grow() {
  slots_.assign(slots_.size() * 4, 0);
  const std::uint32_t mask = static_cast<std::uint32_t>(slots_.size()) - 1;
  for (std::uint32_t i = 0; i < entries_.size(); ++i) {
    std::uint32_t slot = entries_[i].hash & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = i + 1;
  }
}

NameId NameTable::find(std::string_view text) const {
  if (text.empty()) return kNoName;
  const std::uint32_t wanted = hash(text);
  if (const NameId known = fixed().find(text, wanted)) return known;
  const std::uint32_t mask = static_cast<std::uint32_t>(slots_.size()) - 1;
  for (std::uint32_t slot = wanted & mask; slots_[slot] != 0; slot = (slot + 1) & mask) {
    const NameId name = first_own_ + slots_[slot] - 1;
    if (this->text(name) == text) return name;
  }
  return kNoName;
}

std::string_view NameTable::text(NameId name) const {
  if (name < first_own_) return fixed().texts[name];
  const Entry& entry = entries_[name - first_own_];
  return std::string_view(characters_).substr(entry.begin, entry.length);
}

}  // namespace slipway::rpl
