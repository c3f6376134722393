// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The diagram of a model: its inputs and outputs, the operators of its graphs, its shaders, and which operators run as
// one kernel.
#pragma once

#include <span>

#include "lower/program.hpp"
#include "model/graph_view/diagram.hpp"
#include "tosa/graph.hpp"
#include "vgf/vgf.hpp"

namespace slipway::model {

// Information about a segment that is not in the tables of the file.
struct DiagramSegment {
  const tosa::Graph* graph = nullptr;             // of a graph segment, if it could be read
  const lower::KernelProgram* program = nullptr;  // how the graph runs; null: only its operators are shown
  // Milliseconds of each dispatch of the program, or of the shader, or of the graph as a whole; empty: not known.
  std::vector<double> times;
};

// Whether a dispatch computes the operators that it lists. Some only prepare operands, for example an image with a
// border.
bool computes(const tosa::Graph& graph, const lower::KernelProgram& program, const lower::ProgramDispatch& dispatch);

// `segments` has one for each segment of the file.
Diagram build_diagram(const vgf::File& file, std::span<const DiagramSegment> segments);

// Of a graph alone.
Diagram build_diagram(const tosa::Graph& graph, const DiagramSegment& known);

}  // namespace slipway::model
