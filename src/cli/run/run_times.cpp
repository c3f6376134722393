// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/run/run_times.hpp"

#include "base/format.hpp"
#include "launch/report/iteration_times.hpp"

namespace slipway::cli {

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string field = "\"";
  for (const char c : text) field += c == '"' ? std::string("\"\"") : std::string(1, c);
  return field + "\"";
}

std::string times_text(const launch::Report& report) {
  const std::vector<double> times = launch::measured_times(report);
  if (times.empty()) return {};
  launch::Samples samples;
  for (const double time : times) samples.add(time);
  const launch::SampleSummary all = samples.summary();
  return formatted(
      "times of {} runs{}: median {:.3g} ms, minimum {:.3g}, mean {:.3g}, p90 {:.3g}, p99 {:.3g}, maximum {:.3g}\n",
      all.count, report.warmup > 0 ? formatted(" after {} to warm up", report.warmup) : "", all.p50, all.min, all.mean,
      all.p90, all.p99, all.max);
}

std::string times_csv(const std::string& file, const launch::Report& report) {
  std::string text = "file,device,iteration,warmup,milliseconds\n";
  const std::vector<double> times = launch::iteration_times(report);
  for (std::size_t i = 0; i < times.size(); ++i) {
    text += formatted("{},{},{},{},{}\n", csv_field(file), csv_field(report.device), i + 1, i < report.warmup ? 1 : 0,
                      times[i]);
  }
  return text;
}

}  // namespace slipway::cli
