// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Describes how a model would run, for people: kernels, memory, arithmetic, parameters.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "lower/lower.hpp"
#include "model/graph_view/build_diagram.hpp"
#include "vgf/vgf.hpp"

namespace slipway::model {

// A graph segment and, if its shapes are known, the program that would run it.
struct LoweredSegment {
  std::optional<tosa::Graph> graph;  // empty for shaders, placeholders and graphs that cannot be read
  std::optional<lower::KernelProgram> program;
};

// One for each segment of the file. Collects diagnostics of reading; a segment that cannot be lowered is a warning.
std::vector<LoweredSegment> lower_segments(const vgf::File& file, const lower::LowerOptions& options,
                                           Diagnostics& diagnostics);

// A line or two for each graph segment.
std::string describe_run(const vgf::File& file, const std::vector<LoweredSegment>& segments);

// A line for each kernel of each graph segment.
std::string list_kernels(const vgf::File& file, const std::vector<LoweredSegment>& segments);

std::vector<DiagramSegment> diagram_segments(const std::vector<LoweredSegment>& segments);

}  // namespace slipway::model
