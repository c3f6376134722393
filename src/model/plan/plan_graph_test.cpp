// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/plan/plan_graph.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/format.hpp"
#include "lower/lower.hpp"
#include "lower/program_layout.hpp"
#include "testing/device_facts.hpp"
#include "tosa/text.hpp"

namespace slipway::model {
namespace {

// Without a device: what a plan writes is what others write, and its barriers are between the stages.
TEST(GraphInPlan, ConstantsAndBarriersAreThoseOfTheLayout) {
  std::string weights;
  for (int i = 0; i < 60; ++i) weights += formatted("{}{}.0", i ? ", " : "", i);
  Diagnostics diagnostics;
  const auto parsed = tosa::parse(make_source("t.graph", formatted("graph t {{\n"
                                                                   "%0 = input f32[1, 9, 6]\n"
                                                                   "%1 = const f32[1, 6, 10] [{}]\n"
                                                                   "%2 = const f32[1, 10, 7] splat 2.0\n"
                                                                   "%3 = MATMUL(%0, %1) f32[1, 9, 10] A_zp=0 B_zp=0\n"
                                                                   "%4 = MATMUL(%3, %2) f32[1, 9, 7] A_zp=0 B_zp=0\n"
                                                                   "output %4\n}}\n",
                                                                   weights)),
                                  diagnostics);
  ASSERT_TRUE(parsed);
  const auto graph = std::make_shared<const tosa::Graph>(*parsed);
  for (const lower::DeviceFacts& device : {slipway::testing::kGpu, slipway::testing::cpu_facts()}) {
    const auto lowered = lower::lower_graph(*graph, {.addresses_only = true, .device = device});
    ASSERT_TRUE(lowered);
    launch::Plan plan;
    const GraphInPlan planned(plan, graph, *lowered, "t", {}, {});
    const lower::KernelProgram& program = planned.program();
    const auto layout = lower::layout_of_constants(*graph, program, lower::ConstantMemory::Device, 1);
    ASSERT_FALSE(layout.ranges.empty());
    std::size_t next = 0;
    for (const launch::Resource& resource : plan.resources) {
      if (resource.initial.empty()) continue;
      ASSERT_LT(next, layout.ranges.size());
      const lower::ProgramBuffer& buffer = program.buffers[layout.ranges[next++].buffer];
      std::vector<std::byte> in_plan(buffer.size, std::byte{0x5a}), mapped(buffer.size, std::byte{0xa5});
      ASSERT_EQ(resource.initial[0].size, buffer.size);
      ASSERT_TRUE(resource.initial[0].write(in_plan));
      lower::write_constant(*graph, buffer, lower::ConstantMemory::Device, mapped);
      EXPECT_EQ(in_plan, mapped) << resource.name;
    }
    EXPECT_EQ(next, layout.ranges.size());

    const std::array<launch::ResourceIndex, 2> tensors = {0, 0};
    planned.dispatch(plan, {std::span(tensors).first(1), std::span(tensors).last(1)}, "t", {});
    std::vector<std::size_t> ends, barriers;
    for (const lower::ProgramStage& stage : lower::stages_of(program)) ends.push_back(stage.end);
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
      if (plan.steps[i].barrier_after) barriers.push_back(i + 1);
    }
    EXPECT_EQ(barriers, ends);
    EXPECT_GE(ends.size(), 2u);
  }
}

}  // namespace
}  // namespace slipway::model
