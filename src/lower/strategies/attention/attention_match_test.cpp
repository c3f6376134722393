// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/strategies/attention/attention_match.hpp"

#include <algorithm>

#include "lower/lower.hpp"
#include "lower/plan/fusion.hpp"
#include "lower/strategies/strided_view.hpp"
#include "lower/testing.hpp"
#include "testing/device_facts.hpp"

namespace slipway::lower {
namespace {

const DeviceFacts kAttentionGpu = testing::gpu_facts();

// Logits %10 of type f32[2, 40, 24] to the result %20; the values are %3.
std::string softmax_and_product(std::string_view type = "f32", std::string_view shares = "%16") {
  return formatted(
      "%11 = REDUCE_MAX(%10) {0}[2, 40, 1] axis=2 nan_mode=PROPAGATE\n"
      "%12 = SUB(%10, %11) {0}[2, 40, 24]\n"
      "%13 = EXP(%12) {0}[2, 40, 24]\n"
      "%14 = REDUCE_SUM(%13) {0}[2, 40, 1] axis=2\n"
      "%15 = RECIPROCAL(%14) {0}[2, 40, 1]\n"
      "%16 = MUL(%13, %15) {0}[2, 40, 24] shift=0\n"
      "%20 = MATMUL({1}, %3) {0}[2, 40, 8] A_zp=0 B_zp=0\n",
      type, shares);
}

std::string attention_inputs(std::string_view type = "f32") {
  return formatted(
      "%1 = input {0}[2, 40, 16]\n"
      "%2 = input {0}[2, 16, 24]\n"
      "%3 = input {0}[2, 24, 8]\n",
      type);
}

std::string scores_as(std::string_view result = "%10", std::string_view type = "f32") {
  return formatted("{} = MATMUL(%1, %2) {}[2, 40, 24] A_zp=0 B_zp=0\n", result, type);
}

constexpr std::string_view kScale = "%4 = const f32[1, 1, 1] splat 0.25\n";
constexpr std::string_view kMask = "%5 = input f32[1, 40, 24]\n";

std::string attention_of(const std::string& logits, const std::string& rest = "output %20\n") {
  return attention_inputs() + logits + softmax_and_product() + rest;
}

// The attention whose result the last node stores.
std::string attention_in(const std::string& lines) {
  const tosa::Graph graph = graph_of(lines);
  const auto found = match_attention(graph, graph.nodes.back());
  return found ? print_attention(*found) : "none";
}

// Printed graphs number their values anew; this is the text with the names that the lines have.
std::string with_names_of(const std::string& lines, const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at < lines.size(); at = lines.find('\n', at) + 1) {
    if (lines[at] == '%') names.push_back(lines.substr(at, lines.find(' ', at) - at));
  }
  std::string renamed;
  for (std::size_t at = 0; at < text.size(); ++at) {
    renamed += text[at];
    if (text[at] != '%') continue;
    std::size_t digits = 0;
    const auto number = static_cast<std::size_t>(std::stoi(text.substr(at + 1), &digits));
    renamed += names.at(number).substr(1);
    at += digits;
  }
  return renamed;
}

std::string fused_attention(const std::string& lines, const DeviceFacts& device = kAttentionGpu,
                            bool fuse_attention = true) {
  const tosa::Graph graph = graph_of(lines);
  return with_names_of(lines, print_fusion(graph, plan_fusion(graph, true, device, fuse_attention)));
}

constexpr std::string_view kOneKernel =
    "%20 = MATMUL + REDUCE_MAX + SUB + EXP + REDUCE_SUM + RECIPROCAL + MUL + MATMUL of %1, %2, %3\n";

TEST(MatchAttention, SoftmaxBetweenTwoProducts) {
  EXPECT_EQ(attention_in(attention_of(scores_as())),
            "2 x 40 rows, 24 keys, depth 16, columns 8, f32: MATMUL, softmax, MATMUL");
}

TEST(MatchAttention, ScaleAndMaskInAnyOrder) {
  const std::string start = std::string(kMask) + std::string(kScale) + scores_as("%6");
  EXPECT_EQ(attention_in(attention_of(start + "%7 = MUL(%6, %4) f32[2, 40, 24] shift=0\n"
                                              "%10 = ADD(%7, %5) f32[2, 40, 24]\n")),
            "2 x 40 rows, 24 keys, depth 16, columns 8, f32: MATMUL + MUL + ADD, softmax, MATMUL");
  EXPECT_EQ(attention_in(attention_of(start + "%7 = ADD(%5, %6) f32[2, 40, 24]\n"
                                              "%10 = MUL(%4, %7) f32[2, 40, 24] shift=0\n")),
            "2 x 40 rows, 24 keys, depth 16, columns 8, f32: MATMUL + ADD + MUL, softmax, MATMUL");
}

TEST(MatchAttention, FactorsOfTheSharesInAnyOrder) {
  std::string lines = attention_of(scores_as());
  lines.replace(lines.find("MUL(%13, %15)"), 13, "MUL(%15, %13)");
  EXPECT_EQ(attention_in(lines), "2 x 40 rows, 24 keys, depth 16, columns 8, f32: MATMUL, softmax, MATMUL");
}

TEST(MatchAttention, ReshapesAndCasts) {
  EXPECT_EQ(
      attention_in("%1 = input f16[2, 40, 16]\n"
                   "%2 = input f16[2, 16, 24]\n"
                   "%3 = input f16[2, 24, 8]\n"
                   "%6 = MATMUL(%1, %2) f16[2, 40, 24] A_zp=0 B_zp=0\n"
                   "%7 = RESHAPE(%6) f16[1, 2, 40, 24] shape=[1, 2, 40, 24]\n"
                   "%10 = CAST(%7) f32[1, 2, 40, 24]\n"
                   "%11 = REDUCE_MAX(%10) f32[1, 2, 40, 1] axis=3 nan_mode=PROPAGATE\n"
                   "%12 = SUB(%10, %11) f32[1, 2, 40, 24]\n"
                   "%13 = EXP(%12) f32[1, 2, 40, 24]\n"
                   "%14 = REDUCE_SUM(%13) f32[1, 2, 40, 1] axis=3\n"
                   "%15 = RECIPROCAL(%14) f32[1, 2, 40, 1]\n"
                   "%16 = MUL(%13, %15) f32[1, 2, 40, 24] shift=0\n"
                   "%17 = CAST(%16) f16[1, 2, 40, 24]\n"
                   "%18 = RESHAPE(%17) f16[2, 40, 24] shape=[2, 40, 24]\n"
                   "%20 = MATMUL(%18, %3) f16[2, 40, 8] A_zp=0 B_zp=0\n"
                   "%21 = RESHAPE(%20) f16[1, 2, 40, 8] shape=[1, 2, 40, 8]\n"
                   "%22 = TRANSPOSE(%21) f16[1, 40, 2, 8] perms=[0, 2, 1, 3]\n"
                   "output %22\n"),
      "2 x 40 rows, 24 keys, depth 16, columns 8, f16: MATMUL + RESHAPE + CAST, softmax + RESHAPE + CAST, MATMUL + "
      "RESHAPE + TRANSPOSE");
}

TEST(MatchAttention, OtherGraphsAreNotAttention) {
  EXPECT_EQ(attention_in(attention_inputs() + scores_as() +
                         "%20 = MATMUL(%10, %3) f32[2, 40, 8] A_zp=0 B_zp=0\noutput %20\n"),
            "none");
  // A softmax of the keys for each row of the batch.
  std::string lines = attention_of(scores_as());
  for (std::size_t at = 0; (at = lines.find("axis=2", at)) != std::string::npos;) lines.replace(at, 6, "axis=1");
  for (std::size_t at = 0; (at = lines.find("[2, 40, 1]", at)) != std::string::npos;)
    lines.replace(at, 10, "[2, 1, 24]");
  EXPECT_EQ(attention_in(lines), "none");
  // The sum of something else, and the difference in the other order.
  lines = attention_of(scores_as());
  lines.replace(lines.find("REDUCE_SUM(%13)"), 15, "REDUCE_SUM(%12)");
  EXPECT_EQ(attention_in(lines), "none");
  // Two products meet before the softmax.
  EXPECT_EQ(attention_in(attention_of(scores_as("%6") + scores_as("%7") + "%10 = ADD(%6, %7) f32[2, 40, 24]\n")),
            "none");
}

TEST(PlanAttention, IsOneKernelOnGpus) {
  EXPECT_EQ(fused_attention(attention_of(scores_as())), kOneKernel);
  EXPECT_EQ(fused_attention(attention_of(scores_as()), kAttentionGpu, false),
            "%10 = MATMUL of %1, %2\n"
            "%16 = REDUCE_MAX + SUB + EXP + REDUCE_SUM + RECIPROCAL + MUL of %10\n"
            "%20 = MATMUL of %16, %3\n");
}

TEST(PlanAttention, DevicesWithoutTheKernelStoreTheScores) {
  for (const DeviceFacts& device : {DeviceFacts{}, testing::cpu_facts()})
    EXPECT_TRUE(fused_attention(attention_of(scores_as()), device).contains("%10 = MATMUL of %1, %2\n"));
  DeviceFacts small = kAttentionGpu;
  small.shared_memory = 512;
  EXPECT_TRUE(fused_attention(attention_of(scores_as()), small).contains("%10 = MATMUL of %1, %2\n"));
}

// Large products are faster in kernels of their own.
TEST(PlanAttention, SizesDecide) {
  const auto is_one_kernel = [](std::int64_t length, DeviceFacts device) {
    const auto type = [&](std::int64_t columns) { return formatted("f16[16, {}, {}]", length, columns); };
    const std::string text = fused_attention(formatted("%1 = input {0}\n"
                                                       "%2 = input f16[16, 64, {3}]\n"
                                                       "%3 = input {0}\n"
                                                       "%10 = MATMUL(%1, %2) {1} A_zp=0 B_zp=0\n"
                                                       "%11 = REDUCE_MAX(%10) {2} axis=2 nan_mode=PROPAGATE\n"
                                                       "%12 = SUB(%10, %11) {1}\n"
                                                       "%13 = EXP(%12) {1}\n"
                                                       "%14 = REDUCE_SUM(%13) {2} axis=2\n"
                                                       "%15 = RECIPROCAL(%14) {2}\n"
                                                       "%16 = MUL(%13, %15) {1} shift=0\n"
                                                       "%20 = MATMUL(%16, %3) {0} A_zp=0 B_zp=0\n"
                                                       "output %20\n",
                                                       type(64), type(length), type(1), length),
                                             device);
    return std::ranges::count(text, '\n') == 1;
  };
  DeviceFacts matrices = kAttentionGpu;
  matrices.matrices = {{16, 16, 16, tensor::ElementType::F16, tensor::ElementType::F32}};
  EXPECT_TRUE(is_one_kernel(128, kAttentionGpu));
  EXPECT_FALSE(is_one_kernel(1024, kAttentionGpu));
  EXPECT_TRUE(is_one_kernel(1024, matrices));
  EXPECT_FALSE(is_one_kernel(8192, matrices));
}

TEST(PlanAttention, AMaskIsRead) {
  EXPECT_EQ(fused_attention(attention_of(std::string(kMask) + std::string(kScale) + scores_as("%6") +
                                         "%7 = MUL(%6, %4) f32[2, 40, 24] shift=0\n"
                                         "%8 = EXP(%5) f32[1, 40, 24]\n"
                                         "%10 = ADD(%7, %8) f32[2, 40, 24]\n")),
            "%8 = EXP of %5\n"
            "%20 = MATMUL + MUL + ADD + REDUCE_MAX + SUB + EXP + REDUCE_SUM + RECIPROCAL + MUL + MATMUL of %1, %2, %4, "
            "%8, %3\n");
}

// A value inside that another operator reads, or that is an output, must be stored.
TEST(PlanAttention, AValueThatOthersNeedPreventsIt) {
  const std::string start = std::string(kScale) + scores_as("%6") + "%10 = MUL(%6, %4) f32[2, 40, 24] shift=0\n";
  const std::string plain = fused_attention(attention_of(start));
  EXPECT_EQ(std::ranges::count(plain, '\n'), 1) << plain;
  for (const std::string_view value : {"%6", "%10", "%13", "%16"}) {
    const std::string output = fused_attention(attention_of(start, formatted("output %20\noutput {}\n", value)));
    EXPECT_TRUE(output.contains(formatted("{} = ", value))) << output;
    const std::string reader = fused_attention(
        attention_of(start, formatted("%30 = TANH({}) f32[2, 40, 24]\noutput %20\noutput %30\n", value)));
    EXPECT_TRUE(reader.contains(formatted("{} = ", value))) << reader;
  }
}

TEST(PlanAttention, TheResultIsStoredInTheOrderOfItsReader) {
  EXPECT_EQ(
      fused_attention(attention_of(scores_as(),
                                   "%21 = TRANSPOSE(%20) f32[40, 2, 8] perms=[1, 0, 2]\n"
                                   "%22 = RESHAPE(%21) f32[40, 16] shape=[40, 16]\n"
                                   "%23 = TANH(%22) f32[40, 16]\n"
                                   "output %23\n")),
      "%22 = MATMUL + REDUCE_MAX + SUB + EXP + REDUCE_SUM + RECIPROCAL + MUL + MATMUL + TRANSPOSE + RESHAPE of %1, "
      "%2, %3\n"
      "%23 = TANH of %22\n");
  // Two readers.
  EXPECT_TRUE(fused_attention(attention_of(scores_as(),
                                           "%21 = TRANSPOSE(%20) f32[40, 2, 8] perms=[1, 0, 2]\n"
                                           "output %20\noutput %21\n"))
                  .contains(kOneKernel));
}

TEST(PlanAttention, AScaleOfTheQueriesIsComputedInTheKernel) {
  EXPECT_EQ(
      fused_attention("%0 = input f32[40, 2, 16]\n"
                      "%2 = input f32[2, 16, 24]\n"
                      "%3 = input f32[2, 24, 8]\n" +
                      std::string(kScale) +
                      "%5 = TRANSPOSE(%0) f32[2, 40, 16] perms=[1, 0, 2]\n"
                      "%1 = MUL(%5, %4) f32[2, 40, 16] shift=0\n" +
                      scores_as() + softmax_and_product() + "output %20\n"),
      "%20 = TRANSPOSE + MUL + MATMUL + REDUCE_MAX + SUB + EXP + REDUCE_SUM + RECIPROCAL + MUL + MATMUL of %0, %4, "
      "%2, %3\n");
}

TEST(LowerAttention, OneDispatchOfBlocksOfRows) {
  const tosa::Graph graph = graph_of(attention_of(scores_as()));
  const auto program = lower_graph(graph, {.device = kAttentionGpu});
  ASSERT_TRUE(program);
  const std::string text = print_program(graph, *program);
  EXPECT_TRUE(text.starts_with("1 dispatches, 1 kernels, arena 0 bytes")) << text;
}

TEST(LowerAttention, TheBlocksCanBeTuned) {
  const tosa::Graph graph = graph_of(attention_of(scores_as()));
  const auto program = lower_graph(graph, {.list_sites = true, .device = kAttentionGpu});
  ASSERT_TRUE(program);
  ASSERT_EQ(program->sites.size(), 1u);
  EXPECT_EQ(program->sites[0].what, "attention by floats 2x40x24 of 16 to 8");
  EXPECT_GT(program->sites[0].candidates.size(), 2u);
}

// --- views ---

std::string strides_of(const std::string& lines) {
  const tosa::Graph graph = graph_of(lines);
  std::vector<bool> stored(graph.values.size(), false);
  for (const tosa::ValueId input : graph.inputs) stored[index(input)] = true;
  const auto found = strided_view(graph, stored, graph.outputs[0]);
  return found ? print_strided_view(graph, *found) : "none";
}

TEST(StridedViews, HeadsOfAProjection) {
  const std::string slice =
      "%0 = input f32[2, 128, 768]\n"
      "%1 = SLICE(%0) f32[2, 128, 256] start=[0, 0, 256] size=[2, 128, 256]\n"
      "%2 = RESHAPE(%1) f32[2, 128, 4, 64] shape=[2, 128, 4, 64]\n";
  EXPECT_EQ(strides_of(slice + "output %2\n"), "%0 + 256: [2 x 98304, 128 x 768, 4 x 64, 64 x 1]");
  EXPECT_EQ(strides_of(slice + "%3 = TRANSPOSE(%2) f32[2, 4, 128, 64] perms=[0, 2, 1, 3]\n"
                               "%4 = RESHAPE(%3) f32[8, 128, 64] shape=[8, 128, 64]\n"
                               "output %4\n"),
            "%0 + 256: [2 x 98304 of 4 x 64, 128 x 768, 64 x 1]");
}

TEST(StridedViews, WhatHasNoStrides) {
  EXPECT_EQ(strides_of("%0 = input f32[4, 6]\n"
                       "%1 = TRANSPOSE(%0) f32[6, 4] perms=[1, 0]\n"
                       "%2 = RESHAPE(%1) f32[8, 3] shape=[8, 3]\n"
                       "output %2\n"),
            "none");
  EXPECT_EQ(strides_of("%0 = input f32[4, 6]\n"
                       "%1 = REVERSE(%0) f32[4, 6] axis=0\n"
                       "output %1\n"),
            "none");
}

}  // namespace
}  // namespace slipway::lower
