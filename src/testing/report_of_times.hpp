// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reports of runs with known times, for tests of statistics.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "launch/report/report.hpp"

namespace slipway::testing {

// A report of one iteration for each time, of at least 1 ms. What a run prepares has times, too, which count as none.
inline launch::Report report_of_times(const std::vector<int>& milliseconds, std::uint32_t warmup = 0,
                                      std::string device = {}) {
  using launch::CounterCategory;
  launch::Report report{
      .device = std::move(device), .iterations = static_cast<std::uint32_t>(milliseconds.size()), .warmup = warmup};
  const auto add = [&](CounterCategory category, const std::string& name, std::chrono::nanoseconds time) {
    report.counters.push_back({category, name, {}, time});
  };
  add(CounterCategory::ScenarioSetup, "Parse. Iteration: 1", std::chrono::seconds(9));
  add(CounterCategory::RunScenario, "Creating Command Buffer. Iteration: 1", std::chrono::seconds(9));
  for (std::size_t i = 0; i < milliseconds.size(); ++i) {
    const std::string iteration = ". Iteration: " + std::to_string(i + 1);
    add(CounterCategory::RunScenario, "Submit Commands" + iteration, std::chrono::milliseconds(1));
    add(CounterCategory::RunScenario, "Wait for Fence" + iteration, std::chrono::milliseconds(milliseconds[i] - 1));
  }
  return report;
}

}  // namespace slipway::testing
