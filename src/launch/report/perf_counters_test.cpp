// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/report/perf_counters.hpp"

#include <gtest/gtest.h>

namespace slipway::launch {
namespace {

using std::chrono::microseconds;

PerfCounter counter(CounterCategory category, std::string name, int time) {
  return {category, std::move(name), {}, microseconds(time)};
}

TEST(PerfCounters, CategoriesAreSortedAndSummed) {
  const PerfCounters counters = {
      counter(CounterCategory::ScenarioSetup, "Load Buffer: x", 10),
      counter(CounterCategory::LoadPipelineCache, "Load Pipeline Cache.", 5),
      counter(CounterCategory::PipelineSetup, "Create Pipeline: add", 20),
      counter(CounterCategory::RunScenario, "Wait for Fence. Iteration: 1", 100),
      counter(CounterCategory::ScenarioSetup, "Load Buffer: y", 1),
      counter(CounterCategory::None, "odd", 1000),
  };
  EXPECT_EQ(write_perf_counters(counters), R"({
    "Load Pipeline Cache": {
        "counters": [
            {
                "name": "Load Pipeline Cache.",
                "unit": "microseconds",
                "value": 5
            }
        ],
        "total time": 5,
        "unit": "microseconds"
    },
    "Pipeline Setup": {
        "counters": [
            {
                "name": "Create Pipeline: add",
                "unit": "microseconds",
                "value": 20
            }
        ],
        "total time": 20,
        "unit": "microseconds"
    },
    "Run Scenario": {
        "counters": [
            {
                "name": "Wait for Fence. Iteration: 1",
                "unit": "microseconds",
                "value": 100
            }
        ],
        "total time": 100,
        "unit": "microseconds"
    },
    "Scenario Setup": {
        "counters": [
            {
                "name": "Load Buffer: x",
                "unit": "microseconds",
                "value": 10
            },
            {
                "name": "Load Buffer: y",
                "unit": "microseconds",
                "value": 1
            }
        ],
        "total time": 11,
        "unit": "microseconds"
    },
    "Time to Inference": 36,
    "Total Scenario Time": 1136,
    "Uncategorized": [
        {
            "name": "odd",
            "unit": "microseconds",
            "value": 1000
        }
    ],
    "unit": "microseconds"
}
)");
}

TEST(PerfCounters, RunTimeIsThatOfCommands) {
  const PerfCounters counters = {{CounterCategory::PipelineSetup, "a", {}, std::chrono::seconds(1)},
                                 {CounterCategory::RunScenario, "b", {}, std::chrono::seconds(2)},
                                 {CounterCategory::RunScenario, "c", {}, std::chrono::seconds(3)}};
  EXPECT_EQ(run_time(counters), std::chrono::seconds(5));
}

TEST(PerfCounters, NothingMeasured) {
  EXPECT_EQ(write_perf_counters({}), R"({
    "Time to Inference": 0,
    "Total Scenario Time": 0,
    "unit": "microseconds"
}
)");
}

TEST(PerfCounters, EveryCategoryHasItsName) {
  EXPECT_EQ(name_of(CounterCategory::ScenarioSetup), "Scenario Setup");
  EXPECT_EQ(name_of(CounterCategory::LoadPipelineCache), "Load Pipeline Cache");
  EXPECT_EQ(name_of(CounterCategory::PipelineSetup), "Pipeline Setup");
  EXPECT_EQ(name_of(CounterCategory::SavePipelineCache), "Save Pipeline Cache");
  EXPECT_EQ(name_of(CounterCategory::RunScenario), "Run Scenario");
  EXPECT_EQ(name_of(CounterCategory::SaveResults), "Save Results");
  EXPECT_EQ(name_of(CounterCategory::None), "Uncategorized");
}

TEST(ScopedTimer, AddsItsCounterAtTheEnd) {
  PerfCounters counters;
  {
    const ScopedTimer timer(counters, CounterCategory::SaveResults, "Save Resources");
    EXPECT_TRUE(counters.empty());
  }
  ASSERT_EQ(counters.size(), 1u);
  EXPECT_EQ(counters[0].category, CounterCategory::SaveResults);
  EXPECT_EQ(counters[0].name, "Save Resources");
  EXPECT_NE(counters[0].start, HostClock::time_point{});
  EXPECT_GE(counters[0].time.count(), 0);
}

}  // namespace
}  // namespace slipway::launch
