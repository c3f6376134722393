// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "zeinfo/zebin/archive.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/format.hpp"

namespace slipway::zebin {
namespace {

constexpr std::string_view kMagic = "!<arch>\n";
constexpr std::size_t kHeaderSize = 60;

std::string_view trimmed(std::string_view text) {
  text = text.substr(0, text.find_last_not_of(' ') + 1);
  return text;
}

std::optional<std::uint64_t> decimal(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// `name/` is a plain name; `/12` refers to an entry of the member `//` (GNU's long names).
std::string name_of(std::string_view field, std::string_view long_names) {
  if (field.size() > 1 && field.starts_with('/')) {
    if (const auto at = decimal(field.substr(1)); at && *at < long_names.size()) {
      const std::string_view rest = long_names.substr(*at);
      return std::string(rest.substr(0, rest.find('/')));
    }
  }
  if (field != "/" && field != "//" && field.ends_with('/')) field.remove_suffix(1);
  return std::string(field);
}

}  // namespace

std::string_view Member::device() const {
  const std::string_view text = name;
  return text.starts_with("64.") || text.starts_with("32.") ? text.substr(3) : std::string_view();
}

bool is_archive(Bytes bytes) { return text_of(bytes).starts_with(kMagic); }

std::vector<Member> read_archive(Bytes bytes, ContainerDiagnostics& diagnostics) {
  std::vector<Member> members;
  std::string_view long_names;
  std::size_t at = kMagic.size();
  while (at < bytes.size()) {
    const std::string_view header = text_of(bytes).substr(at, kHeaderSize);
    const auto bad = [&](std::string message) {
      diagnostics.error(DiagnosticKind::ArchiveTruncated, {at, at + header.size()}, std::move(message));
      return members;
    };
    if (header.size() < kHeaderSize) return bad(formatted("the header of member {} is truncated", members.size()));
    if (header.substr(58, 2) != "`\n") return bad(formatted("member {} has no valid header", members.size()));
    const std::string name = name_of(trimmed(header.substr(0, 16)), long_names);
    const auto size = decimal(trimmed(header.substr(48, 10)));
    const std::size_t begin = at + kHeaderSize;
    if (!size || *size > bytes.size() - begin) {
      return bad(formatted("member `{}` should have {} bytes, but {} are left", name, trimmed(header.substr(48, 10)),
                           bytes.size() - begin));
    }
    const Bytes content = bytes.subspan(begin, *size);
    if (name == "//") {
      long_names = text_of(content);
    } else {
      members.push_back({name, begin, content});
    }
    at = begin + *size + (*size & 1);  // members begin at even offsets
  }
  return members;
}

}  // namespace slipway::zebin
