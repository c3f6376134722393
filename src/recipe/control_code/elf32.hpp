// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of a 32-bit little-endian ELF file: sections, their names and contents, symbols. Program headers are
// ignored (docs/spec/recipe.md#control-code-elf-files).
//
// Input is not trusted: every table, name and index is checked when it is used. Diagnostics have byte ranges.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/diagnostic.hpp"
#include "base/elf.hpp"
#include "recipe/control_code/control_code.hpp"

namespace slipway::recipe::control_code {

// Longer names are errors: many entries of a malicious file could refer to one long name.
inline constexpr std::size_t kMaxName = 1024;

class Elf32 {
 public:
  // Nothing if the header or the section table is invalid.
  static std::optional<Elf32> read(Bytes bytes, std::string_view file, Diagnostics& diagnostics);

  const ElfHeader& header() const { return header_; }
  // By index; the first one is empty.
  const std::vector<ControlSection>& sections() const { return sections_; }
  const ControlSection* find(std::string_view name) const;
  // Empty for contents outside the file, which `read` has reported.
  Bytes contents(const ControlSection& section) const;

  // An entry of a symbol table and its name. Errors: index-out-of-range, file-format.
  std::optional<ElfSymbol> symbol(const ControlSection& table, std::uint32_t index, std::string_view user);
  std::string symbol_name(const ControlSection& table, const ElfSymbol& symbol);
  // Null after a diagnostic (index-out-of-range). `user` is for the message.
  const ControlSection* section_at(std::uint32_t index, std::string_view user);

  SourceLocation location_of(const ControlSection& section) const;
  Diagnostics& diagnostics() { return *diagnostics_; }

 private:
  Elf32(Bytes bytes, std::string_view file, Diagnostics& diagnostics)
      : bytes_(bytes), file_(file), diagnostics_(&diagnostics) {}
  bool read_sections();
  std::string name_at(Bytes strings, std::uint32_t offset, const SourceLocation& location, std::string_view what);

  Bytes bytes_;
  std::string file_;
  Diagnostics* diagnostics_;
  ElfHeader header_{};
  std::vector<ControlSection> sections_;
};

}  // namespace slipway::recipe::control_code
