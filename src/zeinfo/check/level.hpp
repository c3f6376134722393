// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much a check demands.
#pragma once

#include <optional>
#include <string_view>

#include "zeinfo/target.hpp"

namespace slipway::zeinfo {

enum class Level { Spec, Consistency, Runtime };

// `spec`, `consistency`, `runtime`, `runtime=YY.WW` or `runtime=all`.
struct LevelChoice {
  Level level = Level::Consistency;
  Release release = kLastRelease;
  bool all_releases = false;  // one verdict for each step of the decoder
};
std::optional<LevelChoice> parse_level(std::string_view text);

struct CheckOptions {
  Level level = Level::Consistency;
  Release release = kLastRelease;  // of level Runtime
  const Device* run_on = nullptr;  // --product: the device that should load the file
};

}  // namespace slipway::zeinfo
