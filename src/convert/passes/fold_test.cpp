// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convert/passes/fold.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/format.hpp"
#include "base/print_diagnostic.hpp"
#include "convert/passes/simplify.hpp"
#include "reference/run.hpp"
#include "tosa/check/verify.hpp"
#include "tosa/text.hpp"

namespace slipway::convert {
namespace {

tosa::Graph graph_of(const std::string& lines) {
  Diagnostics problems;
  auto graph = tosa::parse(make_source("<graph>", "graph m {\n" + lines + "}\n"), problems);
  if (graph) tosa::verify(*graph, problems);
  EXPECT_EQ(format_diagnostics(problems.all(), {.sources = false}), "");
  return graph ? std::move(*graph) : tosa::Graph();
}

std::vector<reference::Tensor> results(const tosa::Graph& graph) {
  std::vector<reference::Tensor> inputs;
  for (const tosa::ValueId input : graph.inputs) {
    reference::Tensor tensor = reference::Tensor::zeros(graph[input].type);
    for (std::size_t i = 0; i < tensor.integers.size(); ++i) tensor.integers[i] = static_cast<int>(i * 37 % 251) - 125;
    for (std::size_t i = 0; i < tensor.reals.size(); ++i)
      tensor.reals[i] = (static_cast<int>(i * 37 % 251) - 125) / 8.0;
    inputs.push_back(std::move(tensor));
  }
  return *reference::run(graph, std::move(inputs));
}

// The graph after simplification, which must compute the same.
std::string folded(const std::string& lines) {
  tosa::Graph graph = graph_of(lines);
  const std::vector<reference::Tensor> before = results(graph);
  simplify(graph);
  Diagnostics problems;
  tosa::verify(graph, problems);
  EXPECT_TRUE(problems.empty());
  const std::vector<reference::Tensor> after = results(graph);
  EXPECT_EQ(before.size(), after.size());
  for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
    EXPECT_EQ(before[i].integers, after[i].integers);
    EXPECT_EQ(before[i].reals, after[i].reals);
  }
  return tosa::print(graph);
}

TEST(Fold, OperatorsWithoutEffect) {
  EXPECT_EQ(folded("%0 = input f32[2, 3]\n%1 = const f32[1, 3] [0, 0, 0]\n%13 = const f32[1, 3] splat -0.0\n"
                   "%2 = TANH(%0) f32[2, 3]\n%3 = ADD(%2, %13) f32[2, 3]\n%4 = SUB(%3, %1) f32[2, 3]\n"
                   "%5 = CLAMP(%4) f32[2, 3] min_val=-inf max_val=inf nan_mode=PROPAGATE\n"
                   "%6 = RESHAPE(%5) f32[2, 3] shape=[2, 3]\n%7 = TRANSPOSE(%6) f32[2, 3] perms=[0, 1]\n"
                   "%8 = SLICE(%7) f32[2, 3] start=[0, 0] size=[2, 3]\n%9 = TILE(%8) f32[2, 3] multiples=[1, 1]\n"
                   "%10 = PAD(%9) f32[2, 3] padding=[0, 0, 0, 0] pad_const=0\n%11 = CONCAT(%10) f32[2, 3] axis=0\n"
                   "%12 = EXP(%11) f32[2, 3]\noutput %12\n"),
            "graph m {\n  %0 = input f32[2, 3]\n  %1 = TANH(%0) f32[2, 3]\n  %2 = EXP(%1) f32[2, 3]\n  output %2\n}\n");
}

// Each of these operators returns its operand.
TEST(Fold, OperatorsOnOneElement) {
  const auto is_folded = [](const std::string& type, const std::string& before, const std::string& op,
                            const std::string& constants = "") {
    const std::string text =
        folded(formatted("%0 = input {0}\n%1 = {1}(%0) {0}\n{3}%2 = {2}\n%3 = {1}(%2) {0}\n"
                         "output %3\n",
                         type, before, op, constants));
    const std::string expected = formatted(
        "graph m {{\n  %0 = input {0}\n  %1 = {1}(%0) {0}\n  %2 = {1}(%1) {0}\n  output %2\n}}\n", type, before);
    return text == expected;
  };
  const std::string image = "f32[1, 4, 3, 2]", bytes = "i8[1, 4, 3, 2]", words = "i32[1, 4, 3, 2]";
  const std::string pool = "kernel=[1, 1] stride=[1, 1] pad=[0, 0, 0, 0]";
  EXPECT_TRUE(is_folded(image, "TANH", "MAX_POOL2D(%1) " + image + " " + pool + " nan_mode=IGNORE"));
  EXPECT_TRUE(
      is_folded(image, "EXP", "AVG_POOL2D(%1) " + image + " " + pool + " acc_type=FP32 input_zp=0 output_zp=0"));
  EXPECT_TRUE(is_folded(bytes, "BITWISE_NOT",
                        "AVG_POOL2D(%1) " + bytes + " " + pool + " acc_type=INT32 input_zp=3 output_zp=3"));
  EXPECT_TRUE(is_folded(
      image, "TANH", "RESIZE(%1) " + image + " mode=NEAREST_NEIGHBOR scale=[2, 2, 1, 1] offset=[0, 0] border=[0, 0]"));
  EXPECT_TRUE(is_folded(image, "TANH", "REVERSE(%1) " + image + " axis=0"));
  EXPECT_TRUE(is_folded(image, "TANH", "REDUCE_MAX(%1) " + image + " axis=0 nan_mode=PROPAGATE"));
  EXPECT_TRUE(is_folded(image, "EXP", "REDUCE_SUM(%1) " + image + " axis=0"));
  EXPECT_TRUE(is_folded("f32[1, 3, 1, 2]", "TANH", "TRANSPOSE(%1) f32[1, 3, 1, 2] perms=[2, 1, 0, 3]"));
  EXPECT_TRUE(
      is_folded(words, "BITWISE_NOT", "LOGICAL_LEFT_SHIFT(%1, %9) " + words, "%9 = const i32[1, 1, 1, 1] [0]\n"));
  EXPECT_TRUE(is_folded(words, "BITWISE_NOT", "BITWISE_AND(%1, %9) " + words, "%9 = const i32[1, 1, 1, 1] [-1]\n"));
  EXPECT_TRUE(is_folded(bytes, "BITWISE_NOT",
                        "RESCALE(%1, %8, %9) " + bytes +
                            " scale32=true rounding_mode=SINGLE_ROUND per_channel=false input_unsigned=false "
                            "output_unsigned=false input_zp=-4 output_zp=-4",
                        "%8 = const i32[1] [1073741824]\n%9 = const i8[1] [30]\n"));
  // -0 becomes +0, a zero point is added, and pixels are averaged.
  EXPECT_FALSE(
      is_folded(image, "TANH", "AVG_POOL2D(%1) " + image + " " + pool + " acc_type=FP32 input_zp=0 output_zp=0"));
  EXPECT_FALSE(is_folded(image, "TANH", "REDUCE_SUM(%1) " + image + " axis=0"));
  EXPECT_FALSE(is_folded(bytes, "BITWISE_NOT",
                         "AVG_POOL2D(%1) " + bytes + " " + pool + " acc_type=INT32 input_zp=3 output_zp=4"));
  EXPECT_FALSE(is_folded(
      image, "TANH", "MAX_POOL2D(%1) " + image + " kernel=[3, 1] stride=[1, 1] pad=[1, 1, 0, 0] nan_mode=PROPAGATE"));
}

TEST(Fold, OperatorsWithAnEffectStay) {
  const std::string lines =
      "%0 = input i8[2, 3]\n%1 = CLAMP(%0) i8[2, 3] min_val=-127 max_val=127 nan_mode=PROPAGATE\n"
      "%2 = RESHAPE(%1) i8[3, 2] shape=[3, 2]\n%3 = TRANSPOSE(%2) i8[2, 3] perms=[1, 0]\noutput %3\n";
  EXPECT_THAT(folded(lines), ::testing::HasSubstr("CLAMP"));
  EXPECT_THAT(folded(lines), ::testing::HasSubstr("RESHAPE"));
  EXPECT_THAT(folded(lines), ::testing::HasSubstr("TRANSPOSE"));
  // A broadcast changes the shape.
  EXPECT_THAT(folded("%0 = input i32[1, 3]\n%1 = const i32[2, 3] [0, 0, 0, 0, 0, 0]\n%2 = ADD(%0, %1) i32[2, 3]\n"
                     "output %2\n"),
              ::testing::HasSubstr("ADD"));
}

// -0 + 0 is +0, and -0 - -0 is +0.
TEST(Fold, KeepsTheSignsOfZeros) {
  const auto sum = [](std::string_view before, std::string_view zero, std::string_view op = "ADD(%2, %1)") {
    return folded(
        formatted("%0 = input f32[2]\n%1 = const f32[2] splat {}\n%2 = {}(%0) f32[2]\n%3 = {} f32[2]\n"
                  "%4 = TANH(%3) f32[2]\noutput %4\n",
                  zero, before, op));
  };
  using ::testing::HasSubstr;
  using ::testing::Not;
  EXPECT_THAT(sum("TANH", "0.0"), HasSubstr("ADD"));
  EXPECT_THAT(sum("TANH", "0.0", "ADD(%1, %2)"), HasSubstr("ADD"));
  EXPECT_THAT(sum("TANH", "-0.0"), Not(HasSubstr("ADD")));
  EXPECT_THAT(sum("TANH", "-0.0", "ADD(%1, %2)"), Not(HasSubstr("ADD")));
  EXPECT_THAT(sum("TANH", "-0.0", "SUB(%2, %1)"), HasSubstr("SUB"));
  EXPECT_THAT(sum("TANH", "0.0", "SUB(%2, %1)"), Not(HasSubstr("SUB")));
  EXPECT_THAT(sum("ABS", "0.0"), Not(HasSubstr("ADD")));
  EXPECT_THAT(folded("%0 = input i32[2]\n%1 = const i32[2] splat 0\n%2 = ABS(%0) i32[2]\n%3 = ADD(%2, %1) i32[2]\n"
                     "%4 = ABS(%3) i32[2]\noutput %4\n"),
              Not(HasSubstr("ADD")));
}

// A result of the graph stays a result of its own.
TEST(Fold, OutputsAreNotMerged) {
  EXPECT_EQ(folded("%0 = input f32[2]\n%1 = RESHAPE(%0) f32[2] shape=[2]\noutput %1\n"),
            "graph m {\n  %0 = input f32[2]\n  %1 = RESHAPE(%0) f32[2] shape=[2]\n  output %1\n}\n");
  EXPECT_EQ(folded("%0 = input f32[2]\n%1 = TANH(%0) f32[2] \"a\"\n%2 = RESHAPE(%1) f32[2] shape=[2] \"b\"\n"
                   "%3 = RESHAPE(%1) f32[2] shape=[2] \"c\"\noutput %2\noutput %3\n"),
            "graph m {\n  %0 = input f32[2]\n  %1 = TANH(%0) f32[2] \"a\"\n"
            "  %2 = RESHAPE(%1) f32[2] shape=[2] \"c\"\n  output %1\n  output %2\n}\n");
}

TEST(Fold, ClampsOfClamps) {
  EXPECT_EQ(folded("%0 = input f32[64]\n%1 = CLAMP(%0) f32[64] min_val=-4 max_val=6 nan_mode=PROPAGATE\n"
                   "%2 = CLAMP(%1) f32[64] min_val=0 max_val=8 nan_mode=PROPAGATE\noutput %2\n"),
            "graph m {\n  %0 = input f32[64]\n  %1 = CLAMP(%0) f32[64] min_val=0 max_val=6 nan_mode=PROPAGATE\n"
            "  output %1\n}\n");
  // Without common values the second one decides.
  EXPECT_THAT(folded("%0 = input i8[64]\n%1 = CLAMP(%0) i8[64] min_val=-20 max_val=-10 nan_mode=PROPAGATE\n"
                     "%2 = CLAMP(%1) i8[64] min_val=5 max_val=8 nan_mode=PROPAGATE\noutput %2\n"),
              ::testing::HasSubstr("%2 = CLAMP"));
}

TEST(Fold, PadsOfWindows) {
  const std::string graph = folded(
      "%0 = input i8[1, 4, 5, 1]\n%1 = const i8[1, 3, 3, 1] [1, 2, 3, 4, 5, 6, 7, 8, 9]\n%2 = const i32[1] [1]\n"
      "%3 = PAD(%0) i8[1, 7, 8, 1] padding=[0, 0, 1, 2, 2, 1, 0, 0] pad_const=-3\n"
      "%4 = CONV2D(%3, %1, %2) i32[1, 5, 6, 1] pad=[0, 0, 0, 0] stride=[1, 1] dilation=[1, 1] acc_type=INT32 "
      "local_bound=false input_zp=-3 weight_zp=0\noutput %4\n");
  EXPECT_THAT(graph, ::testing::HasSubstr("pad=[1, 2, 2, 1]"));
  EXPECT_THAT(graph, ::testing::Not(::testing::HasSubstr("PAD(")));
  EXPECT_THAT(folded("%0 = input i8[1, 4, 4, 1]\n"
                     "%1 = PAD(%0) i8[1, 6, 6, 1] padding=[0, 0, 1, 1, 1, 1, 0, 0] pad_const=-128\n"
                     "%2 = MAX_POOL2D(%1) i8[1, 4, 4, 1] kernel=[3, 3] stride=[1, 1] pad=[0, 0, 0, 0] "
                     "nan_mode=PROPAGATE\noutput %2\n"),
              ::testing::HasSubstr("%1 = MAX_POOL2D(%0) i8[1, 4, 4, 1] kernel=[3, 3] stride=[1, 1] pad=[1, 1, 1, 1]"));
  // Another value than the zero point, and padding of channels.
  EXPECT_THAT(folded("%0 = input f32[1, 4, 4, 1]\n%1 = const f32[1, 1, 1, 1] [2]\n%2 = const f32[1] [1]\n"
                     "%3 = PAD(%0) f32[1, 6, 6, 1] padding=[0, 0, 1, 1, 1, 1, 0, 0] pad_const=1\n"
                     "%4 = CONV2D(%3, %1, %2) f32[1, 6, 6, 1] pad=[0, 0, 0, 0] stride=[1, 1] dilation=[1, 1] "
                     "acc_type=FP32 local_bound=false input_zp=0 weight_zp=0\noutput %4\n"),
              ::testing::HasSubstr("PAD("));
}

TEST(Fold, ChainsOnConstants) {
  EXPECT_EQ(folded("%0 = input f32[2, 2]\n%1 = const f32[4] [1, 2, 3, 4]\n%2 = RESHAPE(%1) f32[2, 2] shape=[2, 2]\n"
                   "%3 = TRANSPOSE(%2) f32[2, 2] perms=[1, 0]\n%4 = MUL(%3, %2) f32[2, 2] shift=0\n"
                   "%5 = ADD(%0, %4) f32[2, 2]\noutput %5\n"),
            "graph m {\n  %0 = input f32[2, 2]\n  %1 = const f32[2, 2] [1, 6, 6, 16]\n  %2 = ADD(%0, %1) f32[2, 2]\n"
            "  output %2\n}\n");
  // A large result of a small constant would enlarge the file.
  EXPECT_THAT(folded("%0 = input f32[4096]\n%1 = const f32[1] [3]\n%2 = TILE(%1) f32[4096] multiples=[4096]\n"
                     "%3 = ADD(%0, %2) f32[4096]\noutput %3\n"),
              ::testing::HasSubstr("TILE"));
}

}  // namespace
}  // namespace slipway::convert
