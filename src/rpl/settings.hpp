// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pipeline settings: names, types, defaults and the words each may take. settings.def is the table.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "rpl/names.hpp"

namespace slipway::rpl {

enum class PipelineKind : std::uint8_t { Graphics, Compute };

// A setting is identified by its index in settings.def.
struct Setting {
  enum Id : std::uint32_t {
#define SETTING(identifier, ...) identifier,
#include "rpl_runtime/settings.def"
#undef SETTING
    Count,
  };
};
inline constexpr std::uint32_t kSettingCount = Setting::Count;
// The settings of a color output are consecutive.
inline constexpr std::uint32_t kFirstOutputSetting = Setting::color_output_use_blend;
inline constexpr std::uint32_t kOutputSettingCount = Setting::color_output_format - kFirstOutputSetting + 1;

enum class SettingType : std::uint8_t { Flag, Uint, Float, Word };
enum class SettingScope : std::uint8_t { Graphics, ColorOutput, Compute };
enum class SettingWords : std::uint8_t {
  None,
#define SETTING_LIST(list) list,
#include "rpl_runtime/setting_words.def"
};

struct SettingInfo {
  Setting::Id id;
  std::string_view name;
  SettingType type;
  SettingScope scope;
  std::uint32_t initial;  // flag 0/1, the uint, the bits of the float, the index of the word
  SettingWords words;
};

std::span<const SettingInfo> setting_table();
const SettingInfo& info_of(Setting::Id id);
// By the fixed NameId; empty for a name that is not a setting.
std::optional<Setting::Id> find_setting(NameId name);

// A word of a setting's list and its Vulkan enumerant.
struct SettingWord {
  std::string_view name;
  std::uint32_t vulkan;
};
std::span<const SettingWord> words_of(SettingWords list);
inline const SettingWord& word_of(Setting::Id id, std::uint32_t value) { return words_of(info_of(id).words)[value]; }

}  // namespace slipway::rpl
