// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The files that `slipway compile` writes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/system/files.hpp"
#include "rpl/variants/variants.hpp"
#include "rpl_c/pack_writer.hpp"

namespace slipway::cli {

// A file to write, or with the path `-` text for standard output.
struct CompiledFile {
  std::string path;
  std::string text;
  std::vector<std::uint32_t> words;  // instead of text

  Bytes bytes() const { return words.empty() ? bytes_of(text) : std::as_bytes(std::span(words)); }
};

// Modules, metadata and variants.json of a program whose variants were emitted, in a directory.
void add_variant_files(const Path& directory, const rpl::Program& program, const rpl::Variants& variants,
                       std::vector<CompiledFile>& outputs);

// All that was added to a pack.
void add_pack(const std::string& path, rpl_c::PackWriter& writer, std::vector<CompiledFile>& outputs,
              Diagnostics& diagnostics);

// Writes all files or none: they get their names after all of them are complete.
void write_outputs(const std::vector<CompiledFile>& outputs, Diagnostics& diagnostics);

}  // namespace slipway::cli
