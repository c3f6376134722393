// The picture of a model: its inputs and outputs, the operators of its graphs, its shaders, and which operators run as
// one kernel.
#pragma once

#include <span>

#include "lower/program.hpp"
#include "model/picture/picture.hpp"
#include "tosa/graph.hpp"
#include "vgf/vgf.hpp"

namespace slipway::model {

// What is known of a segment beyond what the file's tables say.
struct PicturedSegment {
  const tosa::Graph* graph = nullptr;             // of a graph segment, if it could be read
  const lower::KernelProgram* program = nullptr;  // how the graph runs; none: its operators alone are shown
  // Milliseconds that each dispatch of the program took, or a shader alone, or the graph as a whole; empty: not known.
  std::vector<double> times;
};

// `segments` has one for each segment of the file.
Picture picture_of(const vgf::File& file, std::span<const PicturedSegment> segments);

// Of a graph alone.
Picture picture_of(const tosa::Graph& graph, const PicturedSegment& known);

}  // namespace slipway::model
