// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/report/graph_dumps.hpp"

#include "base/format.hpp"
#include "launch/report/graph_profile.hpp"

namespace slipway::launch {
namespace {

Result<> dump_profile(const Profile& profile, std::size_t graph, const Path& directory, const Log& log) {
  const std::string text = write_graph_profile(profile, graph);
  if (text.empty()) {
    log.warning(formatted("Skipping graph profiling dump for graph pipeline {}: no operator of it was timed", graph));
    return {};
  }
  const Path path = directory / formatted("EmulationLayerPipeline_{}.json", graph);
  return write_file(path, text).transform([&] {
    log.info(formatted("Graph profiling data saved to \"{}\"", path.string()));
  });
}

Result<> dump_profiles(const Plan& plan, const Profile& profile, const Path& directory, const Log& log) {
  if (directory.empty()) return {};
  for (std::size_t i = 0; i < plan.graphs.size(); ++i) {
    if (Result<> done = dump_profile(profile, i, directory, log); !done) return done;
  }
  return {};
}

void skip_session_memory(const Plan& plan, std::size_t graph, const Log& log) {
  const GraphDispatch& skipped = plan.graphs[graph];
  if (!skipped.native && skipped.session_memory) return;
  log.warning(formatted("Skipping session memory dump for graph pipeline {}: {}", graph,
                        skipped.native ? "the memory is the driver's"
                                       : formatted("the engine `{}` has no memory that can be read",
                                                   skipped.operators.empty() ? "" : skipped.operators.front())));
}

// A kernel that ran on the host, in nanoseconds.
OperatorTime time_of(const CallPart& part, std::size_t index, const CallTime& call) {
  const auto nanoseconds = [](HostClock::time_point point) {
    return static_cast<std::uint64_t>(std::chrono::nanoseconds(point.time_since_epoch()).count());
  };
  return {.graph = *call.graph,
          .operation = index,
          .name = part.name,
          .before = nanoseconds(part.begin),
          .after = nanoseconds(part.end),
          .iteration = call.iteration};
}

// The times of the kernels of a graph, and the nanoseconds of a tick.
std::pair<std::vector<OperatorTime>, float> samples_of(const Profile& profile, std::size_t graph) {
  std::vector<OperatorTime> samples;
  for (const OperatorTime& time : profile.operators) {
    if (time.graph == graph) samples.push_back(time);
  }
  if (!samples.empty()) return {std::move(samples), profile.period};
  for (const CallTime& call : profile.calls) {
    if (call.graph != graph) continue;
    for (std::size_t i = 0; i < call.parts.size(); ++i) samples.push_back(time_of(call.parts[i], i, call));
  }
  return {std::move(samples), 1.0F};
}

// Lines of 16 bytes: a line break, `%08X:   `, then `%02X ` for each.
std::string session_memory_text(Bytes memory) {
  constexpr std::size_t kLine = 16;
  std::string text;
  for (std::size_t at = 0; at < memory.size(); ++at) {
    if (at % kLine == 0) text += formatted("\n{:08X}:   ", at);
    text += formatted("{:02X} ", std::to_integer<unsigned>(memory[at]));
  }
  return text;
}

}  // namespace

std::string write_graph_profile(const Profile& profile, std::size_t graph) {
  const auto [samples, period] = samples_of(profile, graph);
  return samples.empty() ? std::string() : graph_profile_text(samples, period);
}

Result<> dump_graphs(const Plan& plan, PreparedPlan& prepared, const GraphDumpOptions& options, const Profile& profile,
                     const Log& log) {
  if (Result<> done = dump_profiles(plan, profile, options.profiles, log); !done) return done;
  if (options.session_memory.empty()) return {};
  std::set<ResourceIndex> sessions;
  for (const GraphDispatch& graph : plan.graphs) {
    if (graph.session_memory) sessions.insert(*graph.session_memory);
  }
  SLIPWAY_TRY(const Readback readback, prepared.read_back(sessions));
  for (std::size_t i = 0; i < plan.graphs.size(); ++i) {
    skip_session_memory(plan, i, log);
    if (!plan.graphs[i].session_memory) continue;
    const Path path = options.session_memory / formatted("Graph_Pipeline_{}_Session_RAM_0.txt", i);
    const Result<> written = write_file(path, session_memory_text(readback.bytes(*plan.graphs[i].session_memory)));
    if (!written) return written;
  }
  log.info("Session RAM dump stored");
  return {};
}

}  // namespace slipway::launch
