// What would run of a model, for people: kernels, memory, arithmetic, parameters.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "lower/lower.hpp"
#include "model/picture/of_model.hpp"
#include "vgf/vgf.hpp"

namespace slipway::model {

// A graph segment as it is read and, when its shapes are known, as it would run.
struct LoweredSegment {
  std::optional<tosa::Graph> graph;  // none for shaders, placeholders and graphs that cannot be read
  std::optional<lower::KernelProgram> program;
};

// One for each segment of the file. Collects the problems of reading; what cannot be lowered is a warning.
std::vector<LoweredSegment> lower_segments(const vgf::File& file, const lower::LowerSettings& settings,
                                           Diagnostics& diagnostics);

// A line or two for each graph segment.
std::string describe_run(const vgf::File& file, const std::vector<LoweredSegment>& segments);

// A line for each kernel of each graph segment.
std::string list_kernels(const vgf::File& file, const std::vector<LoweredSegment>& segments);

std::vector<PicturedSegment> pictured_segments(const std::vector<LoweredSegment>& segments);

}  // namespace slipway::model
