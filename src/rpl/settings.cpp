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
#include "rpl/settings.def"
#undef SETTING
};

constexpr SettingWord kPolygon[] = {{"fill", 0}, {"wireframe", 1}};
constexpr SettingWord kCull[] = {{"none", 0}, {"back", 2}, {"front", 1}};
constexpr SettingWord kCompare[] = {{"never", 0}, {"always", 7},        {"equal", 2},   {"not_equal", 5},
                                    {"less", 1},  {"less_or_equal", 3}, {"greater", 4}, {"greater_or_equal", 6}};
constexpr SettingWord kStencil[] = {{"keep", 0},
                                    {"zero", 1},
                                    {"replace", 2},
                                    {"increment_and_clamp", 3},
                                    {"decrement_and_clamp", 4},
                                    {"invert", 5},
                                    {"increment_and_wrap", 6},
                                    {"decrement_and_wrap", 7}};
constexpr SettingWord kBlendFactor[] = {{"zero", 0},
                                        {"one", 1},
                                        {"source_color", 2},
                                        {"one_minus_source_color", 3},
                                        {"destination_color", 4},
                                        {"one_minus_destination_color", 5},
                                        {"source_alpha", 6},
                                        {"one_minus_source_alpha", 7},
                                        {"destination_alpha", 8},
                                        {"one_minus_destination_alpha", 9},
                                        {"constant_color", 10},
                                        {"one_minus_constant_color", 11},
                                        {"constant_alpha", 12},
                                        {"one_minus_constant_alpha", 13},
                                        {"source_alpha_saturate", 14}};
constexpr SettingWord kBlendOperation[] = {
    {"add", 0}, {"subtract", 1}, {"reverse_subtract", 2}, {"min", 3}, {"max", 4}};
constexpr SettingWord kTopology[] = {{"point_list", 0},    {"line_list", 1},      {"line_strip", 2},
                                     {"triangle_list", 3}, {"triangle_strip", 4}, {"triangle_fan", 5}};
constexpr SettingWord kFrontFace[] = {{"counter_clockwise", 0}, {"clockwise", 1}};
constexpr SettingWord kDepthStencilFormat[] = {
    {"none", 0},      {"d16_unorm", 124},         {"d32_sfloat", 126},
    {"s8_uint", 127}, {"d24_unorm_s8_uint", 129}, {"d32_sfloat_s8_uint", 130}};
constexpr SettingWord kColorFormat[] = {{"r8_unorm", 9},
                                        {"r8g8_unorm", 16},
                                        {"r8g8b8a8_unorm", 37},
                                        {"r8g8b8a8_srgb", 43},
                                        {"b8g8r8a8_unorm", 44},
                                        {"b8g8r8a8_srgb", 50},
                                        {"a2b10g10r10_unorm", 64},
                                        {"r16_sfloat", 76},
                                        {"r16g16_sfloat", 83},
                                        {"r16g16b16a16_sfloat", 97},
                                        {"r32_sfloat", 100},
                                        {"r32g32_sfloat", 103},
                                        {"r32g32b32a32_sfloat", 109},
                                        {"b10g11r11_ufloat", 122},
                                        {"r32_uint", 98},
                                        {"r32g32_uint", 101},
                                        {"r32g32b32a32_uint", 107},
                                        {"r32_sint", 99},
                                        {"r32g32_sint", 102},
                                        {"r32g32b32a32_sint", 108}};

}  // namespace

std::span<const SettingInfo> setting_table() { return kSettings; }
const SettingInfo& info_of(Setting::Id id) { return kSettings[id]; }

std::optional<Setting::Id> find_setting(NameId name) {
  constexpr NameId kFirst = Word::setting_polygon_mode;
  if (name < kFirst || name >= kFirst + kSettingCount) return std::nullopt;
  return static_cast<Setting::Id>(name - kFirst);
}

std::span<const SettingWord> words_of(SettingWords list) {
  switch (list) {
    case SettingWords::None:
      return {};
    case SettingWords::Polygon:
      return kPolygon;
    case SettingWords::Cull:
      return kCull;
    case SettingWords::Compare:
      return kCompare;
    case SettingWords::Stencil:
      return kStencil;
    case SettingWords::BlendFactor:
      return kBlendFactor;
    case SettingWords::BlendOperation:
      return kBlendOperation;
    case SettingWords::Topology:
      return kTopology;
    case SettingWords::FrontFace:
      return kFrontFace;
    case SettingWords::DepthStencilFormat:
      return kDepthStencilFormat;
    case SettingWords::ColorFormat:
      return kColorFormat;
  }
  return {};
}

}  // namespace slipway::rpl
