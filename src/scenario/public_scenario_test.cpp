// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The public class Scenario: one device for several threads (include/slipway/scenario.hpp).
#include "slipway/scenario.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <thread>
#include <utility>

#include "base/format.hpp"

namespace slipway {
namespace {

// Multiplies four numbers by `factor`.
std::string multiplying(unsigned factor) {
  return formatted(R"({{"resources": [
    {{"shader": {{"uid": "s", "type": "GLSL", "source": "#version 460\nlayout(set = 0, binding = 0) buffer B {{ uint b[]; }};\nlayout(local_size_x = 4) in;\nvoid main() {{ b[gl_GlobalInvocationID.x] *= {}; }}"}}}},
    {{"buffer": {{"uid": "b", "size": 16, "shader_access": "readwrite"}}}}
  ], "commands": [{{"dispatch_compute": {{"shader_ref": "s", "rangeND": [1], "bindings": [{{"set": 0, "id": 0, "resource_ref": "b"}}]}}}}]}})",
                   factor);
}

TEST(PublicScenario, ThreadsTakeTurnsOnOneDevice) {
  Outcome<Device> device = Device::open();
  ASSERT_TRUE(device) << device.error().front().text;
  std::vector<std::jthread> threads;
  for (unsigned t = 1; t <= 4; ++t) {
    threads.emplace_back([&device, t] {
      Outcome<Scenario> scenario = Scenario::parse(multiplying(t + 1), ".", {.cache = false});
      ASSERT_TRUE(scenario) << scenario.error().front().text;
      for (unsigned i = 1; i <= 10; ++i) {
        const std::array<std::uint32_t, 4> given = {i, 10 * i, t, 1};
        ASSERT_TRUE(scenario->set_contents("b", ByteView(given)));
        RunOptions options;
        options.capture = {"b"};
        const Outcome<RunReport> report = scenario->run(*device, options);
        ASSERT_TRUE(report) << report.error().front().text;
        std::array<std::uint32_t, 4> result{};
        const std::vector<std::byte>& bytes = report->captured.at("b");
        ASSERT_EQ(bytes.size(), sizeof result);
        std::memcpy(result.data(), bytes.data(), sizeof result);
        for (std::size_t k = 0; k < result.size(); ++k) EXPECT_EQ(result[k], given[k] * (t + 1));
        EXPECT_FALSE(device->info().name.empty());
      }
    });
  }
}

TEST(PublicScenario, ObjectsThatWereMovedFromThrow) {
  Outcome<Scenario> scenario = Scenario::parse(multiplying(2), ".", {.cache = false});
  Outcome<Device> device = Device::open();
  ASSERT_TRUE(scenario && device);
  Scenario taken = std::move(*scenario);
  EXPECT_THROW(scenario->remarks(), std::logic_error);
  EXPECT_THROW((void)scenario->set_contents("b", {}), std::logic_error);
  EXPECT_THROW((void)scenario->run(*device), std::logic_error);
  Device open = std::move(*device);
  EXPECT_THROW(device->info(), std::logic_error);
  EXPECT_THROW((void)taken.run(*device), std::logic_error);
  EXPECT_TRUE(taken.run(open));
  *scenario = std::move(taken);
  EXPECT_TRUE(scenario->run(open));
}

TEST(PublicScenario, AnOutputThatIsNotWrittenIsAnError) {
  Outcome<Device> device = Device::open();
  Outcome<Scenario> scenario = Scenario::parse(R"({"resources": [
    {"shader": {"uid": "s", "type": "GLSL", "source": "#version 460\nlayout(set = 0, binding = 0) writeonly buffer B { uint b[]; };\nvoid main() { b[gl_GlobalInvocationID.x] = 7; }"}},
    {"buffer": {"uid": "b", "size": 16, "shader_access": "writeonly"}}
  ], "commands": [{"dispatch_compute": {"shader_ref": "s", "rangeND": [3], "bindings": [{"set": 0, "id": 0, "resource_ref": "b"}]}}]})",
                                               ".", {.cache = false});
  ASSERT_TRUE(scenario && device);
  EXPECT_TRUE(scenario->run(*device)) << "nothing is an output";
  RunOptions options;
  options.capture = {"b"};
  const Outcome<RunReport> report = scenario->run(*device, options);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error()[0].kind, "output-not-written");
  EXPECT_EQ(report.error()[0].message,
            "output `b` was not written: 1 of 4 elements, from element 3 (byte 12) on, hold what was in the memory "
            "before the run");
}

// They are refused before the device has anything to do.
TEST(PublicScenario, RefusesOptionsThatCannotBeMeant) {
  Outcome<Device> device = Device::open();
  Outcome<Scenario> scenario = Scenario::parse(multiplying(2), ".", {.cache = false});
  ASSERT_TRUE(scenario && device);
  RunOptions options;
  for (const double seconds : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    options.timeout = seconds;
    const Outcome<RunReport> report = scenario->run(*device, options);
    ASSERT_FALSE(report) << seconds;
    EXPECT_EQ(report.error().front().kind, "usage");
    EXPECT_EQ(report.error().front().exit_status, 2);
  }
  options.timeout = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(scenario->run(*device, options));
  options.repeat = 0;
  const Outcome<RunReport> report = scenario->run(*device, options);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().front().message, "`repeat` is 0; it must be at least 1");
}

// Errors of one thread do not disturb the others.
TEST(PublicScenario, ARunThatFailsLeavesTheDeviceToTheOthers) {
  Outcome<Device> device = Device::open();
  ASSERT_TRUE(device);
  std::vector<std::jthread> threads;
  for (unsigned t = 0; t < 2; ++t) {
    threads.emplace_back([&device, t] {
      for (int i = 0; i < 5; ++i) {
        Outcome<Scenario> scenario = Scenario::parse(multiplying(3), ".", {.cache = false});
        ASSERT_TRUE(scenario);
        RunOptions options;
        options.capture = {t == 0 ? "missing" : "b"};
        EXPECT_EQ(scenario->run(*device, options).has_value(), t != 0);
      }
    });
  }
}

}  // namespace
}  // namespace slipway
