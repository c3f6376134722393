// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vk/useful.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace slipway::vk {
namespace {

TEST(UsefulFeatures, AreExtensionsOrFeatures) {
  Snapshot snapshot;
  for (const UsefulFinding& finding : useful_features(snapshot)) {
    EXPECT_FALSE(finding.is_there) << finding.feature->name;
    EXPECT_FALSE(finding.feature->what.empty() || finding.feature->without.empty());
  }
  snapshot.extensions = {"VK_KHR_cooperative_matrix"};
  snapshot.features = {"shaderInt8"};
  const auto findings = useful_features(snapshot);
  EXPECT_EQ(std::ranges::count(findings, true, &UsefulFinding::is_there), 2);
}

}  // namespace
}  // namespace slipway::vk
