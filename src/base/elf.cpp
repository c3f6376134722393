// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/elf.hpp"

#include "base/checked.hpp"

namespace slipway {
namespace {

// Fields of both classes, at increasing offsets.
class FieldReader {
 public:
  FieldReader(Bytes bytes, bool wide) : reader_(bytes), wide_(wide) {}

  template <class... T>
  void read(T&... fields) {
    ((fields = reader_.read<T>()), ...);
  }
  // Addresses, offsets and sizes.
  template <class... T>
  void words(T&... fields) {
    ((fields = wide_ ? reader_.read<std::uint64_t>() : reader_.read<std::uint32_t>()), ...);
  }

 private:
  ByteReader reader_;
  bool wide_;
};

std::optional<Bytes> entry_of(Bytes table, std::uint64_t begin, std::uint64_t index, std::size_t size) {
  const Size offset = checked_add(begin, checked_multiply(index, size));
  return offset ? range_of(table, *offset, size) : std::nullopt;
}

}  // namespace

bool is_elf(Bytes bytes) {
  return text_of(bytes).starts_with(
      "\x7f"
      "ELF");
}

std::optional<ElfHeader> read_elf_header(Bytes file) {
  if (!is_elf(file)) return std::nullopt;
  ElfHeader header{.wide = file.size() > 4 && file[4] == std::byte{2}};
  if (file.size() < header.size()) return std::nullopt;
  FieldReader in(file, header.wide);
  for (std::uint8_t& each : header.ident) in.read(each);
  in.read(header.type, header.machine, header.version);
  in.words(header.entry, header.phoff, header.shoff);
  in.read(header.flags, header.ehsize, header.phentsize, header.phnum, header.shentsize, header.shnum, header.shstrndx);
  return header;
}

std::optional<ElfSection> elf_section(Bytes file, const ElfHeader& header, std::uint64_t index) {
  const auto bytes = entry_of(file, header.shoff, index, header.section_header_size());
  if (!bytes) return std::nullopt;
  FieldReader in(*bytes, header.wide);
  ElfSection section;
  in.read(section.name_offset, section.type);
  in.words(section.flags, section.address, section.offset, section.size);
  in.read(section.link, section.info);
  in.words(section.alignment, section.entry_size);
  return section;
}

std::optional<ElfSymbol> elf_symbol(Bytes table, bool wide, std::uint64_t index) {
  const auto bytes = entry_of(table, 0, index, ElfHeader{.wide = wide}.symbol_size());
  if (!bytes) return std::nullopt;
  FieldReader in(*bytes, wide);
  ElfSymbol symbol;
  in.read(symbol.name_offset);
  if (!wide) in.words(symbol.value, symbol.size);
  in.read(symbol.info, symbol.other, symbol.section);
  if (wide) in.words(symbol.value, symbol.size);
  return symbol;
}

std::optional<ElfRelocation> elf_relocation(Bytes table, bool wide, bool with_addend, std::uint64_t index) {
  const auto bytes = entry_of(table, 0, index, ElfHeader{.wide = wide}.relocation_size(with_addend));
  if (!bytes) return std::nullopt;
  FieldReader in(*bytes, wide);
  ElfRelocation relocation;
  std::uint64_t info = 0, addend = 0;
  in.words(relocation.offset, info);
  relocation.symbol = static_cast<std::uint32_t>(info >> (wide ? 32 : 8));
  relocation.type = static_cast<std::uint32_t>(info & (wide ? 0xffffffff : 0xff));
  if (with_addend) {
    in.words(addend);
    relocation.addend = wide ? static_cast<std::int64_t>(addend) : static_cast<std::int32_t>(addend);
  }
  return relocation;
}

std::optional<Bytes> range_of(Bytes file, std::uint64_t offset, std::optional<std::uint64_t> size) {
  const Size end = checked_add(offset, size);
  if (!end || *end > file.size()) return std::nullopt;
  return file.subspan(offset, *size);
}

std::optional<std::string_view> elf_string(Bytes table, std::uint64_t offset, std::size_t max) {
  if (offset >= table.size()) return std::nullopt;
  const std::string_view rest = text_of(table.subspan(offset));
  const std::size_t end = rest.substr(0, max + 1).find('\0');
  return end == rest.npos ? std::nullopt : std::optional(rest.substr(0, end));
}

}  // namespace slipway
