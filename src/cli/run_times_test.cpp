// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/run_times.hpp"

#include <gtest/gtest.h>

namespace slipway::cli {
namespace {

using launch::CounterCategory;

launch::Report times_report(const std::vector<int>& milliseconds, std::uint32_t warmup = 0) {
  launch::Report report{
      .device = "A \"GPU\", fast", .iterations = static_cast<std::uint32_t>(milliseconds.size()), .warmup = warmup};
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

TEST(RunTimes, WarmUpIsLeftOut) {
  EXPECT_EQ(times_text(times_report({4, 2, 3})),
            "times of 3 runs: median 3 ms, minimum 2, mean 3, p90 4, p99 4, maximum 4\n");
  EXPECT_EQ(times_text(times_report({400, 2, 3}, 1)),
            "times of 2 runs after 1 to warm up: median 2 ms, minimum 2, mean 2.5, p90 3, p99 3, maximum 3\n");
  EXPECT_EQ(times_text(times_report({400, 2}, 1)), "");
}

TEST(RunTimes, CsvHasALineForEachIteration) {
  EXPECT_EQ(times_csv("a,b.json", times_report({4, 2}, 1)),
            "file,device,iteration,warmup,milliseconds\n"
            "\"a,b.json\",\"A \"\"GPU\"\", fast\",1,1,4\n"
            "\"a,b.json\",\"A \"\"GPU\"\", fast\",2,0,2\n");
}

}  // namespace
}  // namespace slipway::cli
