// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/report/trace.hpp"

#include <gtest/gtest.h>

#include "json/document.hpp"

namespace slipway::launch {
namespace {

using std::chrono::microseconds;

HostClock::time_point at(int time) { return HostClock::time_point(microseconds(1'000'000 + time)); }

TEST(Trace, HostAndGpuTracks) {
  const PerfCounters counters = {
      {CounterCategory::ScenarioSetup, "Load Buffer: \"x\"", at(0), microseconds(5)},
      {CounterCategory::RunScenario, "Submit Commands. Iteration: 1", at(10), microseconds(2)}};
  const Profile profile{.period = 100.0f,
                        .times = {{CommandType::ComputeDispatch, "add", 5000, 5010, 1},
                                  {CommandType::ComputeDispatch, "mul", 5020, 5025, 2}},
                        .started = at(11)};
  const std::string text = write_trace("hello.json", counters, profile);
  EXPECT_EQ(
      text,
      R"({"displayTimeUnit":"ns", "traceEvents":[)"
      R"({"name":"process_name", "ph":"M", "pid":1, "tid":1, "args":{"name":"hello.json"}}, )"
      R"({"name":"thread_name", "ph":"M", "pid":1, "tid":1, "args":{"name":"host"}}, )"
      R"({"name":"Load Buffer: \"x\"", "cat":"Scenario Setup", "ph":"X", "pid":1, "tid":1, "ts":0.0, "dur":5.0, "args":{}}, )"
      R"({"name":"Submit Commands. Iteration: 1", "cat":"Run Scenario", "ph":"X", "pid":1, "tid":1, "ts":10.0, "dur":2.0, "args":{}}, )"
      R"({"name":"thread_name", "ph":"M", "pid":1, "tid":2, "args":{"name":"gpu"}}, )"
      R"({"name":"add", "cat":"gpu", "ph":"X", "pid":1, "tid":2, "ts":11.0, "dur":1.0, "args":{"iteration":1}}, )"
      R"({"name":"mul", "cat":"gpu", "ph":"X", "pid":1, "tid":2, "ts":13.0, "dur":0.5, "args":{"iteration":2}}]})");
  EXPECT_TRUE(json::parse(make_source("trace.json", text)));
}

TEST(Trace, EventsThatOverlapGetTracks) {
  const PerfCounters counters = {{CounterCategory::ScenarioSetup, "a", at(0), microseconds(10)},
                                 {CounterCategory::ScenarioSetup, "b", at(5), microseconds(10)},
                                 {CounterCategory::ScenarioSetup, "within a", at(2), microseconds(3)},
                                 {CounterCategory::ScenarioSetup, "c", at(6), microseconds(20)},
                                 {CounterCategory::ScenarioSetup, "later", at(15), microseconds(1)}};
  const auto document = json::parse(make_source("trace.json", write_trace("x", counters, {})));
  ASSERT_TRUE(document);
  std::string tracks;
  for (const json::Value event : (*document)->root()["traceEvents"]) {
    tracks += event["ph"].string() == "X" ? event["name"].string() : event["args"]["name"].string();
    tracks += " " + std::to_string(*event["tid"].integer()) + "; ";
  }
  EXPECT_EQ(tracks, "x 1; host 1; host 2 11; host 3 12; a 1; b 11; within a 1; c 12; later 1; ");
}

TEST(Trace, WithoutGpuTimes) {
  EXPECT_EQ(write_trace("x", {}, {}),
            R"({"displayTimeUnit":"ns", "traceEvents":[)"
            R"({"name":"process_name", "ph":"M", "pid":1, "tid":1, "args":{"name":"x"}}, )"
            R"({"name":"thread_name", "ph":"M", "pid":1, "tid":1, "args":{"name":"host"}}]})");
}

}  // namespace
}  // namespace slipway::launch
