// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/settings.hpp"

#include <array>

namespace slipway::rpl {

namespace {

constexpr std::uint32_t bits_of(int value) { return static_cast<std::uint32_t>(value); }
constexpr std::uint32_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }

constexpr std::array kSettings = {
#define SETTING(identifier, type, scope, initial, words)                \
  SettingInfo{Setting::identifier, #identifier,      SettingType::type, \
              SettingScope::scope, bits_of(initial), SettingWords::words},
#include "rpl_runtime/settings.def"
#undef SETTING
};

constexpr SettingWord kWords[] = {
#define SETTING_WORD(list, name, value) {#name, value},
#include "rpl_runtime/setting_words.def"
};
constexpr SettingWords kListOfWord[] = {
#define SETTING_WORD(list, name, value) SettingWords::list,
#include "rpl_runtime/setting_words.def"
};

struct WordRange {
  std::uint8_t first = 0, count = 0;
};
constexpr auto kRanges = [] {
  std::array<WordRange, static_cast<std::size_t>(SettingWords::ColorFormat) + 1> ranges{};
  for (std::size_t i = 0; i < std::size(kWords); ++i) {
    WordRange& range = ranges[static_cast<std::size_t>(kListOfWord[i])];
    if (range.count++ == 0) range.first = static_cast<std::uint8_t>(i);
  }
  return ranges;
}();

}  // namespace

std::span<const SettingInfo> setting_table() { return kSettings; }
const SettingInfo& info_of(Setting::Id id) { return kSettings[id]; }

std::optional<Setting::Id> find_setting(NameId name) {
  constexpr NameId kFirst = Word::setting_polygon_mode;
  if (name < kFirst || name >= kFirst + kSettingCount) return std::nullopt;
  return static_cast<Setting::Id>(name - kFirst);
}

std::span<const SettingWord> words_of(SettingWords list) {
  const WordRange range = kRanges[static_cast<std::size_t>(list)];
  return std::span(kWords).subspan(range.first, range.count);
}

}  // namespace slipway::rpl
