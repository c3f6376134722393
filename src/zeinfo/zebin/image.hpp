// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A zebin as an editable value: sections by identity, symbols and relocations as values.
//
//   std::optional<Image> image = image_of(zebin, diagnostics);
//   strip(*image, {.debug = true});
//   std::vector<std::byte> bytes = write_image(*image);
//
// The writer uses the compiler's layout: sections in order and aligned, the section table last, names in the order of
// their first use. An unchanged file of a current compiler is written back byte for byte.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "zeinfo/zebin/zebin.hpp"

namespace slipway::zebin {

struct Image {
  struct Part {
    std::uint32_t id = 0;  // stable when other parts are removed; links, symbols and relocations refer to it
    std::string name;
    std::uint32_t type = 0;
    std::uint64_t flags = 0, address = 0;
    std::uint32_t link = 0, info = 0;  // ids where they refer to sections, otherwise numbers
    std::uint64_t alignment = 0, entry_size = 0;
    std::vector<std::byte> bytes;
    std::uint64_t size = 0;              // of NOBITS
    std::vector<std::byte> bytes_after;  // space after the part that its size does not include
  };
  struct Symbol {
    std::uint32_t id = 0;
    std::string name;
    std::uint8_t info = 0, other = 0;
    std::uint32_t section = 0;  // id, or a reserved index
    std::uint64_t value = 0, size = 0;
  };
  struct Relocation {
    std::uint32_t section = 0;  // id of the part that contains it
    std::uint64_t offset = 0;
    std::uint32_t symbol = 0;  // id
    std::uint32_t type = 0;
    std::optional<std::int64_t> addend;
  };

  ElfHeader header;
  std::vector<Part> parts;  // the first is the empty section
  std::vector<Symbol> symbols;
  std::vector<Relocation> relocations;
  std::uint32_t names = 0;         // id of the part with the names of sections
  std::uint32_t symbol_table = 0;  // id; 0 without a symbol table
  bool counts_locals = true;       // sh_info of the symbol table is 1 + its number of locals; false: their number

  Part* find(std::string_view name);
  Part* find(std::uint32_t id);
};

// Errors: files that cannot be represented, such as files with reader errors (file-format) or with two symbol tables.
std::optional<Image> image_of(const Zebin& zebin, ContainerDiagnostics& diagnostics);

std::vector<std::byte> write_image(const Image& image);

// --- edits -----------------------------------------------------------------------------------------------------------

struct StripChoice {
  bool ir = false;        // .spv, .pisa, spec constants
  bool debug = false;     // .debug_*, their relocations and the symbols that only they use
  bool assembly = false;  // .visaasm
  bool metrics = false;   // .note.intelgt.metrics
  bool options = false;   // .misc.buildOptions
};
// Parses `ir,debug,asm,metrics,options`; empty for other words.
std::optional<StripChoice> parse_strip(std::string_view text);
// Returns the names of the removed parts.
std::vector<std::string> strip(Image& image, const StripChoice& choice);

// Replaces the text, or adds it.
void replace_ze_info(Image& image, std::string_view text);
// Updates note 4 if the file has one; removes it for versions before 1.0.
void set_version_note(Image& image, zeinfo::Version version);
// Renames the sections and symbols of a kernel; zeinfo::rename_kernel renames it in the text. Errors:
// unknown-reference, duplicate-name.
Result<> rename_kernel(Image& image, std::string_view from, std::string_view to);
// The parts that a version of the format does not have: "note 8", "section `.pisa`".
std::vector<std::string> newer_than(const Image& image, zeinfo::Version version);

}  // namespace slipway::zebin
