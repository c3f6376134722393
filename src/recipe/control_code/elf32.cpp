// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/control_code/elf32.hpp"

#include <algorithm>

#include "base/elf.hpp"
#include "base/format.hpp"

namespace slipway::recipe::control_code {

std::optional<Elf32> Elf32::read(Bytes bytes, std::string_view file, Diagnostics& diagnostics) {
  Elf32 elf(bytes, file, diagnostics);
  const auto at = [&](std::uint64_t begin, std::uint64_t end) {
    return SourceLocation::in_bytes(elf.file_, {begin, std::min<std::uint64_t>(end, bytes.size())});
  };
  if (!is_elf(bytes)) {
    diagnostics.error(DiagnosticKind::FileFormat, at(0, 4),
                      "not a valid ELF stream: it does not begin with `\\x7fELF`");
    return std::nullopt;
  }
  const std::optional<ElfHeader> read = read_elf_header(bytes);
  if (!read) {
    const std::size_t wanted = ElfHeader{.wide = bytes.size() > 4 && bytes[4] == std::byte{2}}.size();
    diagnostics.error(DiagnosticKind::FileTruncated, at(0, bytes.size()),
                      formatted("not a valid ELF stream: the header has {} of {} bytes", bytes.size(), wanted));
    return std::nullopt;
  }
  elf.header_ = *read;
  const ElfHeader& header = elf.header_;
  if (header.file_class() != 1 || header.byte_order() != 1 || header.type != 2 || header.machine != 1) {
    diagnostics.error(DiagnosticKind::FileFormat, at(4, 20),
                      formatted("not a control-code ELF: class {}, byte order {}, type {} and machine {}, where "
                                "1, 1, 2 and 1 are expected",
                                header.file_class(), header.byte_order(), header.type, header.machine));
    return std::nullopt;
  }
  const std::size_t entry = header.section_header_size();
  if (header.shnum == 0 || header.shentsize != entry || !range_of(bytes, header.shoff, header.shnum * entry)) {
    diagnostics.error(DiagnosticKind::FileTruncated, at(32, 52),
                      formatted("the table of {} sections of {} bytes at byte {} is not in the file, which has {} "
                                "bytes",
                                header.shnum, header.shentsize, header.shoff, bytes.size()));
    return std::nullopt;
  }
  if (!elf.read_sections()) return std::nullopt;
  return elf;
}

bool Elf32::read_sections() {
  Bytes names;
  if (header_.shstrndx < header_.shnum) {
    const ElfSection of_names = *elf_section(bytes_, header_, header_.shstrndx);
    names = range_of(bytes_, of_names.offset, of_names.size).value_or(Bytes());
  }
  if (names.empty() && header_.shnum > 1) {
    diagnostics_->error(DiagnosticKind::IndexOutOfRange, SourceLocation::in_bytes(file_, {50, 52}),
                        formatted("section {} must hold the names of sections, but there is no such section in the "
                                  "file",
                                  header_.shstrndx));
    return false;
  }
  sections_.resize(1);
  for (std::uint32_t i = 1; i < header_.shnum; ++i) {
    const std::uint64_t at = header_.shoff + i * header_.section_header_size();
    const SourceLocation location = SourceLocation::in_bytes(file_, {at, at + header_.section_header_size()});
    const ElfSection raw = *elf_section(bytes_, header_, i);
    ControlSection section{.index = i,
                           .name = name_at(names, raw.name_offset, location, "section"),
                           .type = raw.type,
                           .flags = static_cast<std::uint32_t>(raw.flags),
                           .offset = static_cast<std::uint32_t>(raw.offset),
                           .size = static_cast<std::uint32_t>(raw.size),
                           .link = raw.link,
                           .info = raw.info};
    if (raw.type != SHT_NOBITS && !range_of(bytes_, raw.offset, raw.size)) {
      diagnostics_->error(DiagnosticKind::FileTruncated, location,
                          formatted("section {} ({}) has {} bytes from byte {} on, but the file ends at byte {}", i,
                                    section.name, raw.size, raw.offset, bytes_.size()));
    }
    sections_.push_back(std::move(section));
  }
  return true;
}

const ControlSection* Elf32::find(std::string_view name) const {
  const auto found = std::ranges::find(sections_, name, &ControlSection::name);
  return found == sections_.end() ? nullptr : &*found;
}

Bytes Elf32::contents(const ControlSection& section) const {
  if (section.type == SHT_NOBITS) return {};
  return range_of(bytes_, section.offset, section.size).value_or(Bytes());
}

SourceLocation Elf32::location_of(const ControlSection& section) const {
  const std::uint64_t end = std::min<std::uint64_t>(std::uint64_t{section.offset} + section.size, bytes_.size());
  return SourceLocation::in_bytes(file_, {std::min<std::uint64_t>(section.offset, end), end});
}

std::string Elf32::name_at(Bytes strings, std::uint32_t offset, const SourceLocation& location, std::string_view what) {
  if (const auto name = elf_string(strings, offset, kMaxName)) return std::string(*name);
  diagnostics_->error(DiagnosticKind::FileFormat, location,
                      formatted("the name of a {} at byte {} of the names, which have {} bytes, does not end or is "
                                "longer than {}",
                                what, offset, strings.size(), kMaxName));
  return {};
}

const ControlSection* Elf32::section_at(std::uint32_t index, std::string_view user) {
  if (index != 0 && index < sections_.size()) return &sections_[index];
  diagnostics_->error(DiagnosticKind::IndexOutOfRange, SourceLocation::in_file(file_),
                      formatted("{} names section {}, but the file has {}", user, index, sections_.size()));
  return nullptr;
}

std::optional<ElfSymbol> Elf32::symbol(const ControlSection& table, std::uint32_t index, std::string_view user) {
  const Bytes symbols = contents(table);
  if (const auto symbol = elf_symbol(symbols, false, index)) return symbol;
  diagnostics_->error(DiagnosticKind::IndexOutOfRange, location_of(table),
                      formatted("{} names symbol {}, but table {} has {}", user, index, table.name,
                                symbols.size() / header_.symbol_size()));
  return std::nullopt;
}

std::string Elf32::symbol_name(const ControlSection& table, const ElfSymbol& symbol) {
  const ControlSection* strings = section_at(table.link, formatted("symbol table {}", table.name));
  return strings ? name_at(contents(*strings), symbol.name_offset, location_of(table), "symbol") : std::string();
}

}  // namespace slipway::recipe::control_code
