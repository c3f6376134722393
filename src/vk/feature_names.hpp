// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The names of the features and feature structs of features.def, and the extensions that the structs come with.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace slipway::vk {

// Always: switched on whenever the device has it. OnRequest: only for a run that needs it.
enum class FeaturePolicy { Always, OnRequest };

struct FeatureStructInfo {
  std::string_view extension;  // empty: core
  FeaturePolicy policy;
};

// The first is that of Vulkan 1.0; the others follow in the order of the file.
inline constexpr std::array kFeatureStructs = {
    FeatureStructInfo{"", FeaturePolicy::Always},
#define FEATURE_STRUCT(type, field, stype, extension, policy) FeatureStructInfo{extension, FeaturePolicy::policy},
#include "vk/features.def"
};

struct FeatureInfo {
  std::string_view name;
  std::size_t structure = 0;  // in kFeatureStructs
};

inline constexpr std::size_t kFeatureCount = 0
#define FEATURE(field, member) +1
#include "vk/features.def"
    ;

inline constexpr std::array<FeatureInfo, kFeatureCount> kFeatures = [] {
  std::array<FeatureInfo, kFeatureCount> features;
  std::size_t count = 0, structure = 0;
#define FEATURE_STRUCT(type, field, stype, extension, policy) ++structure;
#define FEATURE(field, member) features[count++] = {#member, structure};
#include "vk/features.def"
  return features;
}();

constexpr const FeatureStructInfo& struct_of(const FeatureInfo& feature) { return kFeatureStructs[feature.structure]; }

// Null for a name that is not in features.def.
constexpr const FeatureInfo* find_feature(std::string_view name) {
  const auto found = std::ranges::find(kFeatures, name, &FeatureInfo::name);
  return found == kFeatures.end() ? nullptr : &*found;
}

}  // namespace slipway::vk
