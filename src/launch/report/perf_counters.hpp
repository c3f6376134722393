// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long the stages of a run took on the host (docs/spec/scenario.md#output-files).
//
//   PerfCounters counters;
//   { ScopedTimer timer(counters, CounterCategory::ScenarioSetup, "Load Buffer: x"); ... }
//   write_perf_counters(counters);
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::launch {

using HostClock = std::chrono::steady_clock;

enum class CounterCategory : std::uint8_t {
  ScenarioSetup,
  LoadPipelineCache,
  PipelineSetup,
  SavePipelineCache,
  RunScenario,
  SaveResults,
  None,
};

struct PerfCounter {
  CounterCategory category = CounterCategory::None;
  std::string name;
  HostClock::time_point start;
  HostClock::duration time{};
};

using PerfCounters = std::vector<PerfCounter>;

// Adds a counter for the time from its construction to its destruction.
class ScopedTimer {
 public:
  ScopedTimer(PerfCounters& counters, CounterCategory category, std::string name)
      : counters_(counters), counter_{category, std::move(name), HostClock::now(), {}} {}
  ScopedTimer(const ScopedTimer&) = delete;
  ~ScopedTimer() {
    counter_.time = HostClock::now() - counter_.start;
    counters_.push_back(std::move(counter_));
  }

 private:
  PerfCounters& counters_;
  PerfCounter counter_;
};

// "Scenario Setup", ...
std::string_view name_of(CounterCategory category);

// The times of scenario set-up, loading the cache and making pipelines, together.
HostClock::duration time_to_inference(std::span<const PerfCounter> counters);
// The time of recording and executing commands, of all iterations together.
HostClock::duration run_time(std::span<const PerfCounter> counters);
HostClock::duration total_time(std::span<const PerfCounter> counters);
// As reports show it.
std::int64_t whole_microseconds(HostClock::duration time);

// JSON, keys sorted. Categories without counters are left out.
std::string write_perf_counters(std::span<const PerfCounter> counters);

}  // namespace slipway::launch
