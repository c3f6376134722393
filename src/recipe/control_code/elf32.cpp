// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/control_code/elf32.hpp"

#include <algorithm>

#include "base/format.hpp"

namespace slipway::recipe::control_code {
namespace {

constexpr std::size_t kSectionHeader = 40;
constexpr std::string_view kMagic =
    "\x7f"
    "ELF";

struct SectionHeader {
  std::uint32_t name, type, flags, address, offset, size, link, info, alignment, entry_size;
};
static_assert(sizeof(SectionHeader) == kSectionHeader);

}  // namespace

std::optional<Elf32> Elf32::read(Bytes bytes, std::string_view file, Diagnostics& diagnostics) {
  Elf32 elf(bytes, file, diagnostics);
  const auto at = [&](std::uint64_t begin, std::uint64_t end) {
    return SourceLocation::in_bytes(elf.file_, {begin, std::min<std::uint64_t>(end, bytes.size())});
  };
  if (!text_of(bytes).starts_with(kMagic)) {
    diagnostics.error(DiagnosticKind::FileFormat, at(0, 4),
                      "not a valid ELF stream: it does not begin with `\\x7fELF`");
    return std::nullopt;
  }
  if (bytes.size() < sizeof(ElfHeader)) {
    diagnostics.error(
        DiagnosticKind::FileTruncated, at(0, bytes.size()),
        formatted("not a valid ELF stream: the header has {} of {} bytes", bytes.size(), sizeof(ElfHeader)));
    return std::nullopt;
  }
  elf.header_ = load<ElfHeader>(bytes.data());
  const ElfHeader& header = elf.header_;
  if (header.identification[4] != 1 || header.identification[5] != 1 || header.type != 2 || header.machine != 1) {
    diagnostics.error(DiagnosticKind::FileFormat, at(4, 20),
                      formatted("not a control-code ELF: class {}, byte order {}, type {} and machine {}, where "
                                "1, 1, 2 and 1 are expected",
                                header.identification[4], header.identification[5], header.type, header.machine));
    return std::nullopt;
  }
  const std::uint64_t table_end =
      std::uint64_t{header.section_headers} + std::uint64_t{header.section_header_count} * kSectionHeader;
  if (header.section_header_count == 0 || header.section_header_size != kSectionHeader || table_end > bytes.size()) {
    diagnostics.error(
        DiagnosticKind::FileTruncated, at(32, 52),
        formatted("the table of {} sections of {} bytes at byte {} is not in the file, which has {} "
                  "bytes",
                  header.section_header_count, header.section_header_size, header.section_headers, bytes.size()));
    return std::nullopt;
  }
  if (!elf.read_sections()) return std::nullopt;
  return elf;
}

bool Elf32::read_sections() {
  const auto header_of = [&](std::size_t index) {
    return load<SectionHeader>(&bytes_[header_.section_headers + index * kSectionHeader]);
  };
  Bytes names;
  if (header_.name_section < header_.section_header_count) {
    const SectionHeader of_names = header_of(header_.name_section);
    if (std::uint64_t{of_names.offset} + of_names.size <= bytes_.size()) {
      names = bytes_.subspan(of_names.offset, of_names.size);
    }
  }
  if (names.empty() && header_.section_header_count > 1) {
    diagnostics_->error(DiagnosticKind::IndexOutOfRange, SourceLocation::in_bytes(file_, {50, 52}),
                        formatted("section {} must hold the names of sections, but there is no such section in the "
                                  "file",
                                  header_.name_section));
    return false;
  }
  sections_.resize(1);
  for (std::size_t i = 1; i < header_.section_header_count; ++i) {
    const std::uint64_t at = header_.section_headers + i * kSectionHeader;
    const SourceLocation location = SourceLocation::in_bytes(file_, {at, at + kSectionHeader});
    const SectionHeader raw = header_of(i);
    Section section{.index = static_cast<std::uint32_t>(i),
                    .name = name_at(names, raw.name, location, "section"),
                    .type = raw.type,
                    .flags = raw.flags,
                    .offset = raw.offset,
                    .size = raw.size,
                    .link = raw.link,
                    .info = raw.info};
    if (raw.type != kNoContents && std::uint64_t{raw.offset} + raw.size > bytes_.size()) {
      diagnostics_->error(DiagnosticKind::FileTruncated, location,
                          formatted("section {} ({}) has {} bytes from byte {} on, but the file ends at byte {}", i,
                                    section.name, raw.size, raw.offset, bytes_.size()));
    }
    sections_.push_back(std::move(section));
  }
  return true;
}

const Section* Elf32::find(std::string_view name) const {
  const auto found = std::ranges::find(sections_, name, &Section::name);
  return found == sections_.end() ? nullptr : &*found;
}

Bytes Elf32::contents(const Section& section) const {
  if (section.type == kNoContents || std::uint64_t{section.offset} + section.size > bytes_.size()) return {};
  return bytes_.subspan(section.offset, section.size);
}

SourceLocation Elf32::location_of(const Section& section) const {
  const std::uint64_t end = std::min<std::uint64_t>(std::uint64_t{section.offset} + section.size, bytes_.size());
  return SourceLocation::in_bytes(file_, {std::min<std::uint64_t>(section.offset, end), end});
}

std::string Elf32::name_at(Bytes strings, std::uint32_t offset, const SourceLocation& location, std::string_view what) {
  if (offset < strings.size()) {
    const std::string_view rest = text_of(strings.subspan(offset));
    const std::size_t end = rest.substr(0, kMaxName + 1).find('\0');
    if (end != rest.npos) return std::string(rest.substr(0, end));
  }
  diagnostics_->error(DiagnosticKind::FileFormat, location,
                      formatted("the name of a {} at byte {} of the names, which have {} bytes, does not end or is "
                                "longer than {}",
                                what, offset, strings.size(), kMaxName));
  return {};
}

const Section* Elf32::section_at(std::uint32_t index, std::string_view user) {
  if (index != 0 && index < sections_.size()) return &sections_[index];
  diagnostics_->error(DiagnosticKind::IndexOutOfRange, SourceLocation::in_file(file_),
                      formatted("{} names section {}, but the file has {}", user, index, sections_.size()));
  return nullptr;
}

std::optional<ElfSymbol> Elf32::symbol(const Section& table, std::uint32_t index, std::string_view user) {
  const Bytes symbols = contents(table);
  if (index < symbols.size() / sizeof(ElfSymbol)) return load<ElfSymbol>(&symbols[index * sizeof(ElfSymbol)]);
  diagnostics_->error(DiagnosticKind::IndexOutOfRange, location_of(table),
                      formatted("{} names symbol {}, but table {} has {}", user, index, table.name,
                                symbols.size() / sizeof(ElfSymbol)));
  return std::nullopt;
}

std::string Elf32::symbol_name(const Section& table, const ElfSymbol& symbol) {
  const Section* strings = section_at(table.link, formatted("symbol table {}", table.name));
  return strings ? name_at(contents(*strings), symbol.name, location_of(table), "symbol") : std::string();
}

}  // namespace slipway::recipe::control_code
