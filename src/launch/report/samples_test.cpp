// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/report/samples.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "json/document.hpp"
#include "launch/report/iteration_times.hpp"
#include "launch/report/report_json.hpp"
#include "testing/report_of_times.hpp"

namespace slipway::launch {
namespace {

TEST(Samples, PercentilesCountFromOne) {
  std::vector<double> values(200);
  std::iota(values.begin(), values.end(), 1);
  EXPECT_EQ(percentile(values, 50), 100);
  EXPECT_EQ(percentile(values, 99), 198);
  EXPECT_EQ(percentile(values, 100), 200);
  EXPECT_EQ(percentile({7}, 1), 7);
  EXPECT_EQ(percentile({}, 50), 0);
}

TEST(Samples, MillionsAreSubsampledEvenly) {
  Samples samples;
  constexpr int kCount = 3'000'000;
  for (int i = 1; i <= kCount; ++i) samples.add(i);
  const SampleSummary summary = samples.summary();
  EXPECT_EQ(summary.count, static_cast<std::uint64_t>(kCount));
  EXPECT_EQ(summary.min, 1);
  EXPECT_EQ(summary.max, kCount);
  EXPECT_NEAR(summary.mean, (kCount + 1) / 2.0, 1e-3);
  EXPECT_NEAR(summary.stddev, kCount / std::sqrt(12.0), 1);
  EXPECT_NEAR(summary.p50, kCount * 0.5, 8);
  EXPECT_NEAR(summary.p99, kCount * 0.99, 8);
}

using testing::report_of_times;

TEST(IterationTimes, AreSummedWithoutPreparation) {
  EXPECT_EQ(iteration_times(report_of_times({4, 2, 3})), (std::vector<double>{4, 2, 3}));
  EXPECT_TRUE(iteration_times(report_of_times({})).empty());
}

TEST(IterationTimes, WithoutWarmUpAreInReports) {
  const FileReport file{.file = "a.json", .diagnostics = {}, .report = report_of_times({400, 2, 4, 3}, 1)};
  EXPECT_EQ(measured_times(*file.report), (std::vector<double>{2, 4, 3}));
  const auto document = json::parse(make_source("report", json::object_text(file_report_record(), file)));
  ASSERT_TRUE(document);
  const json::Value timings = (*document)->root()["timings"];
  EXPECT_EQ(timings["warmup"].integer(), 1);
  EXPECT_EQ(timings["samples"]["count"].integer(), 3);
  EXPECT_EQ(timings["samples"]["p50"].number(), 3000);
  EXPECT_EQ(timings["samples"]["p95"].number(), 4000);
  EXPECT_EQ(timings["samples"]["max"].number(), 4000);
}

TEST(IterationTimes, OfOneRunAreNoSamples) {
  const Report report = report_of_times({400, 2}, 1);
  EXPECT_TRUE(measured_times(report).empty());
  EXPECT_FALSE(measured_summary(report));
}

}  // namespace
}  // namespace slipway::launch
