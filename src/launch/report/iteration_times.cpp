// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/report/iteration_times.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>

namespace slipway::launch {
namespace {

// Counters are named `Submit Commands. Iteration: 1` (docs/spec/scenario.md#output-files).
constexpr std::string_view kIteration = ". Iteration: ";
// Recording happens once, before the first iteration.
constexpr std::string_view kPreparation[] = {"Creating Command Buffer", "Reset Query Pool"};

std::size_t iteration_of(const PerfCounter& counter) {
  const std::size_t at = counter.name.rfind(kIteration);
  if (counter.category != CounterCategory::RunScenario || at == std::string::npos ||
      std::ranges::contains(kPreparation, std::string_view(counter.name).substr(0, at)))
    return 0;
  std::size_t number = 0;
  const char* const end = counter.name.data() + counter.name.size();
  const auto [last, error] = std::from_chars(counter.name.data() + at + kIteration.size(), end, number);
  return error == std::errc() && last == end ? number : 0;
}

}  // namespace

std::vector<double> iteration_times(const Report& report) {
  std::vector<double> times;
  for (const PerfCounter& counter : report.counters) {
    const std::size_t iteration = iteration_of(counter);
    if (iteration == 0 || iteration > report.iterations) continue;
    times.resize(std::max(times.size(), iteration));
    times[iteration - 1] += std::chrono::duration<double, std::milli>(counter.time).count();
  }
  return times;
}

std::vector<double> measured_times(const Report& report) {
  std::vector<double> times = iteration_times(report);
  if (times.size() < report.warmup + std::size_t{2}) return {};
  times.erase(times.begin(), times.begin() + report.warmup);
  return times;
}

std::optional<SampleSummary> measured_summary(const Report& report) {
  const std::vector<double> times = measured_times(report);
  if (times.empty()) return std::nullopt;
  Samples samples;
  for (const double time : times) samples.add(time * 1000);
  return samples.summary();
}

}  // namespace slipway::launch
