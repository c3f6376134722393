// Where the time of a model went: segment by segment and kernel by kernel.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launch/report/profile.hpp"
#include "model/picture/of_model.hpp"
#include "model/standalone.hpp"

namespace slipway::model {

// A step of a model: a kernel, a shader, or a graph that the interpreter computed.
struct KernelTime {
  std::size_t segment = 0;  // index into Standalone::segments
  std::size_t step = 0;     // of the segment, from 0
  std::string name;         // operators joined with `+`, or the segment's name
  std::string result;       // type of what it writes; empty for shaders
  double milliseconds = 0;  // the middle one of all iterations
  std::uint64_t bytes = 0;  // of all buffers that it touches, each once
  std::uint64_t operations = 0;
  std::optional<std::uint32_t> main_node;  // of the segment's graph: what most of the operations are for
};

// In the order in which they run. The run must have been measured.
std::vector<KernelTime> kernel_times(const Standalone& alone, const launch::Profile& profile);

// For people. The last line has the time from the first kernel's begin to the last one's end as well.
std::string print_times(const Standalone& alone, const std::vector<KernelTime>& times, const launch::Profile& profile);

// What pictures need to know of the segments, with times if there are any.
std::vector<PicturedSegment> pictured_segments(const Standalone& alone, const std::vector<KernelTime>& times);

}  // namespace slipway::model
