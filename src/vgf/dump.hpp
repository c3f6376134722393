// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Output of a VGF file for people and tools: the JSON of `vgf_dump`, its constants as NumPy files, a scenario template
// (docs/spec/vgf.md#vgf_dump).
#pragma once

#include "base/diagnostic.hpp"
#include "vgf/vgf.hpp"

namespace slipway::vgf {

// The JSON of `vgf_dump`, byte for byte: indent 4, keys sorted, no line end after the last bracket.
std::string dump_json(const File& file);
std::string dump_schema();

// "Module index 9 out of bounds. Number of modules: 1", "Module index 0 has no stored SPIRV code".
Result<Bytes> module_words(const File& file, std::uint64_t index);
Result<std::string_view> module_text(const File& file, std::uint64_t index, CodeKind kind);
Result<Bytes> constant_bytes(const File& file, std::uint64_t index);
// The constant after a NumPy header, which is padded as NumPy tools expect.
Result<std::vector<std::byte>> constant_npy(const File& file, std::uint64_t index);

// A scenario that runs the model, with placeholders for the paths of its files. `file_name` is the VGF's own name
// without directories.
Result<std::string> scenario_template(const File& file, std::string_view file_name, bool add_boundaries);

// A listing for people: modules, resources, segments and constants, a line each.
std::string describe(const File& file);

}  // namespace slipway::vgf
