// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/layout/sink_transposes.hpp"

#include <gmock/gmock.h>

#include "tosa/testing.hpp"

namespace slipway::importer {
namespace {

using ::testing::HasSubstr;

// Channels first around an operator on each element: both transposes go.
TEST(SinkTransposes, CancelAroundElementwiseOperators) {
  tosa::Graph graph = tosa::graph_of(R"(graph main {
    %0 = input f32[1, 4, 4, 2] "x"
    %1 = const f32[1, 2, 1, 1] [1, 2]
    %2 = TRANSPOSE(%0) f32[1, 2, 4, 4] perms=[0, 3, 1, 2]
    %3 = ADD(%2, %1) f32[1, 2, 4, 4]
    %4 = REDUCE_SUM(%3) f32[1, 1, 4, 4] axis=1
    %5 = TANH(%3) f32[1, 2, 4, 4]
    %6 = TRANSPOSE(%5) f32[1, 4, 4, 2] perms=[0, 2, 3, 1]
    %7 = RESHAPE(%4) f32[4, 4] shape=[4, 4]
    output %6
    output %7
  })");
  sink_transposes(graph);
  EXPECT_EQ(count_transposes(graph).count, 0U) << tosa::print(graph);
  EXPECT_THAT(tosa::print(graph), HasSubstr("REDUCE_SUM(%3) f32[1, 4, 4, 1] axis=3"));
}

// Another use of the transposed tensor keeps it, once.
TEST(SinkTransposes, NeverMoveMore) {
  tosa::Graph graph = tosa::graph_of(R"(graph main {
    %0 = input f32[2, 3] "x"
    %1 = TRANSPOSE(%0) f32[3, 2] perms=[1, 0]
    %2 = TANH(%1) f32[3, 2]
    %3 = EXP(%1) f32[3, 2]
    output %2
    output %3
  })");
  sink_transposes(graph);
  EXPECT_EQ(count_transposes(graph).count, 1U) << tosa::print(graph);
}

}  // namespace
}  // namespace slipway::importer
