// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "zeinfo/version.hpp"

#include <charconv>

#include "base/format.hpp"

namespace slipway::zeinfo {
namespace {

// All of `text` as decimal digits.
std::optional<std::uint32_t> digits(std::string_view text) {
  if (text.empty() || text.find_first_not_of("0123456789") != text.npos) return std::nullopt;
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

}  // namespace

std::string text_of(Version version) {
  return version.is_pre() ? "pre" : formatted("{}.{}", version.major, version.minor);
}

std::optional<Version> parse_version(std::string_view text) {
  const std::size_t dot = text.find('.');
  if (dot == text.npos) return std::nullopt;
  const auto major = digits(text.substr(0, dot));
  const auto minor = digits(text.substr(dot + 1));
  if (!major || !minor) return std::nullopt;
  return Version{*major, *minor};
}

std::optional<Version> parse_version_or_pre(std::string_view text) {
  return text == "pre" ? Version::pre() : parse_version(text);
}

std::string text_of(Release release) { return formatted("{:02}.{:02}", release.yyww / 100, release.yyww % 100); }

std::optional<Release> parse_release(std::string_view text) {
  const std::size_t dot = text.find('.');
  if (dot != 2 || text.size() != 5) return std::nullopt;
  const auto year = digits(text.substr(0, 2));
  const auto week = digits(text.substr(3));
  if (!year || !week || *week > 53) return std::nullopt;
  return Release{static_cast<int>(*year * 100 + *week)};
}

}  // namespace slipway::zeinfo
