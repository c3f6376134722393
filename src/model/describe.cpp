// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/describe.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "model/graph_segment.hpp"
#include "model/plan/plan_model.hpp"
#include "tosa/cost.hpp"

namespace slipway::model {
namespace {

bool is_static(const tosa::Graph& graph) {
  return std::ranges::all_of(graph.values, [](const tosa::Value& value) { return value.type.is_static(); });
}

// `1 kernel`, `2 kernels`
std::string counted(std::size_t count, std::string_view what) {
  return formatted("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

std::vector<LoweredSegment> lower_segments(const vgf::File& file, const lower::LowerOptions& options,
                                           Diagnostics& diagnostics) {
  std::vector<LoweredSegment> segments(file.segments.size());
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const vgf::Segment& segment = file.segments[i];
    if (segment.kind != vgf::ModuleKind::Graph || file.modules[segment.module].is_placeholder()) continue;
    segments[i].graph = read_graph_segment(file, i, diagnostics);
    if (!segments[i].graph || !is_static(*segments[i].graph)) continue;
    Result<lower::KernelProgram> program = lower::lower_graph(*segments[i].graph, options);
    if (program) {
      segments[i].program = std::move(*program);
      continue;
    }
    for (Diagnostic problem : program.error()) {
      problem.severity = Severity::Warning;
      diagnostics.add(std::move(problem));
    }
  }
  return segments;
}

std::string describe_run(const vgf::File& file, const std::vector<LoweredSegment>& segments) {
  std::string text;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const LoweredSegment& segment = segments[i];
    if (!segment.graph) continue;
    const tosa::Cost cost = tosa::cost_of(*segment.graph);
    const tosa::Parameters parameters = tosa::parameters_of(*segment.graph);
    text +=
        formatted("graph {} `{}`: {}, ", i, segment_name(file, i), counted(segment.graph->nodes.size(), "operator"));
    if (is_static(*segment.graph))
      text += formatted("{:.1f} million multiply-adds, ", static_cast<double>(cost.multiply_adds) / 1e6);
    text += formatted("{} parameters in {:.2f} MB\n", parameters.elements, static_cast<double>(parameters.bytes) / 1e6);
    if (segment.program) {
      text += formatted("  runs as {} ({} different), arena {} bytes (at least {})\n",
                        counted(segment.program->dispatches.size(), "kernel"), segment.program->kernels.size(),
                        segment.program->arena_size, segment.program->arena_lower_bound);
    } else if (!is_static(*segment.graph)) {
      text += "  its kernels depend on shapes that the model leaves open\n";
    }
  }
  return text;
}

std::string list_kernels(const vgf::File& file, const std::vector<LoweredSegment>& segments) {
  std::string text;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (!segments[i].program) continue;
    text += formatted("graph {} `{}`: {}", i, segment_name(file, i),
                      lower::print_program(*segments[i].graph, *segments[i].program));
  }
  return text;
}

std::vector<DiagramSegment> diagram_segments(const std::vector<LoweredSegment>& segments) {
  std::vector<DiagramSegment> all;
  for (const LoweredSegment& segment : segments) {
    all.push_back({.graph = segment.graph ? &*segment.graph : nullptr,
                   .program = segment.program ? &*segment.program : nullptr,
                   .times = {}});
  }
  return all;
}

}  // namespace slipway::model
