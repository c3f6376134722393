// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The feature structs of features.def as one value, and the names of their members. Inside this module only.
#pragma once

#include <volk.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <string_view>

namespace slipway::gpu {

// Every known feature struct. Which of them are in the pNext chain is decided by link_features().
struct FeatureChain {
  VkPhysicalDeviceFeatures2 vulkan10{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
#define FEATURE_STRUCT(type, field, stype, extension, policy) type field{stype};
#include "gpu/device/features.def"
};

// Always: switched on whenever the device has it. OnRequest: only for a run that needs it.
enum class FeaturePolicy { Always, OnRequest };

struct FeatureStructInfo {
  std::size_t offset;          // in FeatureChain
  std::string_view extension;  // empty: core
  FeaturePolicy policy;
};

inline constexpr std::array kFeatureStructs = {
    FeatureStructInfo{offsetof(FeatureChain, vulkan10), "", FeaturePolicy::Always},
#define FEATURE_STRUCT(type, field, stype, extension, policy) \
  FeatureStructInfo{offsetof(FeatureChain, field), extension, FeaturePolicy::policy},
#include "gpu/device/features.def"
};

struct FeatureInfo {
  std::string_view name;
  std::size_t offset;  // in FeatureChain
};

inline constexpr std::array kFeatures = {
#define FEATURE(field, member) FeatureInfo{#member, offsetof(FeatureChain, field.member)},
#include "gpu/device/features.def"
};

constexpr const FeatureStructInfo& struct_of(const FeatureInfo& feature) {
  return *(std::ranges::upper_bound(kFeatureStructs, feature.offset, {}, &FeatureStructInfo::offset) - 1);
}

// Null for a name that is not in features.def.
constexpr const FeatureInfo* find_feature(std::string_view name) {
  const auto found = std::ranges::find(kFeatures, name, &FeatureInfo::name);
  return found == kFeatures.end() ? nullptr : &*found;
}

inline bool get_feature(const FeatureChain& chain, const FeatureInfo& feature) {
  VkBool32 value;
  std::memcpy(&value, reinterpret_cast<const std::byte*>(&chain) + feature.offset, sizeof value);
  return value == VK_TRUE;
}

inline void set_feature(FeatureChain& chain, const FeatureInfo& feature) {
  const VkBool32 value = VK_TRUE;
  std::memcpy(reinterpret_cast<std::byte*>(&chain) + feature.offset, &value, sizeof value);
}

// Makes `next` the pNext of any Vulkan struct. A copy of bytes, since such structs are no relatives of each other in
// C++.
inline void set_next(void* structure, void* next) {
  std::memcpy(static_cast<std::byte*>(structure) + offsetof(VkBaseOutStructure, pNext), &next, sizeof next);
}

// Chains the core structs and those for whose extension `has` is true; returns the head.
template <class Has>
VkPhysicalDeviceFeatures2* link_features(FeatureChain& chain, const Has& has) {
  void* last = &chain.vulkan10;
  for (const FeatureStructInfo& info : kFeatureStructs) {
    void* link = reinterpret_cast<std::byte*>(&chain) + info.offset;
    if (link == last || (!info.extension.empty() && !has(info.extension))) continue;
    set_next(last, link);
    last = link;
  }
  set_next(last, nullptr);
  return &chain.vulkan10;
}

}  // namespace slipway::gpu
