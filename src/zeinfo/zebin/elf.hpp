// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ELF container of Intel GPU binaries ("zebin"): header, sections, symbols, relocations and notes, read in place.
//
// Little-endian, 32 and 64 bit. Every offset and size is checked before it is used; parts outside the file are reported
// at the field that refers to them and left out; the rest is still read. Names are views of the file. Nothing is
// assumed to be unique, terminated or sorted (docs/spec/zeinfo.md#elf-container).
//
// Errors: not-recognised (not ELF), unsupported-container (big-endian, other kinds of ELF), elf-out-of-bounds,
// elf-header, section-name, section-link, symbol-entry-size, symbol-name, symbol-section, reloc-entry-size,
// reloc-symbol, reloc-section, reloc-offset, reloc-type, note-truncated.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "zeinfo/zebin/container_diagnostics.hpp"

namespace slipway::zebin {

// Section types (docs/spec/zeinfo.md#elf-container).
inline constexpr std::uint32_t kNull = 0, kProgbits = 1, kSymtab = 2, kStrtab = 3, kRela = 4, kNote = 7, kNobits = 8,
                               kRel = 9;
inline constexpr std::uint32_t kSpirv = 0xff000009, kZeInfo = 0xff000011, kGtpinInfo = 0xff000012,
                               kVisaAsm = 0xff000013, kMisc = 0xff000014, kPisa = 0xff000015;
// Kinds of file.
inline constexpr std::uint16_t kRelocatable = 1, kOldZebin = 0xff12, kOpenClWrapper = 0xff04;
inline constexpr std::uint16_t kIntelMachine = 205;

struct Header {
  bool wide = true;  // ELFCLASS64
  std::uint8_t ident[16] = {};
  std::uint16_t type = 0, machine = 0;
  std::uint32_t version = 0;
  std::uint64_t entry = 0, phoff = 0, shoff = 0;
  std::uint32_t flags = 0;
  std::uint16_t ehsize = 0, phentsize = 0, phnum = 0, shentsize = 0, shnum = 0, shstrndx = 0;

  std::uint8_t abi_version() const { return ident[8]; }
  std::size_t size() const { return wide ? 64 : 52; }
  std::size_t section_header_size() const { return wide ? 64 : 40; }
  std::size_t symbol_size() const { return wide ? 24 : 16; }
  std::size_t relocation_size(bool with_addend) const {
    return (wide ? 16u : 8u) + (with_addend ? (wide ? 8u : 4u) : 0u);
  }
  std::uint64_t alignment() const { return wide ? 8 : 4; }
};

struct Section {
  std::uint32_t index = 0;
  std::string name;  // `#<index>` if it cannot be read
  std::uint32_t name_offset = 0;
  std::uint32_t type = 0;
  std::uint64_t flags = 0, address = 0, offset = 0, size = 0;
  std::uint32_t link = 0, info = 0;
  std::uint64_t alignment = 0, entry_size = 0;
  Bytes bytes;                  // empty for NOBITS, and when outside the file
  bool in_file = false;         // its bytes are in the file, or it needs none
  std::uint64_t header_at = 0;  // file offset of its header

  Span span() const { return {offset, offset + bytes.size()}; }
};

struct Symbol {
  std::uint32_t index = 0;
  std::string_view name;
  std::uint8_t info = 0, other = 0;
  std::uint16_t section = 0;
  std::uint64_t value = 0, size = 0;
  std::uint64_t at = 0;  // file offset of the entry

  std::uint8_t type() const { return info & 0xf; }
  std::uint8_t binding() const { return info >> 4; }
};

struct Relocation {
  std::uint32_t section = 0;  // the section of relocations that contains it
  std::uint64_t offset = 0;   // in the target section
  std::uint32_t symbol = 0;
  std::uint32_t type = 0;
  std::optional<std::int64_t> addend;
  std::uint64_t at = 0;
};

struct Note {
  std::uint32_t section = 0;
  std::uint32_t type = 0;
  std::string_view owner;  // without its NUL
  Bytes value;
  std::uint64_t at = 0;
};

struct Elf {
  Bytes file;
  Header header;
  std::vector<Section> sections;
  std::vector<Symbol> symbols;          // of the first `.symtab`
  std::vector<Relocation> relocations;  // of all sections of them
  std::vector<Note> notes;              // of `.note.intelgt.compat`

  // The first section of that name or type; null without a match.
  const Section* find(std::string_view name) const;
  const Section* find_type(std::uint32_t type) const;
};

// Whether bytes begin with the magic number of ELF.
bool is_elf(Bytes bytes);

// Empty when the file cannot be read at all; otherwise everything that can be read. `file` must outlive the result.
std::optional<Elf> read_elf(Bytes file, ContainerDiagnostics& diagnostics);

// Names of numbers; empty for numbers without a name.
std::string_view section_type_name(std::uint32_t type);      // "PROGBITS", "ZEINFO"
std::string_view symbol_type_name(std::uint8_t type);        // "FUNC"
std::string_view symbol_binding_name(std::uint8_t binding);  // "LOCAL"
std::string_view relocation_type_name(std::uint32_t type);   // "R_SYM_ADDR"
std::string section_flags_text(std::uint64_t flags);         // "WAX"

// A name from a file as UTF-8 without control characters: other bytes become `\\x1b`.
std::string printable(std::string_view name);

}  // namespace slipway::zebin
