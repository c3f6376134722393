// The graph of a segment of a VGF model: what the file's tables and the SPIR-V module say together.
#pragma once

#include "base/diagnostic.hpp"
#include "tosa/graph.hpp"
#include "vgf/vgf.hpp"

namespace slipway::model {

// Reads the module of a graph segment, gives its inputs and outputs the shapes of the resources that are bound to them
// (a dimension that either knows is known), its constants their data (views into the file) and verifies it. Problems
// are at bytes of the file or words of the module: binding-mismatch, shape-mismatch, type-mismatch, unknown-reference,
// and those of reading and verifying. `words`: code in the place of that of the module.
std::optional<tosa::Graph> read_graph_segment(const vgf::File& file, std::size_t segment, Diagnostics& diagnostics,
                                              const spirv::Words* words = nullptr);

}  // namespace slipway::model
