// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/plan/fusion.hpp"

#include <algorithm>

#include "lower/testing.hpp"
#include "testing/device_facts.hpp"

namespace slipway::lower {
namespace {

const DeviceFacts kPlain;
using testing::kGpu;
const DeviceFacts kCpu = testing::cpu_facts();

std::string fused(const std::string& lines, const DeviceFacts& device = kPlain, bool fuse = true) {
  const tosa::Graph graph = graph_of(lines);
  return print_fusion(graph, plan_fusion(graph, fuse, device));
}

const std::string kChain =
    "%0 = input f32[4, 8]\n"
    "%1 = input f32[4, 8]\n"
    "%2 = ADD(%0, %1) f32[4, 8]\n"
    "%3 = TANH(%2) f32[4, 8]\n"
    "%4 = SUB(%3, %1) f32[4, 8]\n"
    "output %4\n";

TEST(PlanFusion, AChainOfPointwiseOperatorsIsOneKernel) {
  EXPECT_EQ(fused(kChain), "%4 = ADD + TANH + SUB of %0, %1\n");
}

TEST(PlanFusion, WithoutFusionEveryResultIsStored) {
  EXPECT_EQ(fused(kChain, kPlain, false),
            "%2 = ADD of %0, %1\n"
            "%3 = TANH of %2\n"
            "%4 = SUB of %3, %1\n");
}

TEST(PlanFusion, AnOutputInsideAChainIsStored) {
  EXPECT_EQ(fused(kChain + "output %3\n"),
            "%3 = ADD + TANH of %0, %1\n"
            "%4 = SUB of %3, %1\n");
}

TEST(PlanFusion, AValueThatOneKernelReadsTwiceIsNotStored) {
  EXPECT_EQ(fused("%0 = input f32[8]\n"
                  "%1 = const i8[1] [0]\n"
                  "%2 = EXP(%0) f32[8]\n"
                  "%3 = SIGMOID(%2) f32[8]\n"
                  "%4 = MUL(%2, %3) f32[8] shift=0\n"
                  "output %4\n"),
            "%4 = EXP + SIGMOID + MUL of %0\n");
}

TEST(PlanFusion, AValueThatTwoKernelsReadIsStored) {
  EXPECT_EQ(fused("%0 = input f32[8]\n"
                  "%1 = EXP(%0) f32[8]\n"
                  "%2 = SIGMOID(%1) f32[8]\n"
                  "%3 = TANH(%1) f32[8]\n"
                  "output %2\n"
                  "output %3\n"),
            "%1 = EXP of %0\n"
            "%2 = SIGMOID of %1\n"
            "%3 = TANH of %1\n");
}

TEST(PlanFusion, AnOperandThatIsBroadcastIsStored) {
  EXPECT_EQ(fused("%0 = input f32[1, 8]\n"
                  "%1 = input f32[4, 8]\n"
                  "%2 = EXP(%0) f32[1, 8]\n"
                  "%3 = ADD(%1, %2) f32[4, 8]\n"
                  "output %3\n"),
            "%2 = EXP of %0\n"
            "%3 = ADD of %1, %2\n");
}

TEST(PlanFusion, ViewsAreComputedByEveryReader) {
  EXPECT_EQ(fused("%0 = input f32[4, 8]\n"
                  "%1 = TRANSPOSE(%0) f32[8, 4] perms=[1, 0]\n"
                  "%2 = RESHAPE(%1) f32[32] shape=[32]\n"
                  "%3 = EXP(%2) f32[32]\n"
                  "%4 = TANH(%1) f32[8, 4]\n"
                  "output %3\n"
                  "output %4\n"),
            "%3 = TRANSPOSE + RESHAPE + EXP of %0\n"
            "%4 = TRANSPOSE + TANH of %0\n");
}

TEST(PlanFusion, AViewThatIsAnOutputIsStored) {
  EXPECT_EQ(fused("%0 = input f32[4, 8]\n"
                  "%1 = EXP(%0) f32[4, 8]\n"
                  "%2 = REVERSE(%1) f32[4, 8] axis=0\n"
                  "output %2\n"),
            "%1 = EXP of %0\n"
            "%2 = REVERSE of %1\n");
}

std::string conv_chain(const std::string& rest) {
  return "%0 = input f32[1, 8, 8, 16]\n"
         "%1 = const f32[16, 1, 1, 16] splat 0.5\n"
         "%2 = const f32[16] splat 0.0\n"
         "%3 = CONV2D(%0, %1, %2) f32[1, 8, 8, 16] " +
         conv2d_attributes() + "\n" + rest;
}

TEST(PlanFusion, PointwiseOperatorsJoinTheConvolutionBeforeThem) {
  EXPECT_EQ(fused(conv_chain("%4 = CLAMP(%3) f32[1, 8, 8, 16] " + std::string(kClampAttributes) +
                             "\n"
                             "%5 = ADD(%4, %0) f32[1, 8, 8, 16]\n"
                             "output %5\n")),
            "%5 = CONV2D + CLAMP + ADD of %0, %1, %2\n");
}

TEST(PlanFusion, AKernelHasOneWindowOperator) {
  EXPECT_EQ(fused(conv_chain("%4 = EXP(%3) f32[1, 8, 8, 16]\n"
                             "%5 = MAX_POOL2D(%4) f32[1, 4, 4, 16] kernel=[2, 2] stride=[2, 2] pad=[0, 0, 0, 0] "
                             "nan_mode=PROPAGATE\n"
                             "output %5\n")),
            "%4 = CONV2D + EXP of %0, %1, %2\n"
            "%5 = MAX_POOL2D of %4\n");
}

TEST(PlanFusion, OfTwoConvolutionsOnTheWayToOneResultTheLastOneStays) {
  EXPECT_EQ(fused(conv_chain("%4 = CONV2D(%0, %1, %2) f32[1, 8, 8, 16] " + conv2d_attributes() +
                             "\n"
                             "%5 = ADD(%3, %4) f32[1, 8, 8, 16]\n"
                             "output %5\n")),
            "%3 = CONV2D of %0, %1, %2\n"
            "%5 = CONV2D + ADD of %3, %0, %1, %2\n");
}

// --- limits of a kernel ---

TEST(PlanFusion, ALongChainIsDividedAtTheLimitOfOperators) {
  std::string lines = "%0 = input f32[8]\n";
  for (int i = 0; i < 60; ++i) lines += formatted("%{} = ABS(%{}) f32[8]\n", i + 1, i);
  const std::string text = fused(lines + "output %60\n");
  EXPECT_EQ(text.substr(0, text.find(" =")), "%48");
  EXPECT_EQ(text.substr(text.rfind('%')), "%48\n");
}

// Six values and the result are the seven descriptors of a plain kernel; devices with addresses have fourteen buffers.
TEST(PlanFusion, ManyOperandsAreDividedAtTheLimitOfBuffers) {
  std::string lines;
  for (int i = 0; i < 10; ++i) lines += formatted("%{} = input f32[8]\n", i);
  lines += "%10 = ADD(%0, %1) f32[8]\n";
  for (int i = 2; i < 10; ++i) lines += formatted("%{} = ADD(%{}, %{}) f32[8]\n", i + 9, i + 8, i);
  lines += "output %18\n";
  EXPECT_EQ(fused(lines),
            "%14 = ADD + ADD + ADD + ADD + ADD of %0, %1, %2, %3, %4, %5\n"
            "%18 = ADD + ADD + ADD + ADD of %14, %6, %7, %8, %9\n");
  EXPECT_EQ(fused(lines, kGpu),
            "%18 = ADD + ADD + ADD + ADD + ADD + ADD + ADD + ADD + ADD of %0, %1, %2, %3, %4, %5, %6, %7, %8, %9\n");
}

// Each half has as many operands as a kernel may read.
TEST(PlanFusion, ManyOperandsOfBothSidesAreDividedToo) {
  std::string lines;
  int next = 0;
  for (; next < 10; ++next) lines += formatted("%{} = input f32[8]\n", next);
  const auto chain = [&](int first) {
    int sum = first;
    for (int i = first + 1; i < first + 5; ++i) {
      lines += formatted("%{} = ADD(%{}, %{}) f32[8]\n", next, sum, i);
      sum = next++;
    }
    return sum;
  };
  const int left = chain(0), right = chain(5);
  lines += formatted("%{} = MUL(%{}, %{}) f32[8] shift=0\noutput %{}\n", next, left, right, next);
  EXPECT_EQ(fused(lines),
            "%13 = ADD + ADD + ADD + ADD of %0, %1, %2, %3, %4\n"
            "%18 = ADD + ADD + ADD + ADD + MUL of %13, %5, %6, %7, %8, %9\n");
}

TEST(PlanFusion, BothResultsOfAnOperatorAreStored) {
  EXPECT_EQ(fused("%0 = input f32[1, 4, 4]\n"
                  "%1, %2 = RFFT2D(%0) f32[1, 4, 3], f32[1, 4, 3] local_bound=false\n"
                  "%3 = ABS(%1) f32[1, 4, 3]\n"
                  "output %3\n"
                  "output %2\n"),
            "%1 = RFFT2D of %0\n"
            "%2 = RFFT2D of %0\n"
            "%3 = ABS of %1\n");
}

// --- reductions ---

std::string softmax(int length, const std::string& rest = "") {
  const auto type = [&](int extent) { return formatted("f32[4, {}]", extent); };
  return formatted(
             "%0 = input {0}\n"
             "%1 = const i8[1] [0]\n"
             "%2 = REDUCE_MAX(%0) {1} axis=1 nan_mode=PROPAGATE\n"
             "%3 = SUB(%0, %2) {0}\n"
             "%4 = EXP(%3) {0}\n"
             "%5 = REDUCE_SUM(%4) {1} axis=1\n"
             "%6 = RECIPROCAL(%5) {1}\n"
             "%7 = MUL(%4, %6) {0} shift=0\n"
             "output %7\n",
             type(length), type(1)) +
         rest;
}

constexpr std::string_view kSoftmaxKernel = "%7 = REDUCE_MAX + SUB + EXP + REDUCE_SUM + RECIPROCAL + MUL of %0\n";

TEST(PlanFusion, SoftmaxIsOneKernelOnGpus) { EXPECT_EQ(fused(softmax(100), kGpu), kSoftmaxKernel); }

TEST(PlanFusion, SoftmaxIsOneKernelOnCpusWhereARowFillsAVector) {
  EXPECT_EQ(fused(softmax(100), kCpu), kSoftmaxKernel);
  EXPECT_NE(fused(softmax(7), kCpu), kSoftmaxKernel);
}

TEST(PlanFusion, PlainDevicesStoreReductions) {
  EXPECT_EQ(fused(softmax(100)),
            "%2 = REDUCE_MAX of %0\n"
            "%4 = SUB + EXP of %0, %2\n"
            "%6 = REDUCE_SUM + RECIPROCAL of %4\n"
            "%7 = MUL of %4, %6\n");
}

TEST(PlanFusion, AReductionFusionEndsAtAValueThatOthersRead) {
  EXPECT_EQ(fused(softmax(100, "%8 = TANH(%4) f32[4, 100]\noutput %8\n"), kGpu),
            "%4 = REDUCE_MAX + SUB + EXP of %0\n"
            "%7 = REDUCE_SUM + RECIPROCAL + MUL of %4\n"
            "%8 = TANH of %4\n");
}

// --- a pointwise convolution and a depthwise convolution ---

std::string mobile_block() {
  return conv_chain(
      "%4 = const f32[3, 3, 16, 1] splat 1.0\n"
      "%5 = DEPTHWISE_CONV2D(%3, %4, %2) f32[1, 8, 8, 16] " +
      conv2d_attributes("1, 1, 1, 1") +
      "\n"
      "output %5\n");
}

TEST(PlanFusion, CpusComputeThePointwiseConvolutionInTheDepthwiseKernel) {
  const std::string text = fused(mobile_block(), kCpu);
  EXPECT_EQ(std::ranges::count(text, '\n'), 1) << text;
  EXPECT_TRUE(text.contains("CONV2D + DEPTHWISE_CONV2D")) << text;
}

TEST(PlanFusion, GpusStoreTheResultOfThePointwiseConvolution) {
  const std::string text = fused(mobile_block(), kGpu);
  EXPECT_EQ(std::ranges::count(text, '\n'), 2) << text;
}

}  // namespace
}  // namespace slipway::lower
