// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One device for scenarios and models in several threads (include/slipway/device.hpp).
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <thread>
#include <vector>

#include "slipway/model.hpp"
#include "slipway/scenario.hpp"

namespace slipway {
namespace {

constexpr std::string_view kModel = R"(graph net {
  %0 = input i32[4] "x"
  %1 = ADD(%0, %0) i32[4]
  output %1
}
)";

constexpr std::string_view kScenario = R"({"resources": [
  {"shader": {"uid": "s", "type": "GLSL", "source": ["#version 460",
    "layout(set = 0, binding = 0) buffer B { uint b[]; };", "layout(local_size_x = 4) in;",
    "void main() { b[gl_GlobalInvocationID.x] *= 3; }"]}},
  {"buffer": {"uid": "b", "size": 16, "shader_access": "readwrite"}}
], "commands": [{"dispatch_compute": {"shader_ref": "s", "rangeND": [1],
  "bindings": [{"set": 0, "id": 0, "resource_ref": "b"}]}}]})";

using Numbers = std::array<std::int32_t, 4>;

Numbers numbers(ByteView bytes) {
  Numbers values{};
  EXPECT_EQ(bytes.size(), sizeof values);
  std::memcpy(values.data(), bytes.data(), std::min(bytes.size(), sizeof values));
  return values;
}

void run_scenarios(Device& device, std::int32_t thread) {
  Scenario scenario = Scenario::parse(kScenario, ".", {.cache = false}).value();
  RunOptions options;
  options.capture = {"b"};
  for (std::int32_t i = 1; i <= 8; ++i) {
    const Numbers given = {i, thread, i + thread, 1};
    ASSERT_TRUE(scenario.set_contents("b", ByteView(given)));
    const Outcome<RunReport> report = scenario.run(device, options);
    ASSERT_TRUE(report) << report.error().front().text;
    EXPECT_EQ(numbers(ByteView(report->captured.at("b"))), Numbers({3 * i, 3 * thread, 3 * (i + thread), 3}));
  }
}

void run_models(Device& device, std::int32_t thread) {
  PreparedModel prepared = Model::parse(ByteView(kModel), "net").value().prepare(device).value();
  for (std::int32_t i = 1; i <= 8; ++i) {
    const Numbers given = {i, thread, i + thread, 1};
    prepared.set_input("x", ByteView(given)).value();
    ASSERT_TRUE(prepared.run());
    EXPECT_EQ(numbers(prepared.output("output_0").value()), Numbers({2 * i, 2 * thread, 2 * (i + thread), 2}));
  }
}

TEST(DeviceThreads, ScenariosAndModelsTakeTurns) {
  Device device = Device::open().value();
  std::vector<std::jthread> threads;
  for (std::int32_t t = 0; t < 4; ++t)
    threads.emplace_back([&device, t] { t % 2 == 0 ? run_scenarios(device, t) : run_models(device, t); });
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(device.info().name.empty());
}

}  // namespace
}  // namespace slipway
