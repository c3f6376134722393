// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/run/run_times.hpp"

#include <gtest/gtest.h>

#include "testing/report_of_times.hpp"

namespace slipway::cli {
namespace {

using slipway::testing::report_of_times;

TEST(RunTimes, WarmUpIsLeftOut) {
  EXPECT_EQ(times_text(report_of_times({4, 2, 3})),
            "times of 3 runs: median 3 ms, minimum 2, mean 3, p90 4, p99 4, maximum 4\n");
  EXPECT_EQ(times_text(report_of_times({400, 2, 3}, 1)),
            "times of 2 runs after 1 to warm up: median 2 ms, minimum 2, mean 2.5, p90 3, p99 3, maximum 3\n");
  EXPECT_EQ(times_text(report_of_times({400, 2}, 1)), "");
}

TEST(RunTimes, CsvHasALineForEachIteration) {
  EXPECT_EQ(times_csv("a,b.json", report_of_times({4, 2}, 1, "A \"GPU\", fast")),
            "file,device,iteration,warmup,milliseconds\n"
            "\"a,b.json\",\"A \"\"GPU\"\", fast\",1,1,4\n"
            "\"a,b.json\",\"A \"\"GPU\"\", fast\",2,0,2\n");
}

}  // namespace
}  // namespace slipway::cli
