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

#include "base/elf.hpp"
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

struct Section : ElfSection {
  std::uint32_t index = 0;
  std::string name;             // `#<index>` if it cannot be read
  Bytes bytes;                  // empty for NOBITS, and when outside the file
  bool in_file = false;         // its bytes are in the file, or it needs none
  std::uint64_t header_at = 0;  // file offset of its header

  Span span() const { return {offset, offset + bytes.size()}; }
};

struct Symbol : ElfSymbol {
  std::uint32_t index = 0;
  std::string_view name;
  std::uint64_t at = 0;  // file offset of the entry
};

struct Relocation : ElfRelocation {
  std::uint32_t section = 0;  // the section of relocations that contains it
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
  ElfHeader header;
  std::vector<Section> sections;
  std::vector<Symbol> symbols;          // of the first `.symtab`
  std::vector<Relocation> relocations;  // of all sections of them
  std::vector<Note> notes;              // of `.note.intelgt.compat`

  // The first section of that name or type; null without a match.
  const Section* find(std::string_view name) const;
  const Section* find_type(std::uint32_t type) const;
};

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
