// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GPU times of the commands of a run, and the memory of its graph sessions (docs/spec/scenario.md#output-files).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "launch/report/call_part.hpp"
#include "launch/report/perf_counters.hpp"

namespace slipway::launch {

enum class CommandType : std::uint8_t { ComputeDispatch, DataGraphDispatch, GraphicsDispatch };

// The timestamps around one command.
struct CommandTime {
  CommandType type = CommandType::ComputeDispatch;
  std::string name;
  std::uint64_t before = 0, after = 0;  // ticks
  std::uint32_t iteration = 1;          // from 1
  std::size_t step = 0;                 // of the plan
};

// How long a function of the host ran, copies of its arguments not counted. It has another clock than the commands.
struct CallTime {
  std::string name;
  double milliseconds = 0;
  std::uint32_t iteration = 1;
  std::size_t step = 0;
  std::optional<std::size_t> graph = {};  // index into the plan's graphs, of a step of one
  std::vector<CallPart> parts = {};       // if times of commands are measured
  HostClock::time_point begin = {};
};

// When a dispatch, a draw or a call ran, in nanoseconds. Calls have another clock than dispatches and draws.
struct StepSpan {
  std::size_t step = 0;
  double begin = 0, end = 0;
  bool is_call = false;
};
StepSpan span_of(const CallTime& call);

// The timestamps around one kernel of a graph dispatch.
struct OperatorTime {
  std::size_t graph = 0;                // index into the plan's graphs
  std::size_t operation = 0;            // which of its steps, from 0
  std::string name;                     // names of operators, joined with `+`
  std::uint64_t before = 0, after = 0;  // ticks
  std::uint32_t iteration = 1;          // from 1
};

// An iteration as a whole: on the host from submitting its first commands to seeing the end of its last ones, and the
// timestamps at the beginning of the first and the end of the last.
struct IterationTime {
  HostClock::duration host{};
  std::uint64_t before = 0, after = 0;  // ticks
};

// A graph's intermediate memory, for the whole run.
struct SessionMemory {
  std::string name;
  std::uint64_t size = 0;       // bytes
  std::uint32_t iteration = 0;  // from 0
};

struct Profile {
  float period = 1;                       // nanoseconds a tick
  std::vector<CommandTime> times;         // in the order of the commands, iteration by iteration
  std::vector<CallTime> calls;            // likewise; there are no commands in them
  std::vector<OperatorTime> operators;    // of graph dispatches, each of which is one in `times` or `calls`
  std::vector<IterationTime> iterations;  // empty unless they are requested
  std::vector<SessionMemory> memory;
  HostClock::time_point started;  // when the first iteration was submitted
};

double milliseconds(const CommandTime& time, float period);
double milliseconds(const OperatorTime& time, float period);  // graph_profile.cpp
// From the first to the last timestamp of each iteration, together.
double total_milliseconds(const Profile& profile);

// JSON with sorted keys; an empty list has no key.
std::string write_profile(const Profile& profile);

}  // namespace slipway::launch
