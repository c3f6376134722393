// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/xclbin/sections.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "recipe/xclbin/names.hpp"

namespace slipway::recipe::xclbin {

std::string SectionReader::name() const { return named(section_kind_name(section_.kind), section_.kind); }

Bytes SectionReader::range(std::uint64_t offset, std::uint64_t count, std::uint64_t entry, std::string_view what) {
  const Size size = checked_multiply(count, entry);
  const Size end = checked_add(offset, size);
  if (end && *end <= bytes_.size()) return bytes_.subspan(offset, *size);
  const std::uint64_t begin = section_.offset + std::min<std::uint64_t>(offset, bytes_.size());
  diagnostics_.error(
      DiagnosticKind::FileTruncated,
      SourceLocation::in_bytes(std::string(file_), {begin, section_.offset + bytes_.size()}),
      formatted("the {} of section {} ({} of {} bytes from byte {} on) extends past the end of the section, which "
                "has {} bytes",
                what, name(), count, entry, offset, bytes_.size()));
  return {};
}

std::string SectionReader::text(std::uint64_t offset, std::string_view what) {
  const Bytes rest = range(offset, 1, 1, what);
  if (rest.empty()) return {};
  const std::string_view all = text_of(bytes_.subspan(offset));
  const std::size_t end = all.find('\0');
  if (end == all.npos) {
    diagnostics_.error(
        DiagnosticKind::FileFormat,
        SourceLocation::in_bytes(std::string(file_), {section_.offset + offset, section_.offset + bytes_.size()}),
        formatted("the {} of section {} does not end", what, name()));
    return {};
  }
  return std::string(all.substr(0, end));
}

std::string field_text(Bytes field) {
  const std::string_view all = text_of(field);
  return std::string(all.substr(0, all.find('\0')));
}

namespace {

// The number of entries, at the start of a layout.
std::uint64_t count_of(SectionReader& section) {
  const auto count = section.at<std::int32_t>(0, "count");
  if (count >= 0) return static_cast<std::uint64_t>(count);
  section.diagnostics().error(
      DiagnosticKind::OutOfRange,
      SourceLocation::in_bytes(std::string(section.file()), {section.base(), section.base() + 4}),
      formatted("section {} has {} entries", section.name(), count));
  return 0;
}

}  // namespace

std::vector<Ip> read_ip_layout(SectionReader section) {
  constexpr std::size_t kEntry = 80;
  const Bytes entries = section.range(8, count_of(section), kEntry, "entries");
  std::vector<Ip> all;
  for (std::size_t at = 0; at < entries.size(); at += kEntry) {
    const std::byte* entry = entries.data() + at;
    all.push_back({.type = load<std::uint32_t>(entry),
                   .properties = load<std::uint32_t>(entry + 4),
                   .base = load<std::uint64_t>(entry + 8),
                   .name = field_text(entries.subspan(at + 16, 64))});
  }
  return all;
}

std::vector<Memory> read_mem_topology(SectionReader section) {
  constexpr std::size_t kEntry = 40;
  const Bytes entries = section.range(8, count_of(section), kEntry, "entries");
  std::vector<Memory> all;
  for (std::size_t at = 0; at < entries.size(); at += kEntry) {
    const std::byte* entry = entries.data() + at;
    all.push_back({.type = load<std::uint8_t>(entry),
                   .used = load<std::uint8_t>(entry + 1) != 0,
                   .size_kib = load<std::uint64_t>(entry + 8),
                   .base = load<std::uint64_t>(entry + 16),
                   .tag = field_text(entries.subspan(at + 24, 16))});
  }
  return all;
}

// Its entries follow the count directly, without padding.
std::vector<Connection> read_connectivity(SectionReader section) {
  static_assert(sizeof(Connection) == 12);
  return section.list<Connection>(4, count_of(section), "entries");
}

}  // namespace slipway::recipe::xclbin
