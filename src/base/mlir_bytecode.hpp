// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The container of MLIR bytecode: its sections, strings and dialects, as far as they are needed without MLIR
// ("MLIR Bytecode Format", versions 0 to 6).
//
//   const auto file = read_mlir_bytecode(bytes);
//   if (file && std::ranges::contains(dialects_of(*file), "tosa")) ...
//
// Weights are in sections of their own, so that nothing here can mistake them for text. All texts and bytes are views
// of the file.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"

namespace slipway {

enum class MlirSectionId : std::uint8_t {
  String,
  Dialect,
  AttributeType,
  AttributeTypeOffset,
  Ir,
  Resource,
  ResourceOffset,
  DialectVersions,
  Properties
};

struct MlirSection {
  MlirSectionId id{};
  std::uint64_t alignment = 1;  // of the contents in memory
  Bytes contents;
};

struct MlirBytecode {
  std::uint64_t version = 0;
  std::string_view producer;
  Bytes head;                         // what comes before the sections
  std::vector<MlirSection> sections;  // of a truncated file, those that are whole
  bool is_whole = false;

  Bytes section(MlirSectionId id) const;  // empty if it is missing
};

bool is_mlir_bytecode(Bytes bytes);
// Empty if the file is something else.
std::optional<MlirBytecode> read_mlir_bytecode(Bytes bytes);

// Empty if the section is damaged.
std::vector<std::string_view> strings_of(const MlirBytecode& file);
// The names of the dialects whose operators, types and attributes are in the file, in the order of their numbers.
std::vector<std::string_view> dialects_of(const MlirBytecode& file);

// Numbers of the format. A number past the end is 0, and the reader has failed.
std::uint64_t read_mlir_number(ByteReader& from);
void write_mlir_number(ByteWriter& to, std::uint64_t value);

}  // namespace slipway
