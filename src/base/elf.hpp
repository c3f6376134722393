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

// --- numbers, with the names that the specifications give them
// ---------------------------------------------------------

// A byte of the identification.
inline constexpr std::uint32_t EI_OSABI = 7;

// Byte orders.
inline constexpr std::uint32_t ELFDATA2LSB = 1;

// Kinds of files.
inline constexpr std::uint32_t ET_REL = 1;
inline constexpr std::uint32_t ET_DYN = 3;

// Machines.
inline constexpr std::uint32_t EM_X86_64 = 62;
inline constexpr std::uint32_t EM_AARCH64 = 183;

// Sections.
inline constexpr std::uint32_t SHN_UNDEF = 0;
inline constexpr std::uint32_t SHT_PROGBITS = 1;
inline constexpr std::uint32_t SHF_ALLOC = 2;
inline constexpr std::uint32_t SHT_SYMTAB = 2;
inline constexpr std::uint32_t SHT_RELA = 4;
inline constexpr std::uint32_t SHT_NOTE = 7;
inline constexpr std::uint32_t SHT_NOBITS = 8;
inline constexpr std::uint32_t SHT_DYNSYM = 11;
inline constexpr std::uint32_t SHT_GROUP = 17;

// Symbols.
inline constexpr std::uint32_t STB_LOCAL = 0;
inline constexpr std::uint32_t STT_OBJECT = 1;
inline constexpr std::uint32_t STT_FUNC = 2;

// Relocations of AArch64.
inline constexpr std::uint32_t R_AARCH64_ABS64 = 257;
inline constexpr std::uint32_t R_AARCH64_PREL64 = 260;
inline constexpr std::uint32_t R_AARCH64_PREL32 = 261;
inline constexpr std::uint32_t R_AARCH64_LD_PREL_LO19 = 273;
inline constexpr std::uint32_t R_AARCH64_ADR_PREL_LO21 = 274;
inline constexpr std::uint32_t R_AARCH64_ADR_PREL_PG_HI21 = 275;
inline constexpr std::uint32_t R_AARCH64_ADD_ABS_LO12_NC = 277;
inline constexpr std::uint32_t R_AARCH64_LDST8_ABS_LO12_NC = 278;
inline constexpr std::uint32_t R_AARCH64_CONDBR19 = 280;
inline constexpr std::uint32_t R_AARCH64_JUMP26 = 282;
inline constexpr std::uint32_t R_AARCH64_CALL26 = 283;
inline constexpr std::uint32_t R_AARCH64_LDST16_ABS_LO12_NC = 284;
inline constexpr std::uint32_t R_AARCH64_LDST32_ABS_LO12_NC = 285;
inline constexpr std::uint32_t R_AARCH64_LDST64_ABS_LO12_NC = 286;
inline constexpr std::uint32_t R_AARCH64_LDST128_ABS_LO12_NC = 299;
inline constexpr std::uint32_t R_AARCH64_TLSDESC_CALL = 569;

// Relocations of x86-64.
inline constexpr std::uint32_t R_X86_64_64 = 1;
inline constexpr std::uint32_t R_X86_64_PC32 = 2;
inline constexpr std::uint32_t R_X86_64_PLT32 = 4;

}  // namespace slipway
