// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The time of a model, by segment and kernel.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launch/report/profile.hpp"
#include "model/graph_view/build_diagram.hpp"
#include "model/standalone/standalone.hpp"

namespace slipway::model {

// A step of a model: a kernel, a shader, or a graph that the interpreter computed.
struct KernelTime {
  std::size_t segment = 0;  // index into Standalone::segments
  std::size_t step = 0;     // of the segment, from 0
  std::string name;         // operators joined with `+`, or the segment's name
  std::string result;       // type of what it writes; empty for shaders
  double milliseconds = 0;  // the median of all iterations
  double shortest = 0;      // of all iterations, milliseconds
  std::uint64_t bytes = 0;  // of all buffers that it accesses, each counted once
  std::uint64_t operations = 0;
  std::optional<std::uint32_t> main_node;  // index in the segment's graph: the node with most of the operations
};

// In the order in which they run. The run must have been measured.
std::vector<KernelTime> kernel_times(const Standalone& alone, const launch::Profile& profile);

// For people. The last line also has the time from the start of the first kernel to the end of the last one.
std::string print_times(const Standalone& alone, const std::vector<KernelTime>& times, const launch::Profile& profile);

// The segments for diagrams, with times if there are any.
std::vector<DiagramSegment> diagram_segments(const Standalone& alone, const std::vector<KernelTime>& times);

}  // namespace slipway::model
