// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/names.hpp"

#include <bit>
#include <cstring>

#include "rpl/builtins.hpp"

namespace slipway::rpl {

namespace {

// The head of a text (bytes.hpp). Overlapping reads replace a loop over the bytes.
[[gnu::always_inline]] inline std::uint64_t head_of(std::string_view text) {
  const char* const from = text.data();
  const std::size_t size = text.size();
  if (size >= 8) return eight_bytes(from);
  if (size >= 4) return read_bytes<std::uint32_t>(from) | read_bytes<std::uint32_t>(from + size - 4) << 8 * (size - 4);
  if (size == 0) return 0;
  return read_bytes<std::uint8_t>(from) | read_bytes<std::uint8_t>(from + size / 2) << 8 * (size / 2) |
         read_bytes<std::uint8_t>(from + size - 1) << 8 * (size - 1);
}

// Appends a text as words; returns the index of the first.
std::uint32_t append_words(std::vector<std::uint32_t>& words, std::string_view text, std::uint64_t head) {
  const auto first = static_cast<std::uint32_t>(words.size());
  if (text.size() <= 8 && std::endian::native == std::endian::little) {
    words.push_back(static_cast<std::uint32_t>(head));
    if (text.size() >= 4) words.push_back(static_cast<std::uint32_t>(head >> 32));
    if (text.size() == 8) words.push_back(0);
    return first;
  }
  words.resize(first + spirv::string_words(text));
  std::memcpy(words.data() + first, text.data(), text.size());
  return first;
}

}  // namespace

FixedNames::FixedNames() {
  texts = {
      "",
#define WORD(identifier, text) text,
#include "rpl/words.def"
#undef WORD
  };
  for (const BuiltinFunction& function : builtin_functions()) texts.push_back(function.name);
  for (const std::string_view text : texts) {
    keys.push_back({head_of(text), text.size()});
    begins.push_back(append_words(words, text, keys.back().head));
  }
  for (NameId name = 1; name < texts.size(); ++name) {
    std::uint32_t slot = hash_of(texts[name], keys[name].head) >> kSlotShift;
    while (slots[slot] != 0) slot = (slot + 1) % kSlots;
    slots[slot] = static_cast<std::uint16_t>(name);
  }
}

namespace {

const FixedNames& fixed() {
  static const FixedNames names;
  return names;
}

}  // namespace

NameId first_program_name() { return static_cast<NameId>(fixed().texts.size()); }
std::span<const std::string_view> fixed_names() { return fixed().texts; }
NameId find_fixed_name(std::string_view text) {
  const std::uint64_t head = head_of(text);
  return text.empty() ? kNoName : fixed().find(text, head, hash_of(text, head));
}

NameTable::NameTable()
    : fixed_(&fixed()), first_own_(first_program_name()), slots_(std::size_t{1} << (32 - slot_shift_)) {
  entries_.reserve(slots_.size() / 4);
  words_.reserve(slots_.size());
}

NameId NameTable::intern(std::string_view text) { return text.empty() ? kNoName : intern(text, head_of(text)); }

NameId NameTable::add(std::string_view text, std::uint64_t head, std::uint32_t hash, std::uint32_t slot) {
  entries_.push_back({head, append_words(words_, text, head), static_cast<std::uint32_t>(text.size()), hash});
  slots_[slot] = static_cast<std::uint32_t>(entries_.size());
  if (entries_.size() * 2 > slots_.size()) grow();
  return first_own_ + static_cast<NameId>(entries_.size()) - 1;
}

void NameTable::grow() {
  slots_.assign(slots_.size() * 4, 0);
  slot_shift_ -= 2;
  const std::uint32_t mask = static_cast<std::uint32_t>(slots_.size()) - 1;
  for (std::uint32_t i = 0; i < entries_.size(); ++i) {
    std::uint32_t slot = entries_[i].hash >> slot_shift_;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = i + 1;
  }
}

NameId NameTable::find(std::string_view text) const {
  if (text.empty()) return kNoName;
  const std::uint64_t head = head_of(text);
  const std::uint32_t wanted = hash_of(text, head);
  if (const NameId known = fixed_->find(text, head, wanted)) return known;
  const std::uint32_t mask = static_cast<std::uint32_t>(slots_.size()) - 1;
  for (std::uint32_t slot = wanted >> slot_shift_; slots_[slot] != 0; slot = (slot + 1) & mask) {
    const NameId name = first_own_ + slots_[slot] - 1;
    if (this->text(name) == text) return name;
  }
  return kNoName;
}

}  // namespace slipway::rpl
