// The model that a VGF file was made of: what partitioning has cut is one graph again.
//
//   auto model = unite_segments(file, [&](std::size_t s) { return read_graph_segment(file, s, ...); }, diagnostics);
//
// Graph segments give their operators, a compute segment one shader operator whose attributes say what the segment
// does; its operands stand in the order of descriptor sets and bindings, and its code is SPIR-V in base64, or text.
#pragma once

#include <functional>
#include <optional>

#include "base/diagnostic.hpp"
#include "tosa/model.hpp"
#include "vgf/vgf.hpp"

namespace slipway::convert {

// The graph of a graph segment, its constants bound; empty after an error.
using SegmentReader = std::function<std::optional<tosa::Graph>(std::size_t segment)>;

// The bytes of the file must outlive the model. Errors: those of the reader, file-mismatch (segments that do not fit
// together), unsupported (a format that no tensor has).
std::optional<tosa::Model> unite_segments(const vgf::File& file, const SegmentReader& read_segment,
                                          Diagnostics& diagnostics);

}  // namespace slipway::convert
