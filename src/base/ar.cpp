// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/ar.hpp"

#include <charconv>

#include "base/format.hpp"

namespace slipway {
namespace {

constexpr std::size_t kHeaderSize = 60, kNameSize = 16;
constexpr std::string_view kBsdName = "#1/";  // the name is before the contents, with this size

std::string_view trimmed(std::string_view text) { return text.substr(0, text.find_last_not_of(' ') + 1); }

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

bool is_ar(Bytes bytes) { return text_of(bytes).starts_with(kArMagic); }

ArArchive read_ar(Bytes bytes) {
  ArArchive archive;
  std::string_view long_names;
  std::size_t at = kArMagic.size();
  while (at < bytes.size()) {
    const std::string_view header = text_of(bytes).substr(at, kHeaderSize);
    const auto fault = [&](std::string message) {
      archive.fault = {{at, at + header.size()}, std::move(message)};
      return std::move(archive);
    };
    const std::size_t count = archive.members.size();
    if (header.size() < kHeaderSize) return fault(formatted("the header of member {} is truncated", count));
    if (header.substr(58, 2) != "`\n") return fault(formatted("member {} has no valid header", count));
    const std::string_view field = trimmed(header.substr(0, kNameSize));
    std::string name = name_of(field, long_names);
    const auto size = decimal(trimmed(header.substr(48, 10)));
    const std::size_t begin = at + kHeaderSize;
    if (!size || *size > bytes.size() - begin) {
      return fault(formatted("member `{}` should have {} bytes, but {} are left", name, trimmed(header.substr(48, 10)),
                             bytes.size() - begin));
    }
    Bytes content = bytes.subspan(begin, *size);
    if (name == "//") {
      long_names = text_of(content);
    } else {
      std::uint64_t offset = begin;
      if (const auto length = field.starts_with(kBsdName) ? decimal(field.substr(kBsdName.size())) : std::nullopt) {
        if (*length > content.size()) return fault(formatted("the name of member {} is truncated", count));
        name = text_of(content.first(*length));
        name.resize(name.find_last_not_of('\0') + 1);
        content = content.subspan(*length);
        offset += *length;
      }
      archive.members.push_back({std::move(name), offset, content});
    }
    at = begin + *size + (*size & 1);  // members begin at even offsets
  }
  return archive;
}

ArHeader ar_member(std::string_view name, std::uint64_t size) {
  const bool is_short = name.size() < kNameSize && !name.contains('/') && !name.contains(' ');
  const std::string field = is_short ? formatted("{}/", name) : formatted("{}{}", kBsdName, name.size());
  const std::uint64_t total = size + (is_short ? 0 : name.size());
  ArHeader header{formatted("{:16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", field, 0, 0, 0, "644", total), {}};
  if (!is_short) header.before += name;
  if (total % 2 != 0) header.padding = "\n";
  return header;
}

}  // namespace slipway
