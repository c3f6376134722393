// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scenarios that are loaded before their device is known.
#include "scenario/replan.hpp"
#include "base/format.hpp"
#include "executors/vulkan/executor.hpp"
#include "launch/run.hpp"

#include <gmock/gmock.h>

#include "launch/check/check_device.hpp"
#include "model/device_facts.hpp"
#include "testing/gpu_fixture.hpp"
#include "testing/graph_recipe.hpp"
#include "testing/scenario_case.hpp"

namespace slipway::scenario {
namespace {

using testing::must;

const std::string kGraph = testing::graph_recipe("R32_SFLOAT", "f32[16]", "ADD(%0, %0) f32[16]");

std::string scene(std::string_view resources) {
  return formatted(R"({{"resources": [{}
    {{"tensor": {{"uid": "x", "dims": [16], "format": "VK_FORMAT_R32_SFLOAT", "shader_access": "readonly"}}}},
    {{"tensor": {{"uid": "y", "dims": [16], "format": "VK_FORMAT_R32_SFLOAT", "shader_access": "writeonly"}}}}],
    "commands": [{}]}})",
                   resources, resources.empty() ? "" : R"({"dispatch_graph": {"graph_ref": "net", "bindings": [
                      {"set": 0, "id": 0, "resource_ref": "x"}, {"set": 0, "id": 1, "resource_ref": "y"}]}})");
}
const std::string kWithGraph = scene(R"({"graph": {"uid": "net", "src": "net.vgf"}},)");

class ReplanTest : public testing::GpuTest {
 protected:
  Replannable load(const std::string& text) {
    return Replannable({make_source("a.json", text), files_ / "", {}}, diagnostics_);
  }
  // Kernels for this device access buffers by address.
  static bool has_addresses(const Replannable& scenario) {
    return std::ranges::any_of(scenario.loaded().plan->steps, [](const launch::Step& step) {
      const auto* dispatch = std::get_if<launch::Dispatch>(&step.action);
      return dispatch && !dispatch->bindings.empty() && dispatch->bindings[0].address_at.has_value();
    });
  }
  std::string messages() const { return format_diagnostics(diagnostics_.all(), {.sources = false}); }

  testing::Case files_{{{"net.vgf", kGraph}}};
  Diagnostics diagnostics_;
};

TEST_F(ReplanTest, GraphsGetTheKernelsOfTheDevice) {
  const lower::DeviceFacts facts = model::device_facts(snapshot());
  if (!facts.addresses) GTEST_SKIP() << "the device has no buffers by address";
  Replannable scenario = load(kWithGraph);
  ASSERT_TRUE(scenario.loaded().plan) << messages();
  EXPECT_FALSE(has_addresses(scenario));
  std::vector<float> given(16), result(16);
  for (std::size_t i = 0; i < given.size(); ++i) given[i] = static_cast<float>(i);
  scenario.set_contents("x", std::as_bytes(std::span(given)));
  ASSERT_TRUE(scenario.plan_for({.lower = {.device = facts}}, diagnostics_)) << messages();
  EXPECT_TRUE(has_addresses(scenario));

  // The replaced contents are kept.
  launch::Plan plan = *scenario.loaded().plan;
  const auto y = std::ranges::find(plan.resources, "y", &launch::Resource::name);
  plan.captures.push_back({static_cast<launch::ResourceIndex>(y - plan.resources.begin()), [&](Bytes bytes) {
                             std::ranges::copy(bytes, std::as_writable_bytes(std::span(result)).begin());
                           }});
  const vk::Needs needs = launch::needs_of(plan);
  must(launch::run(plan, launch::VulkanExecutor(device(needs)), {}, Log()));
  for (std::size_t i = 0; i < given.size(); ++i) EXPECT_EQ(result[i], 2 * given[i]);
}

TEST_F(ReplanTest, WithoutGraphsNothingIsReadAgain) {
  Replannable scenario = load(scene(""));
  ASSERT_TRUE(scenario.loaded().plan) << messages();
  const launch::Plan* const before = &*scenario.loaded().plan;
  const auto steps = before->steps.size();
  EXPECT_TRUE(scenario.plan_for({.lower = {.device = {.addresses = true}}}, diagnostics_));
  EXPECT_EQ(scenario.loaded().plan->steps.size(), steps);
}

TEST_F(ReplanTest, AMissingFileIsReported) {
  Replannable scenario = load(kWithGraph);
  ASSERT_TRUE(scenario.loaded().plan) << messages();
  std::filesystem::remove(files_ / "net.vgf");
  EXPECT_FALSE(scenario.plan_for({.lower = {.device = {.addresses = true}}}, diagnostics_));
  EXPECT_THAT(messages(), ::testing::HasSubstr("[file-not-found]"));
  EXPECT_TRUE(scenario.loaded().plan);
}

}  // namespace
}  // namespace slipway::scenario
