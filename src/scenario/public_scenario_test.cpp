// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The public class Scenario: one device for several threads (include/slipway/scenario.hpp).
#include "slipway/scenario.hpp"

#include <gmock/gmock.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <stdexcept>
#include <thread>
#include <utility>

#include "base/format.hpp"
#include "executors/cpu/info.hpp"
#include "platform/process.hpp"
#include "testing/graph_recipe.hpp"
#include "testing/layer.hpp"
#include "testing/scenario_case.hpp"
#include "testing/scratch_directory.hpp"
#include "testing/source_directory.hpp"

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

// The output is twice the input.
const std::string kDoubled = testing::graph_recipe("R32_SFLOAT", "f32[16]", "ADD(%0, %0) f32[16]");

constexpr std::string_view kDoubledScene = R"({"resources": [
  {"graph": {"uid": "net", "src": "net.vgf"}},
  {"tensor": {"uid": "x", "dims": [16], "format": "VK_FORMAT_R32_SFLOAT", "shader_access": "readonly"}},
  {"tensor": {"uid": "y", "dims": [16], "format": "VK_FORMAT_R32_SFLOAT", "shader_access": "writeonly"}}],
  "commands": [{"dispatch_graph": {"graph_ref": "net", "bindings": [
    {"set": 0, "id": 0, "resource_ref": "x"}, {"set": 0, "id": 1, "resource_ref": "y"}]}}]})";

class PublicGraphs : public ::testing::Test {
 protected:
  PublicGraphs() : scenario_(Scenario::parse(kDoubledScene, files_ / "", {.cache = false}).value()) {
    scenario_.set_contents("x", ByteView(std::vector<float>(16, 3))).value();
  }
  std::vector<float> run(Device& device) {
    RunOptions options;
    options.capture = {"y"};
    const Outcome<RunReport> report = scenario_.run(device, options);
    if (!report) throw std::runtime_error(report.error().front().text);
    std::vector<float> values(16);
    std::memcpy(values.data(), report->captured.at("y").data(), sizeof(float) * values.size());
    return values;
  }

  testing::Case files_{{{"net.vgf", kDoubled}}};
  Scenario scenario_;
};

TEST_F(PublicGraphs, RunOnTheCpuAndOnADevice) {
  if (!launch::has_cpu_engine()) GTEST_SKIP() << "this build has no CPU engine";
  Device cpu = Device::open("cpu").value();
  EXPECT_EQ(cpu.info().type, "Cpu");
  EXPECT_EQ(cpu.info().uuid, "");
  EXPECT_THAT(cpu.info().name, ::testing::HasSubstr("CPU engine"));
  Device device = Device::open().value();
  EXPECT_NE(device.info().uuid, "");
  // In turn: the scenario is planned again for the other one.
  for (Device* one : {&cpu, &device, &cpu}) EXPECT_THAT(run(*one), ::testing::Each(6));
}

TEST_F(PublicGraphs, ShadersNeedADevice) {
  Scenario scenario = Scenario::load(testing::source_directory() / "examples/hello/scenario.json").value();
  Device cpu = Device::open("cpu").value();
  RunOptions options;
  options.write_outputs = false;
  const Outcome<RunReport> report = scenario.run(cpu, options);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().front().kind, "device-lacks");
  EXPECT_THAT(report.error().front().message, ::testing::HasSubstr("the CPU engine runs graphs only"));
}

// The layer writes the graphs that it runs.
TEST_F(PublicGraphs, UseThoseOfTheDriver) {
  if (!testing::UseLayer::is_here()) GTEST_SKIP() << "no driver with tensors and graphs here";
  const testing::UseLayer layer(testing::Validation::Off);
  const testing::ScratchDirectory captured;
  platform::set_environment("SLIPWAY_LAYER_CAPTURE", captured.path().string());
  Device device = Device::open().value();
  EXPECT_THAT(run(device), ::testing::Each(6));
  platform::remove_environment("SLIPWAY_LAYER_CAPTURE");
  EXPECT_FALSE(std::filesystem::is_empty(captured.path().string()));
}

}  // namespace
}  // namespace slipway
