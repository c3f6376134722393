// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Versions of ZE Info and releases of the Intel compute runtime.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace slipway::zeinfo {

// MAJOR.MINOR, compared as numbers (1.10 > 1.9); `pre` is what compilers wrote before there was a version key.
struct Version {
  std::uint32_t major = 0;
  std::uint32_t minor = 0;

  static constexpr Version pre() { return {}; }
  static constexpr Version of_level(int level) {
    return level < 0 ? pre() : Version{1, static_cast<std::uint32_t>(level)};
  }
  constexpr bool is_pre() const { return major == 0; }
  // The number that the schema table uses: the minor version of 1.x, -1 before 1.0.
  constexpr int level() const { return is_pre() ? -1 : static_cast<int>(minor < 9000 ? minor : 9000); }
  auto operator<=>(const Version&) const = default;
};

inline constexpr int kPreLevel = -1;
inline constexpr int kNewestLevel = 73;  // 1.73
inline constexpr Version kNewestVersion{1, kNewestLevel};

// "1.73"; "pre" before 1.0.
std::string text_of(Version version);
// Digits, a dot, digits; nothing else. No `pre`.
std::optional<Version> parse_version(std::string_view text);
// The values of --to: MAJOR.MINOR or `pre`.
std::optional<Version> parse_version_or_pre(std::string_view text);

// A release of the runtime, YY.WW, as the number YYWW.
struct Release {
  int yyww = 0;
  auto operator<=>(const Release&) const = default;
};
inline constexpr Release kFirstRelease{2032};
inline constexpr Release kLastRelease{2631};

std::string text_of(Release release);
std::optional<Release> parse_release(std::string_view text);

}  // namespace slipway::zeinfo
