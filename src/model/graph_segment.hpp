// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The graph of a segment of a VGF model, from the tables of the file and the SPIR-V module.
#pragma once

#include "base/diagnostic.hpp"
#include "tosa/graph.hpp"
#include "vgf/vgf.hpp"

namespace slipway::model {

// Reads the module of a graph segment, sets the shapes of its inputs, outputs and constants from the bound resources (a
// dimension is known if either side knows it; tosa/check/bound_shapes.hpp) and the data of its constants (views into
// the file), and verifies it. Diagnostics are located at bytes of the file or words of the module: binding-mismatch,
// shape-mismatch, type-mismatch, unknown-reference, and those of reading and verifying. `words`: code that replaces
// that of the module.
std::optional<tosa::Graph> read_graph_segment(const vgf::File& file, std::size_t segment, Diagnostics& diagnostics,
                                              const spirv::Words* words = nullptr);

// Everything that can be found in a file without running it: the rules of the file, and its graphs.
void check_model(const vgf::File& file, Diagnostics& diagnostics);

}  // namespace slipway::model
