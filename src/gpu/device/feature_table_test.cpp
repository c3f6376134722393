// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gpu/device/feature_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/bytes.hpp"

namespace slipway::gpu {
namespace {

TEST(FeatureTable, EachMemberIsInItsStruct) {
  ASSERT_TRUE(std::ranges::is_sorted(kFeatureStructOffsets));
  for (const vk::FeatureInfo& feature : vk::kFeatures) {
    const auto after = std::ranges::upper_bound(kFeatureStructOffsets, offset_of(feature));
    EXPECT_EQ(feature.structure, static_cast<std::size_t>(after - kFeatureStructOffsets.begin()) - 1) << feature.name;
  }
}

TEST(FeatureTable, LinksOnlyTheStructsThatThereAre) {
  FeatureChain chain;
  const VkPhysicalDeviceFeatures2* head =
      link_features(chain, [](std::string_view extension) { return extension == "VK_EXT_robustness2"; });
  std::set<const void*> linked;
  for (const void* link = head->pNext; link;
       link = load<VkBaseOutStructure>(static_cast<const std::byte*>(link)).pNext) {
    linked.insert(link);
  }
  EXPECT_EQ(linked, (std::set<const void*>{&chain.vulkan11, &chain.vulkan12, &chain.vulkan13, &chain.robustness2}));
}

TEST(FeatureTable, SetsAndGets) {
  FeatureChain chain;
  set_feature(chain, *vk::find_feature("shaderInt8"));
  EXPECT_EQ(chain.vulkan12.shaderInt8, VK_TRUE);
  EXPECT_TRUE(get_feature(chain, *vk::find_feature("shaderInt8")));
  EXPECT_FALSE(get_feature(chain, *vk::find_feature("shaderInt16")));
}

}  // namespace
}  // namespace slipway::gpu
