// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/scenario/runner.hpp"

#include <gtest/gtest.h>

#include "executors/vulkan/device_opening.hpp"
#include "launch/executor_request.hpp"

namespace slipway::cli {
namespace {

TEST(ScenarioRunner, AccessesAreCheckedWhereFilesAreConfined) {
  ScenarioRunOptions options;
  EXPECT_FALSE(executor_request(options).robustness);
  EXPECT_TRUE(executor_request(options).robustness_on_cpus);
  options.confine = true;
  EXPECT_TRUE(executor_request(options).robustness);
  options.confine = false;
  options.robustness = true;
  EXPECT_TRUE(executor_request(options).robustness);
}

}  // namespace
}  // namespace slipway::cli
