// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layer/settings.hpp"

#include <array>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "layer/chain.hpp"

namespace slipway::layer {
namespace {

constexpr std::array kLogLevels = {"off", "error", "warning", "info", "debug"};

bool is_on(std::string_view value) { return value == "1" || value == "on" || value == "true"; }

struct Setting {
  const char* variable;
  std::string_view name;  // in VK_EXT_layer_settings
  void (*apply)(Settings& settings, std::string_view value);
};

constexpr Setting kSettings[] = {
    {"SLIPWAY_LAYER_LOG", "log",
     [](Settings& settings, std::string_view value) {
       for (std::size_t i = 0; i < kLogLevels.size(); ++i) {
         if (value == kLogLevels[i]) settings.log = static_cast<LayerLogLevel>(i);
       }
     }},
    {"SLIPWAY_LAYER_VALIDATE", "validate",
     [](Settings& settings, std::string_view value) { settings.validate = is_on(value); }},
    {"SLIPWAY_LAYER_FORCE", "force", [](Settings& settings, std::string_view value) { settings.force = is_on(value); }},
    {"SLIPWAY_LAYER_CACHE", "cache", [](Settings& settings, std::string_view value) { settings.cache = is_on(value); }},
    {"SLIPWAY_LAYER_PROFILE", "profile",
     [](Settings& settings, std::string_view value) { settings.profile = is_on(value); }},
    {"SLIPWAY_LAYER_CAPTURE", "capture", [](Settings& settings, std::string_view value) { settings.capture = value; }},
    {"SLIPWAY_LAYER_CAPTURE_DATA", "capture_data",
     [](Settings& settings, std::string_view value) { settings.capture_data = is_on(value); }},
};

std::optional<std::string_view> value_of(const VkLayerSettingEXT& setting) {
  if (setting.valueCount != 1 || setting.pValues == nullptr) return std::nullopt;
  if (setting.type == VK_LAYER_SETTING_TYPE_STRING_EXT) return *static_cast<const char* const*>(setting.pValues);
  if (setting.type == VK_LAYER_SETTING_TYPE_BOOL32_EXT)
    return *static_cast<const VkBool32*>(setting.pValues) != VK_FALSE ? "on" : "off";
  return std::nullopt;
}

}  // namespace

Settings read_settings(const void* chain) {
  Settings settings;
  for (const Setting& known : kSettings) {
    if (const char* value = std::getenv(known.variable)) known.apply(settings, value);
  }
  const auto* given =
      find_in_chain<VkLayerSettingsCreateInfoEXT>(chain, VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT);
  for (std::uint32_t i = 0; given != nullptr && i < given->settingCount; ++i) {
    const VkLayerSettingEXT& setting = given->pSettings[i];
    if (std::string_view(setting.pLayerName) != kLayerName) continue;
    for (const Setting& known : kSettings) {
      if (known.name != setting.pSettingName) continue;
      if (const auto value = value_of(setting)) known.apply(settings, *value);
    }
  }
  return settings;
}

}  // namespace slipway::layer
