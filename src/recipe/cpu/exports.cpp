// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/cpu/exports.hpp"

#include <array>

#include "base/checked.hpp"
#include "base/elf.hpp"
#include "base/format.hpp"

namespace slipway::recipe::cpu {
namespace {

std::unexpected<Failure> truncated(std::string_view file, std::uint64_t begin, std::uint64_t end,
                                   std::string_view what) {
  return fail(DiagnosticKind::FileTruncated, SourceLocation::in_bytes(std::string(file), {begin, end}),
              formatted("the {} of this library extends past the end of the file", what));
}

}  // namespace

Result<std::vector<bool>> find_exports(Bytes bytes, std::string_view file, std::span<const std::string_view> names) {
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
  if (!found) {
    diagnostics.add(std::move(fail(std::move(found.error()), "a recipe names it as CPU library", location).error()));
  } else if (!found->front()) {
    diagnostics.error(DiagnosticKind::CpuInit, location, formatted("CPU library `{}` exports no `library_init`", file))
        .hint("declare it `extern \"C\"`, with default visibility");
  }
}

}  // namespace slipway::recipe::cpu
