// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tosa/cost.hpp"

#include <gtest/gtest.h>

#include "base/format.hpp"
#include "tosa/text.hpp"

namespace slipway::tosa {
namespace {

Cost cost_of_text(const std::string& text) {
  Diagnostics diagnostics;
  const auto graph = parse(make_source("graph", "graph main {\n" + text + "}\n"), diagnostics);
  if (!graph) throw std::runtime_error(diagnostics.all()[0].message);
  return cost_of(*graph);
}

TEST(Cost, MultiplyAdds) {
  // 2 images of 4 x 4, 8 channels out of 3, with weights of 3 x 3.
  EXPECT_EQ(cost_of_text("%0 = input i8[2, 4, 4, 3]\n%1 = const i8[8, 3, 3, 3] graph_constant 0\n%2 = const i32[8] "
                         "splat 0\n%3 = CONV2D(%0, %1, %2) i32[2, 4, 4, 8] pad=[1, 1, 1, 1] stride=[1, 1] "
                         "dilation=[1, 1] acc_type=INT32\n")
                .multiply_adds,
            2u * 4 * 4 * 8 * 3 * 3 * 3);
  EXPECT_EQ(cost_of_text("%0 = input i8[1, 4, 4, 3]\n%1 = const i8[3, 3, 3, 2] graph_constant 0\n%2 = const i32[6] "
                         "splat 0\n%3 = DEPTHWISE_CONV2D(%0, %1, %2) i32[1, 2, 2, 6] pad=[0, 0, 0, 0] stride=[1, 1] "
                         "dilation=[1, 1] acc_type=INT32\n")
                .multiply_adds,
            2u * 2 * 6 * 3 * 3);
  // Every element of the input contributes to 2 x 2 positions of 5 channels.
  EXPECT_EQ(cost_of_text("%0 = input f32[1, 4, 4, 3]\n%1 = const f32[5, 2, 2, 3] graph_constant 0\n%2 = const f32[5] "
                         "splat 0\n%3 = TRANSPOSE_CONV2D(%0, %1, %2) f32[1, 8, 8, 5] out_pad=[0, 0, 0, 0] "
                         "stride=[2, 2] acc_type=FP32\n")
                .multiply_adds,
            4u * 4 * 3 * 2 * 2 * 5);
  const Cost matmul =
      cost_of_text("%0 = input f32[2, 3, 5]\n%1 = input f32[2, 5, 7]\n%2 = MATMUL(%0, %1) f32[2, 3, 7]\n");
  EXPECT_EQ(matmul.multiply_adds, 2u * 3 * 5 * 7);
  EXPECT_EQ(matmul.operations, 2 * matmul.multiply_adds);
}

TEST(Cost, OtherArithmetic) {
  EXPECT_EQ(cost_of_text("%0 = input f32[3, 5]\n%1 = ABS(%0) f32[3, 5]\n%2 = TANH(%1) f32[3, 5]\n").operations, 30u);
  EXPECT_EQ(cost_of_text("%0 = input f32[1, 4, 4, 3]\n%1 = MAX_POOL2D(%0) f32[1, 2, 2, 3] kernel=[2, 2] stride=[2, 2] "
                         "pad=[0, 0, 0, 0] nan_mode=PROPAGATE\n")
                .operations,
            48u);
  EXPECT_EQ(cost_of_text("%0 = input f32[3, 5]\n%1 = REDUCE_SUM(%0) f32[3, 1] axis=1\n").operations, 15u);
  EXPECT_EQ(cost_of_text("%0 = input f32[1, 8, 8]\n%1, %2 = RFFT2D(%0) f32[1, 8, 5], f32[1, 8, 5] "
                         "local_bound=false\n")
                .operations,
            64u * 5 * 6 / 2);
}

// `slipway inspect` shows a model with errors, and its cost.
TEST(Cost, NodesNeedNotBeValid) {
  const std::string input = "%0 = input i32[3]\n";
  for (const OperatorInfo& info : operators()) {
    if (info.op == Op::CUSTOM) continue;
    SCOPED_TRACE(info.name);
    for (const std::string_view operands : {"", "%0", "%0, %0", "%0, %0, %0"})
      cost_of_text(input + formatted("%1 = {}({}) i32[3]\n", info.name, operands));
  }
  EXPECT_EQ(cost_of_text(input + "%1 = CONV2D(%0) i32[3]\n").multiply_adds, 0u);
  EXPECT_EQ(cost_of_text(input + "%1 = TRANSPOSE_CONV2D(%0, %0) i32[3]\n").multiply_adds, 9u);
}

TEST(Cost, MovingCostsNothing) {
  const Cost cost = cost_of_text("%0 = input f32[3, 5]\n%1 = RESHAPE(%0) f32[15] shape=[15]\n");
  EXPECT_EQ(cost.operations, 0u);
  EXPECT_EQ(cost.multiply_adds, 0u);
}

TEST(Cost, LargeIsNotSmall) {
  Graph graph;
  const TensorType large{DataType::F32, {1LL << 40, 1 << 10, 1 << 10}};
  const ValueId x = graph.add_input(large);
  graph.outputs = {graph.add(Op::ABS, {graph.add(Op::MATMUL, {x, x}, {}, large)}, {}, large)};
  EXPECT_EQ(cost_of(graph).operations, ~0ull);
}

TEST(Parameters, ASplatIsOneElementInMemory) {
  Graph graph;
  graph.add_constant({DataType::F32, {10}}, std::vector<std::byte>(4), true);
  graph.add_constant({DataType::I8, {3}}, std::vector<std::byte>(3));
  const Parameters parameters = parameters_of(graph);
  EXPECT_EQ(parameters.count, 2u);
  EXPECT_EQ(parameters.elements, 13u);
  EXPECT_EQ(parameters.bytes, 7u);
}

}  // namespace
}  // namespace slipway::tosa
