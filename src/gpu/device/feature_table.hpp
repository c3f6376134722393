// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The feature structs of features.def as one value, whose members are accessed by name. Inside this module only.
#pragma once

#include <volk.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <string_view>

#include "vk/feature_names.hpp"

namespace slipway::gpu {

// Every known feature struct. Which of them are in the pNext chain is decided by link_features().
struct FeatureChain {
  VkPhysicalDeviceFeatures2 vulkan10{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
#define FEATURE_STRUCT(type, field, stype, extension, policy) type field{stype};
#include "vk/features.def"
};

// Offsets in FeatureChain of what feature_names.hpp names, in its order.
inline constexpr std::array<std::size_t, vk::kFeatureStructs.size()> kFeatureStructOffsets = {
    offsetof(FeatureChain, vulkan10),
#define FEATURE_STRUCT(type, field, stype, extension, policy) offsetof(FeatureChain, field),
#include "vk/features.def"
};
inline constexpr std::array<std::size_t, vk::kFeatures.size()> kFeatureOffsets = {
#define FEATURE(field, member) offsetof(FeatureChain, field.member),
#include "vk/features.def"
};

// `feature` is an element of kFeatures.
inline std::size_t offset_of(const vk::FeatureInfo& feature) {
  return kFeatureOffsets[static_cast<std::size_t>(&feature - vk::kFeatures.data())];
}

inline bool get_feature(const FeatureChain& chain, const vk::FeatureInfo& feature) {
  VkBool32 value;
  std::memcpy(&value, reinterpret_cast<const std::byte*>(&chain) + offset_of(feature), sizeof value);
  return value == VK_TRUE;
}

inline void set_feature(FeatureChain& chain, const vk::FeatureInfo& feature) {
  const VkBool32 value = VK_TRUE;
  std::memcpy(reinterpret_cast<std::byte*>(&chain) + offset_of(feature), &value, sizeof value);
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
  for (std::size_t i = 1; i < vk::kFeatureStructs.size(); ++i) {
    const std::string_view extension = vk::kFeatureStructs[i].extension;
    if (!extension.empty() && !has(extension)) continue;
    void* link = reinterpret_cast<std::byte*>(&chain) + kFeatureStructOffsets[i];
    set_next(last, link);
    last = link;
  }
  set_next(last, nullptr);
  return &chain.vulkan10;
}

}  // namespace slipway::gpu
