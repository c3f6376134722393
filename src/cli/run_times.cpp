// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/run_times.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>

#include "base/format.hpp"
#include "cli/option_groups.hpp"
#include "recipe/profile/samples.hpp"

namespace slipway::cli {
namespace {

// Counters are named `Submit Commands. Iteration: 1` (docs/spec/scenario.md#output-files).
constexpr std::string_view kIteration = ". Iteration: ";
// Recording happens once, before the first iteration.
constexpr std::string_view kPreparation[] = {"Creating Command Buffer", "Reset Query Pool"};

std::size_t iteration_of(const launch::PerfCounter& counter) {
  const std::size_t at = counter.name.rfind(kIteration);
  if (counter.category != launch::CounterCategory::RunScenario || at == std::string::npos ||
      std::ranges::contains(kPreparation, std::string_view(counter.name).substr(0, at)))
    return 0;
  std::size_t number = 0;
  const char* const end = counter.name.data() + counter.name.size();
  const auto [last, error] = std::from_chars(counter.name.data() + at + kIteration.size(), end, number);
  return error == std::errc() && last == end ? number : 0;
}

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string field = "\"";
  for (const char c : text) field += c == '"' ? std::string("\"\"") : std::string(1, c);
  return field + "\"";
}

}  // namespace

std::vector<double> iteration_times(const launch::Report& report) {
  std::vector<double> times;
  for (const launch::PerfCounter& counter : report.counters) {
    const std::size_t iteration = iteration_of(counter);
    if (iteration == 0 || iteration > report.iterations) continue;
    times.resize(std::max(times.size(), iteration));
    times[iteration - 1] += std::chrono::duration<double, std::milli>(counter.time).count();
  }
  return times;
}

std::string times_text(const LaunchGroup& options, const launch::Report& report) {
  const std::vector<double> times = iteration_times(report);
  const auto warmup = static_cast<std::size_t>(options.warmup);
  if (times.size() < warmup + 2) return {};
  recipe::Samples samples;
  for (std::size_t i = warmup; i < times.size(); ++i) samples.add(times[i]);
  const recipe::SampleSummary all = samples.summary();
  return formatted(
      "times of {} runs{}: median {:.3g} ms, minimum {:.3g}, mean {:.3g}, p90 {:.3g}, p99 {:.3g}, maximum {:.3g}\n",
      all.count, warmup > 0 ? formatted(" after {} to warm up", warmup) : "", all.p50, all.min, all.mean, all.p90,
      all.p99, all.max);
}

std::string times_csv(const LaunchGroup& options, const std::string& file, const launch::Report& report) {
  std::string text = "file,device,iteration,warmup,milliseconds\n";
  const std::vector<double> times = iteration_times(report);
  for (std::size_t i = 0; i < times.size(); ++i) {
    text += formatted("{},{},{},{},{}\n", csv_field(file), csv_field(report.device), i + 1,
                      i < static_cast<std::size_t>(options.warmup) ? 1 : 0, times[i]);
  }
  return text;
}

}  // namespace slipway::cli
