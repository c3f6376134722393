#include "rpl/names.hpp"

#include <bit>
#include <cstring>

#include "rpl/builtins.hpp"
#include "spirv/module.hpp"

namespace slipway::rpl {

namespace {

constexpr std::uint64_t kSpread = 0x9E3779B97F4A7C15u;  // odd, its bits without a pattern

template <class Word>
std::uint64_t read(const char* from) {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

// Both of `size` bytes. Names are short: two reads that overlap see all of most.
inline bool same(const char* a, const char* b, std::size_t size) {
  if (size > 16) return std::memcmp(a, b, size) == 0;
  if (size >= 8) {
    return ((read<std::uint64_t>(a) ^ read<std::uint64_t>(b)) |
            (read<std::uint64_t>(a + size - 8) ^ read<std::uint64_t>(b + size - 8))) == 0;
  }
  if (size >= 4) {
    return ((read<std::uint32_t>(a) ^ read<std::uint32_t>(b)) |
            (read<std::uint32_t>(a + size - 4) ^ read<std::uint32_t>(b + size - 4))) == 0;
  }
  for (std::size_t i = 0; i < size; ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

// Appends a text as words; gives the place of the first.
std::uint32_t append_words(std::vector<std::uint32_t>& words, std::string_view text) {
  const std::size_t first = words.size();
  words.resize(first + spirv::string_words(text));
  std::memcpy(words.data() + first, text.data(), text.size());
  return static_cast<std::uint32_t>(first);
}

}  // namespace

// All words and built-in names with a hash table over them; made once in a process.
struct FixedNames {
  static constexpr std::uint32_t kSlots = 2048;  // a power of two, more than twice the number of names
  std::vector<std::string_view> texts;
  std::vector<std::uint32_t> hashes;
  std::vector<std::uint32_t> words;   // the texts as SPIR-V has them
  std::vector<std::uint32_t> begins;  // where each begins in `words`
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
    for (const std::string_view text : texts) begins.push_back(append_words(words, text));
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
      if (hashes[name] == hash && texts[name].size() == text.size() &&
          same(texts[name].data(), text.data(), text.size())) {
        return name;
      }
    }
    return kNoName;
  }
};

namespace {

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

NameTable::NameTable() : fixed_(&fixed()), first_own_(first_program_name()), slots_(512) {
  entries_.reserve(slots_.size() / 4);
  words_.reserve(slots_.size());
}

std::uint32_t NameTable::hash(std::string_view text) {
  const char* const from = text.data();
  const std::size_t size = text.size();
  std::uint64_t a = 0, b = 0;
  if (size >= 8) {
    a = read<std::uint64_t>(from);
    b = read<std::uint64_t>(from + size - 8);
    for (std::size_t i = 8; i + 8 < size; i += 8) a = std::rotl(a, 23) * kSpread + read<std::uint64_t>(from + i);
  } else if (size >= 4) {
    a = read<std::uint32_t>(from);
    b = read<std::uint32_t>(from + size - 4);
  } else if (size != 0) {
    a = read<std::uint8_t>(from);
    b = read<std::uint8_t>(from + size / 2) << 8 | read<std::uint8_t>(from + size - 1);
  }
  std::uint64_t hash = (a + size) * kSpread ^ std::rotl(b * kSpread, 32);
  hash = (hash ^ hash >> 32) * kSpread;
  return static_cast<std::uint32_t>(hash >> 32);
}

NameId NameTable::intern(std::string_view text) {
  if (text.empty()) return kNoName;
  const std::uint32_t hash = NameTable::hash(text);
  if (const NameId known = fixed_->find(text, hash)) return known;
  const std::uint32_t mask = static_cast<std::uint32_t>(slots_.size()) - 1;
  std::uint32_t slot = hash & mask;
  for (; slots_[slot] != 0; slot = (slot + 1) & mask) {
    const Entry& entry = entries_[slots_[slot] - 1];
    if (entry.hash == hash && entry.length == text.size() &&
        same(reinterpret_cast<const char*>(words_.data() + entry.begin), text.data(), text.size())) {
      return first_own_ + slots_[slot] - 1;
    }
  }
  entries_.push_back({append_words(words_, text), static_cast<std::uint32_t>(text.size()), hash});
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
  if (const NameId known = fixed_->find(text, wanted)) return known;
  const std::uint32_t mask = static_cast<std::uint32_t>(slots_.size()) - 1;
  for (std::uint32_t slot = wanted & mask; slots_[slot] != 0; slot = (slot + 1) & mask) {
    const NameId name = first_own_ + slots_[slot] - 1;
    if (this->text(name) == text) return name;
  }
  return kNoName;
}

std::string_view NameTable::text(NameId name) const {
  if (name < first_own_) return fixed_->texts[name];
  const Entry& entry = entries_[name - first_own_];
  return {reinterpret_cast<const char*>(words_.data() + entry.begin), entry.length};
}

std::span<const std::uint32_t> NameTable::words(NameId name) const {
  if (name < first_own_) {
    return {fixed_->words.data() + fixed_->begins[name], spirv::string_words(fixed_->texts[name])};
  }
  const Entry& entry = entries_[name - first_own_];
  return {words_.data() + entry.begin, entry.length / 4 + 1};
}

}  // namespace slipway::rpl
