// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a device may offer beyond what every run needs, and what its absence means to a user.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "vk/snapshot.hpp"

namespace slipway::vk {

struct UsefulFeature {
  std::string_view name;     // of an extension (`VK_...`) or a feature
  std::string_view what;     // "half-precision arithmetic"
  std::string_view without;  // what a run does without it
};

struct UsefulFinding {
  const UsefulFeature* feature = nullptr;
  bool is_there = false;
};

// Every useful feature, in the order of the table.
std::vector<UsefulFinding> useful_features(const Snapshot& snapshot);

}  // namespace slipway::vk
