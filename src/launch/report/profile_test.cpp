// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/report/profile.hpp"

#include <gtest/gtest.h>

namespace slipway::launch {
namespace {

Profile two_iterations() {
  return {.period = 2.0f,
          .times = {{CommandType::ComputeDispatch, "add", 1000, 501000, 1},
                    {CommandType::GraphicsDispatch, "blend", 501000, 2001000, 1},
                    {CommandType::ComputeDispatch, "add", 9000000, 9250000, 2}}};
}

TEST(Profile, TotalLeavesOutWhatIsBetweenIterations) {
  EXPECT_DOUBLE_EQ(total_milliseconds(two_iterations()), 4.0 + 0.5);
}

TEST(Profile, Text) {
  Profile profile = two_iterations();
  profile.times.erase(profile.times.begin() + 1);
  profile.memory = {{"net/segment_0", 4096, 0}};
  EXPECT_EQ(write_profile(profile), R"({
    "Memory Usage": [
        {
            "Command name": "net/segment_0",
            "Command type": "DataGraphDispatch",
            "Iteration": 0,
            "Session memory [bytes]": 4096
        }
    ],
    "Timestamps": [
        {
            "Command name": "add",
            "Command type": "ComputeDispatch",
            "Cycle count after command": 501000,
            "Cycle count before command": 1000,
            "Cycle count for command": 500000,
            "Iteration": 1,
            "Time for command [ms]": 1.0,
            "Timestamp Period": 2.0
        },
        {
            "Command name": "add",
            "Command type": "ComputeDispatch",
            "Cycle count after command": 9250000,
            "Cycle count before command": 9000000,
            "Cycle count for command": 250000,
            "Iteration": 2,
            "Time for command [ms]": 0.5,
            "Timestamp Period": 2.0
        }
    ],
    "Total execution time [ms]": 1.5
}
)");
}

TEST(Profile, CallsOfTheHost) {
  EXPECT_EQ(write_profile({.calls = {{"net", 1.5, 2, 0}}}), R"({
    "Host Calls": [
        {
            "Command name": "net",
            "Iteration": 2,
            "Time for command [ms]": 1.5
        }
    ]
}
)");
}

TEST(Profile, TypesOfCommands) {
  const Profile profile{
      .times = {{CommandType::GraphicsDispatch, "blend", 0, 1, 1}, {CommandType::DataGraphDispatch, "net", 1, 2, 1}}};
  const std::string text = write_profile(profile);
  EXPECT_NE(text.find(R"("Command type": "GraphicsDispatch")"), text.npos);
  EXPECT_NE(text.find(R"("Command type": "DataGraphDispatch")"), text.npos);
}

TEST(Profile, DryRunHasNoTimestamps) {
  EXPECT_EQ(write_profile({}), "{}\n");
  EXPECT_EQ(write_profile({.memory = {{"net", 16, 0}}}), R"({
    "Memory Usage": [
        {
            "Command name": "net",
            "Command type": "DataGraphDispatch",
            "Iteration": 0,
            "Session memory [bytes]": 16
        }
    ]
}
)");
}

}  // namespace
}  // namespace slipway::launch
