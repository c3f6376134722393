// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tables of little-endian ELF files of both classes (32 and 64 bits): the header, and entries of the tables of
// sections, symbols and relocations.
//
//   const std::optional<ElfHeader> header = read_elf_header(file);
//   const std::optional<ElfSection> section = elf_section(file, *header, 1);
//   const std::optional<Bytes> contents = range_of(file, section->offset, section->size);
//
// Files are not trusted: what is outside the bytes has no value. What a kind of file requires (class, byte order,
// types, sizes of entries) is checked by its reader, which also words the diagnostics.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/bytes.hpp"

namespace slipway {

struct ElfHeader {
  bool wide = true;  // 64 bits
  std::uint8_t ident[16] = {};
  std::uint16_t type = 0, machine = 0;
  std::uint32_t version = 0;
  std::uint64_t entry = 0, phoff = 0, shoff = 0;
  std::uint32_t flags = 0;
  std::uint16_t ehsize = 0, phentsize = 0, phnum = 0, shentsize = 0, shnum = 0, shstrndx = 0;

  std::uint8_t file_class() const { return ident[4]; }  // 1: 32 bits, 2: 64
  std::uint8_t byte_order() const { return ident[5]; }  // 1: little-endian
  std::uint8_t os_abi() const { return ident[7]; }
  std::uint8_t abi_version() const { return ident[8]; }
  // Bytes of a header and of entries.
  std::size_t size() const { return wide ? 64 : 52; }
  std::size_t section_header_size() const { return wide ? 64 : 40; }
  std::size_t symbol_size() const { return wide ? 24 : 16; }
  std::size_t relocation_size(bool with_addend) const { return (with_addend ? 3u : 2u) * alignment(); }
  std::size_t alignment() const { return wide ? 8 : 4; }
};

struct ElfSection {
  std::uint32_t name_offset = 0;
  std::uint32_t type = 0;
  std::uint64_t flags = 0, address = 0, offset = 0, size = 0;
  std::uint32_t link = 0, info = 0;
  std::uint64_t alignment = 0, entry_size = 0;
};

struct ElfSymbol {
  std::uint32_t name_offset = 0;
  std::uint8_t info = 0, other = 0;
  std::uint16_t section = 0;
  std::uint64_t value = 0, size = 0;

  std::uint8_t type() const { return info & 0xf; }
  std::uint8_t binding() const { return info >> 4; }
};

struct ElfRelocation {
  std::uint64_t offset = 0;  // in the target section
  std::uint32_t symbol = 0;
  std::uint32_t type = 0;
  std::optional<std::int64_t> addend;
};

// Whether bytes begin with the magic number of ELF.
bool is_elf(Bytes bytes);
// Nothing for bytes that do not begin with the magic number, or end in the header. Every class but 2 is read as 1.
std::optional<ElfHeader> read_elf_header(Bytes file);

// Entries by index, `wide` as in the header. Nothing if the entry is not completely inside.
std::optional<ElfSection> elf_section(Bytes file, const ElfHeader& header, std::uint64_t index);
std::optional<ElfSymbol> elf_symbol(Bytes table, bool wide, std::uint64_t index);
std::optional<ElfRelocation> elf_relocation(Bytes table, bool wide, bool with_addend, std::uint64_t index);

// The bytes `[offset, offset + size)` of a file; nothing if they are not completely inside.
std::optional<Bytes> range_of(Bytes file, std::uint64_t offset, std::optional<std::uint64_t> size);

// The zero-terminated text at an offset of a table of names; nothing if it begins outside, does not end, or is longer
// than `max` bytes. No more is read than that: in a malicious file many entries may refer to one very long text.
std::optional<std::string_view> elf_string(Bytes table, std::uint64_t offset, std::size_t max = 0xffffffff);

}  // namespace slipway
