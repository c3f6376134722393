// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reconstructs the model of a VGF file: merges the segments that partitioning has made into one graph.
//
//   auto model = merge_segments(file, [&](std::size_t s) { return read_graph_segment(file, s, ...); }, diagnostics);
//
// A graph segment contributes its operators, a compute segment one shader operator whose attributes describe the
// segment; its operands are in the order of descriptor sets and bindings, and its code is SPIR-V in base64, or text.
#pragma once

#include <functional>
#include <optional>

#include "base/diagnostic.hpp"
#include "tosa/model.hpp"
#include "vgf/vgf.hpp"

namespace slipway::convert {

// The graph of a graph segment, its constants bound; empty after an error.
using SegmentReader = std::function<std::optional<tosa::Graph>(std::size_t segment)>;

// The bytes of the file must outlive the model. Errors: those of the reader, file-mismatch (inconsistent segments),
// unsupported (a format that no tensor can have).
std::optional<tosa::Model> merge_segments(const vgf::File& file, const SegmentReader& read_segment,
                                          Diagnostics& diagnostics);

}  // namespace slipway::convert
