// A zebin taken apart, to be changed and written anew: sections by identity, symbols and relocations as values.
//
//   std::optional<Image> image = image_of(zebin, problems);
//   strip(*image, {.debug = true});
//   std::vector<std::byte> bytes = write_image(*image);
//
// The writer lays everything out as the compiler does: sections in their order and aligned, the section table last,
// names in the order of their first use. A file of a current compiler that is not changed comes out byte for byte.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "zeinfo/zebin/zebin.hpp"

namespace slipway::zebin {

struct Image {
  struct Part {
    std::uint32_t id = 0;  // stays when others go; links, symbols and relocations name parts by it
    std::string name;
    std::uint32_t type = 0;
    std::uint64_t flags = 0, address = 0;
    std::uint32_t link = 0, info = 0;  // ids where they are sections, else numbers
    std::uint64_t alignment = 0, entry_size = 0;
    std::vector<std::byte> bytes;
    std::uint64_t size = 0;               // of NOBITS
    std::vector<std::byte> bytes_behind;  // room that belongs to it without being in its size
  };
  struct Symbol {
    std::uint32_t id = 0;
    std::string name;
    std::uint8_t info = 0, other = 0;
    std::uint32_t section = 0;  // id, or a reserved index
    std::uint64_t value = 0, size = 0;
  };
  struct Relocation {
    std::uint32_t section = 0;  // id of the part that it stands in
    std::uint64_t offset = 0;
    std::uint32_t symbol = 0;  // id
    std::uint32_t type = 0;
    std::optional<std::int64_t> addend;
  };

  Header header;
  std::vector<Part> parts;  // the first is the empty section
  std::vector<Symbol> symbols;
  std::vector<Relocation> relocations;
  std::uint32_t names = 0;         // id of the part with the names of sections
  std::uint32_t symbol_table = 0;  // id; 0 if there is none
  bool counts_locals = true;       // sh_info of the symbol table is 1 + its locals; else their number

  Part* find(std::string_view name);
  Part* find(std::uint32_t id);
};

// Errors: what cannot be taken apart, as a file that the reader had errors with (file-format) or with two symbol
// tables.
std::optional<Image> image_of(const Zebin& zebin, Problems& problems);

std::vector<std::byte> write_image(const Image& image);

// --- edits -----------------------------------------------------------------------------------------------------------

struct StripChoice {
  bool ir = false;        // .spv, .pisa, spec constants
  bool debug = false;     // .debug_*, their relocations and the symbols that only they use
  bool assembly = false;  // .visaasm
  bool metrics = false;   // .note.intelgt.metrics
  bool options = false;   // .misc.buildOptions
};
// `ir,debug,asm,metrics,options`; nothing for other words.
std::optional<StripChoice> parse_strip(std::string_view text);
// Gives the names of what went.
std::vector<std::string> strip(Image& image, const StripChoice& choice);

// Replaces the text, or adds it where there is none.
void replace_ze_info(Image& image, std::string_view text);
// Writes note 4, where the file has one; takes it out for versions before 1.0.
void set_version_note(Image& image, zeinfo::Version version);
// Sections and symbols of a kernel; the text is renamed by zeinfo::rename_kernel. Errors: unknown-reference,
// duplicate-name.
Result<> rename_kernel(Image& image, std::string_view from, std::string_view to);
// What a version of the format does not have: "note 8", "section `.pisa`".
std::vector<std::string> newer_than(const Image& image, zeinfo::Version version);

}  // namespace slipway::zebin
