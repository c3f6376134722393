// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "zeinfo/check/level.hpp"

namespace slipway::zeinfo {

std::optional<LevelChoice> parse_level(std::string_view text) {
  if (text == "spec") return LevelChoice{.level = Level::Spec};
  if (text == "consistency") return LevelChoice{};
  constexpr std::string_view kRuntime = "runtime";
  if (!text.starts_with(kRuntime)) return std::nullopt;
  LevelChoice choice{.level = Level::Runtime};
  text.remove_prefix(kRuntime.size());
  if (text.empty()) return choice;
  if (!text.starts_with('=')) return std::nullopt;
  text.remove_prefix(1);
  if (text == "all") {
    choice.all_releases = true;
    return choice;
  }
  const auto release = parse_release(text);
  if (!release || *release < kFirstRelease) return std::nullopt;
  choice.release = *release;
  return choice;
}

}  // namespace slipway::zeinfo
