// What people and tools ask a VGF file for: the JSON of `vgf_dump`, its constants as NumPy files, a scenario template
// (page 5.1).
#pragma once

#include "base/diagnostic.hpp"
#include "vgf/vgf.hpp"

namespace slipway::vgf {

// The JSON of `vgf_dump`, byte for byte: indent 4, keys sorted, no line end behind the last bracket.
std::string dump_json(const File& file);

// "Module index 9 out of bounds. Number of modules: 1", "Module index 0 has no stored SPIRV code".
Result<Bytes> module_words(const File& file, std::uint64_t index);
Result<std::string_view> module_text(const File& file, std::uint64_t index, CodeKind kind);
Result<Bytes> constant_bytes(const File& file, std::uint64_t index);
// The constant with a NumPy header in front, padded as the format's tools expect it.
Result<std::vector<std::byte>> constant_npy(const File& file, std::uint64_t index);

// A scenario that runs the model, with placeholders for the paths of its files. `file_name` is the VGF's own name
// without directories.
Result<std::string> scenario_template(const File& file, std::string_view file_name, bool add_boundaries);

// For people: modules, resources, segments and constants, a line each.
std::string describe(const File& file);

}  // namespace slipway::vgf
