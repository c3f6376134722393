// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/cpu/exports.hpp"

#include <elf.h>

#include <algorithm>
#include <array>

#include "base/checked.hpp"
#include "base/format.hpp"

namespace slipway::recipe::cpu {
namespace {

std::unexpected<Failure> truncated(std::string_view file, std::uint64_t begin, std::uint64_t end,
                                   std::string_view what) {
  return fail(DiagnosticKind::FileTruncated, SourceLocation::in_bytes(std::string(file), {begin, end}),
              formatted("the {} of this library extends past the end of the file", what));
}

// A range of a file; nothing if it is not inside the file.
std::optional<Bytes> range(Bytes bytes, std::uint64_t offset, Size size) {
  const Size end = checked_add(offset, size);
  if (!end || *end > bytes.size()) return std::nullopt;
  return bytes.subspan(offset, *size);
}

// Whether the zero-terminated text at an offset is `name`. Reads no more than the length of `name`: in a malicious file
// many symbols may refer to one very long text.
bool is_string(Bytes strings, std::uint64_t offset, std::string_view name) {
  if (offset >= strings.size()) return false;
  const std::string_view rest = text_of(strings.subspan(offset));
  return rest.size() > name.size() && rest.starts_with(name) && rest[name.size()] == '\0';
}

}  // namespace

Result<std::vector<bool>> find_exports(Bytes bytes, std::string_view file, std::span<const std::string_view> names) {
  ByteReader reader(bytes);
  const auto header = reader.read<Elf64_Ehdr>();
  if (reader.failed() || !std::equal(header.e_ident, header.e_ident + SELFMAG, ELFMAG) ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_type != ET_DYN) {
    return fail(DiagnosticKind::FileFormat, SourceLocation::in_file(std::string(file)),
                "not a shared library (a 64-bit ELF file of type DYN)");
  }
  const auto table = range(bytes, header.e_shoff, checked_multiply(header.e_shnum, sizeof(Elf64_Shdr)));
  if (!table || (header.e_shnum != 0 && header.e_shentsize != sizeof(Elf64_Shdr))) {
    return truncated(file, header.e_shoff, bytes.size(), "table of sections");
  }
  std::vector<bool> found(names.size());
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    const auto section = load<Elf64_Shdr>(table->data() + i * sizeof(Elf64_Shdr));
    if (section.sh_type != SHT_DYNSYM) continue;
    const auto symbols = range(bytes, section.sh_offset, section.sh_size);
    if (!symbols) return truncated(file, section.sh_offset, bytes.size(), "symbol table");
    if (section.sh_link >= header.e_shnum) continue;
    const auto of_strings = load<Elf64_Shdr>(table->data() + section.sh_link * sizeof(Elf64_Shdr));
    const auto strings = range(bytes, of_strings.sh_offset, of_strings.sh_size);
    if (!strings) return truncated(file, of_strings.sh_offset, bytes.size(), "table of names");
    for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= symbols->size(); at += sizeof(Elf64_Sym)) {
      const auto symbol = load<Elf64_Sym>(symbols->data() + at);
      if (symbol.st_shndx == SHN_UNDEF || ELF64_ST_BIND(symbol.st_info) == STB_LOCAL) continue;
      for (std::size_t name = 0; name < names.size(); ++name) {
        if (is_string(*strings, symbol.st_name, names[name])) found[name] = true;
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
