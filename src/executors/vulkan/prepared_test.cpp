// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "executors/vulkan/prepared.hpp"

#include <gtest/gtest.h>

#include "executors/vulkan/resources/read_back.hpp"
#include "executors/vulkan/resources/texel_copies.hpp"
#include "executors/vulkan/resources/vulkan_buffer.hpp"
#include "executors/vulkan/test_shaders/increment_comp.hpp"
#include "launch/check/hazards.hpp"
#include "testing/launch_fixture.hpp"

namespace slipway::launch {
namespace {

class PreparedTest : public LaunchTest {
 protected:
  template <class T>
  std::vector<T> contents_of_resource(PreparedPlan& prepared, ResourceIndex index) {
    const Readback readback = must(prepared.read_back({index}));
    const Bytes bytes = readback.bytes(index);
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
};

TEST_F(PreparedTest, IsSubmittedAsOftenAsWanted) {
  Plan plan;
  const ResourceIndex x = add_buffer(plan, "x", 8);
  add_dispatch(plan, add_shader(plan, "increment", increment_comp), {x}, {2, 1, 1});
  const auto prepared = must(prepare(plan, device_for(plan), {.execution = {.timestamps = true}}));
  const auto of_category = [&](CounterCategory category) {
    return std::ranges::count(prepared->counters(), category, &PerfCounter::category);
  };
  EXPECT_EQ(of_category(CounterCategory::PipelineSetup), 1);
  const std::size_t counters = prepared->counters().size();
  EXPECT_TRUE(must(prepared->wait_for(std::chrono::nanoseconds(0))));  // nothing is in flight
  for (int i = 0; i < 3; ++i) {
    must(prepared->submit());
    if (i == 1)
      while (!must(prepared->wait_for(std::chrono::microseconds(1), true))) {
      }
    else
      must(prepared->wait());
    const std::vector<StepSpan> spans = must(prepared->spans());
    ASSERT_EQ(spans.size(), 1u);
    EXPECT_GE(spans[0].end, spans[0].begin);
    EXPECT_FALSE(spans[0].is_call);
  }
  EXPECT_EQ(contents_of_resource<std::uint32_t>(*prepared, x), (std::vector<std::uint32_t>{3, 3}));
  EXPECT_EQ(prepared->counters().size(), counters);  // iterations are not counted unless that is asked for
}

TEST_F(PreparedTest, CountersOfIterationsFollowThoseOfThePreparation) {
  Plan plan;
  add_dispatch(plan, add_shader(plan, "increment", increment_comp), {add_buffer(plan, "x", 4)});
  const auto prepared = must(prepare(plan, device_for(plan), {.counters = true}, {}, {{.name = "before"}}));
  EXPECT_EQ(prepared->counters().front().name, "before");
  const std::size_t before = prepared->counters().size();
  EXPECT_GT(before, 1u);
  must(prepared->submit().and_then([&] { return prepared->wait(); }));
  EXPECT_TRUE(std::ranges::contains(prepared->counters(), "Wait for Fence. Iteration: 1", &PerfCounter::name));
  EXPECT_FALSE(std::ranges::contains(prepared->counters(), "Wait for Fence. Iteration: 2", &PerfCounter::name));
  must(prepared->submit().and_then([&] { return prepared->wait(); }));
  EXPECT_TRUE(std::ranges::contains(prepared->counters(), "Wait for Fence. Iteration: 2", &PerfCounter::name));
  for (std::size_t i = before; i < prepared->counters().size(); ++i)
    EXPECT_EQ(prepared->counters()[i].category, CounterCategory::RunScenario);
}

// Contents of the caller's buffer stay; a copy and a binding take parts of it.
TEST_F(PreparedTest, ExternalBuffersAndRanges) {
  const VulkanBuffer buffer(make_buffer(std::vector<std::uint32_t>(128, 7), "external"));
  Plan plan;
  const ResourceIndex own = add_buffer(plan, "own", 8);
  const ResourceIndex x = add_buffer(plan, "x", buffer.bytes().size());
  std::get<Buffer>(plan.resources[x].kind).external = 0;
  const ShaderIndex increment = add_shader(plan, "increment", increment_comp);
  add_dispatch(plan, increment, {x});
  auto& binding = std::get<Dispatch>(plan.steps.back().action).bindings.front();
  binding.offset = 256;
  binding.size = 4;
  plan.steps.push_back({.name = "copy", .action = Copy{.from = x, .to = own, .from_offset = 252, .size = 8}});
  add_dispatch(plan, increment, {own});
  EXPECT_TRUE(check_hazards(plan).empty());
  const ExternalBuffer* const external[] = {&buffer};
  const auto prepared = must(prepare(plan, device_for(plan), {.execution = {.split = 2}, .external = external}));
  for (int i = 0; i < 2; ++i) must(prepared->submit().and_then([&] { return prepared->wait(); }));
  EXPECT_EQ(contents_of_resource<std::uint32_t>(*prepared, own), (std::vector<std::uint32_t>{8, 9}));
  std::vector<std::uint32_t> expected(128, 7);
  expected[64] = 9;
  EXPECT_EQ(contents<std::uint32_t>(buffer.buffer()), expected);
}

TEST_F(PreparedTest, PipelinesAreShared) {
  Plan plan;
  const ResourceIndex x = add_buffer(plan, "x", 4);
  add_dispatch(plan, add_shader(plan, "increment", increment_comp), {x});
  const gpu::Device& on = device_for(plan);
  SharedPipelines pipelines;
  const auto first = must(prepare(plan, on, {.pipelines = &pipelines}));
  ASSERT_EQ(pipelines.size(), 1u);
  const auto made = pipelines.begin()->second;
  const auto second = must(prepare(plan, on, {.pipelines = &pipelines}));
  EXPECT_EQ(pipelines.begin()->second, made);
  EXPECT_GE(made.use_count(), 4);
}

}  // namespace
}  // namespace slipway::launch
