// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/cpu/exports.hpp"

#include <array>

#include "base/checked.hpp"
#include "base/elf.hpp"
#include "base/format.hpp"
#include "platform/library.hpp"

namespace slipway::recipe::cpu {
namespace {

std::unexpected<Failure> truncated(std::string_view file, std::uint64_t begin, std::uint64_t end,
                                   std::string_view what) {
  return fail(DiagnosticKind::FileTruncated, SourceLocation::in_bytes(std::string(file), {begin, end}),
              formatted("the {} of this library extends past the end of the file", what));
}

constexpr std::size_t kDllSection = 40;      // bytes of an entry of the table of sections
constexpr std::size_t kMaxDllSections = 96;  // as the loader of Windows

bool is_dll(Bytes bytes) { return text_of(bytes).starts_with("MZ"); }

// The bytes of a DLL from the address `at` of the loaded image to the end of its section (PE Format, Section Table).
std::optional<Bytes> bytes_at(Bytes sections, Bytes file, std::uint64_t at) {
  for (; sections.size() >= kDllSection; sections = sections.subspan(kDllSection)) {
    ByteReader reader(sections, 12);
    const std::uint64_t address = reader.read<std::uint32_t>(), size = reader.read<std::uint32_t>();
    const std::uint64_t offset = reader.read<std::uint32_t>();
    if (at >= address && at - address < size) return range_of(file, offset + (at - address), size - (at - address));
  }
  return std::nullopt;
}

// PE Format: COFF File Header, Optional Header, Export Directory Table, Export Name Pointer Table.
Result<std::vector<bool>> exports_of_dll(Bytes bytes, std::string_view file, std::span<const std::string_view> names) {
  constexpr std::size_t kHeaders = 0x3c, kCoff = 24, kDirectories = 112;
  constexpr std::uint16_t kDll = 0x2000, kWide = 0x20b;
  const std::size_t begin = ByteReader(bytes, kHeaders).read<std::uint32_t>();
  const auto number = [&](std::size_t at) { return ByteReader(bytes, begin + at).read<std::uint16_t>(); };
  if (text_of(ByteReader(bytes, begin).take(4)) != std::string_view("PE\0\0", 4) || (number(22) & kDll) == 0 ||
      number(kCoff) != kWide || number(6) > kMaxDllSections) {
    return fail(DiagnosticKind::FileFormat, SourceLocation::in_file(std::string(file)),
                "not a shared library (a 64-bit PE file that is a DLL)");
  }
  const std::size_t of_sections = begin + kCoff + number(20);
  const auto sections = range_of(bytes, of_sections, number(6) * kDllSection);
  if (!sections) return truncated(file, of_sections, bytes.size(), "table of sections");
  std::vector<bool> found(names.size());
  const auto directory_address = ByteReader(bytes, begin + kCoff + kDirectories).read<std::uint32_t>();
  if (directory_address == 0) return found;
  const auto directory = bytes_at(*sections, bytes, directory_address);
  if (!directory) return truncated(file, of_sections, bytes.size(), "directory of exports");
  const auto count = ByteReader(*directory, 24).read<std::uint32_t>();
  const auto addresses = bytes_at(*sections, bytes, ByteReader(*directory, 32).read<std::uint32_t>());
  if (!addresses || addresses->size() / sizeof(std::uint32_t) < count)
    return truncated(file, of_sections, bytes.size(), "table of names");
  ByteReader reader(*addresses);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto text = bytes_at(*sections, bytes, reader.read<std::uint32_t>());
    if (!text) return truncated(file, of_sections, bytes.size(), "table of names");
    for (std::size_t name = 0; name < names.size(); ++name) {
      if (elf_string(*text, 0, names[name].size()) == names[name]) found[name] = true;
    }
  }
  return found;
}

}  // namespace

Result<std::vector<bool>> find_exports(Bytes bytes, std::string_view file, std::span<const std::string_view> names) {
  if (is_dll(bytes)) return exports_of_dll(bytes, file, names);
  const std::optional<ElfHeader> header = read_elf_header(bytes);
  if (!header || !header->wide || header->byte_order() != ELFDATA2LSB || header->type != ET_DYN) {
    return fail(DiagnosticKind::FileFormat, SourceLocation::in_file(std::string(file)),
                "not a shared library (a 64-bit ELF file of type DYN)");
  }
  const std::size_t entry = header->section_header_size();
  if (!range_of(bytes, header->shoff, header->shnum * entry) || (header->shnum != 0 && header->shentsize != entry))
    return truncated(file, header->shoff, bytes.size(), "table of sections");
  std::vector<bool> found(names.size());
  for (std::size_t i = 0; i < header->shnum; ++i) {
    const ElfSection section = *elf_section(bytes, *header, i);
    if (section.type != SHT_DYNSYM) continue;
    const auto symbols = range_of(bytes, section.offset, section.size);
    if (!symbols) return truncated(file, section.offset, bytes.size(), "symbol table");
    if (section.link >= header->shnum) continue;
    const ElfSection of_strings = *elf_section(bytes, *header, section.link);
    const auto strings = range_of(bytes, of_strings.offset, of_strings.size);
    if (!strings) return truncated(file, of_strings.offset, bytes.size(), "table of names");
    for (std::size_t at = 0; const auto symbol = elf_symbol(*symbols, true, at); ++at) {
      if (symbol->section == SHN_UNDEF || symbol->binding() == STB_LOCAL) continue;
      for (std::size_t name = 0; name < names.size(); ++name) {
        if (elf_string(*strings, symbol->name_offset, names[name].size()) == names[name]) found[name] = true;
      }
    }
    break;  // a library has one such table
  }
  return found;
}

void check_library_file(Bytes bytes, std::string_view file, const SourceLocation& location, Diagnostics& diagnostics) {
  constexpr std::array<std::string_view, 1> kInit = {"library_init"};
  Result<std::vector<bool>> found = find_exports(bytes, file, kInit);
  if (found && is_dll(bytes) != (platform::library_ending() == ".dll")) {
    found = fail(DiagnosticKind::FileFormat, SourceLocation::in_file(std::string(file)),
                 "this shared library is for another system");
  }
  if (!found) {
    diagnostics.add(std::move(fail(std::move(found.error()), "a recipe names it as CPU library", location).error()));
  } else if (!found->front()) {
    diagnostics.error(DiagnosticKind::CpuInit, location, formatted("CPU library `{}` exports no `library_init`", file))
        .hint("declare it `extern \"C\"`, with default visibility");
  }
}

}  // namespace slipway::recipe::cpu
