// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/strategies/contraction/contraction.hpp"

#include "lower/testing.hpp"

namespace slipway::lower {
namespace {

// The contraction of the last node of a graph; `none` if it is not one.
std::string matched(const std::string& lines) {
  const tosa::Graph graph = graph_of(lines);
  if (graph.nodes.empty()) return "no graph";
  const auto contraction = contraction_of(graph, graph.nodes.back());
  return contraction ? print_contraction(*contraction) : "none";
}

std::string conv2d(std::string_view input, std::string_view weight, std::string_view output,
                   const std::string& attributes) {
  return formatted(
      "%0 = input {}\n"
      "%1 = const {}\n"
      "%2 = const f32[1] splat 0.0\n"
      "%3 = CONV2D(%0, %1, %2) {} {}\n"
      "output %3\n",
      input, weight, output, attributes);
}

std::string matmul(std::string_view a, std::string_view b, std::string_view output, int a_zp = 0, int b_zp = 0) {
  return formatted(
      "%0 = input {}\n"
      "%1 = input {}\n"
      "%2 = MATMUL(%0, %1) {} A_zp={} B_zp={}\n"
      "output %2\n",
      a, b, output, a_zp, b_zp);
}

TEST(Contraction, APointwiseConvolutionIsOneMatrixProductOverAllPixels) {
  EXPECT_EQ(matched(conv2d("f32[2, 5, 7, 3]", "f32[4, 1, 1, 3] splat 1.0", "f32[2, 5, 7, 4]", conv2d_attributes())),
            "M 70 N 4 K 3, row stride 3, flat");
}

TEST(Contraction, RowsOfAWindowAreContiguous) {
  EXPECT_EQ(matched(conv2d("f32[2, 6, 8, 3]", "f32[4, 3, 3, 3] splat 1.0", "f32[2, 4, 6, 4]", conv2d_attributes())),
            "M 6 N 4 K 27 = 3 (stride 24) x 9 contiguous, row stride 3, batch 2 (stride 144) x 4 (stride 24)");
}

TEST(Contraction, PaddingEnlargesTheImage) {
  EXPECT_EQ(matched(conv2d("f32[1, 4, 6, 3]", "f32[4, 3, 3, 3] splat 1.0", "f32[1, 4, 6, 4]",
                           conv2d_attributes("1, 1, 1, 1"))),
            "M 6 N 4 K 27 = 3 (stride 24) x 9 contiguous, row stride 3, batch 4 (stride 24), padded to [1, 6, 8, 3]");
}

TEST(Contraction, StridesMoveRowsAndBatch) {
  EXPECT_EQ(matched(conv2d("f32[1, 8, 8, 3]", "f32[4, 2, 2, 3] splat 1.0", "f32[1, 4, 4, 4]",
                           conv2d_attributes("0, 0, 0, 0", "2, 2"))),
            "M 4 N 4 K 12 = 2 (stride 24) x 6 contiguous, row stride 6, batch 4 (stride 48)");
}

TEST(Contraction, APointwiseConvolutionWithAStrideIsNotFlat) {
  EXPECT_EQ(matched(conv2d("f32[1, 7, 7, 3]", "f32[4, 1, 1, 3] splat 1.0", "f32[1, 4, 4, 4]",
                           conv2d_attributes("0, 0, 0, 0", "2, 2"))),
            "M 4 N 4 K 3, row stride 6, batch 4 (stride 42)");
}

TEST(Contraction, ADilatedWindowHasABlockForEachTap) {
  EXPECT_EQ(matched(conv2d("f32[1, 8, 8, 3]", "f32[4, 2, 2, 3] splat 1.0", "f32[1, 6, 6, 4]",
                           conv2d_attributes("0, 0, 0, 0", "1, 1", "2, 2"))),
            "M 6 N 4 K 12 = 2 (stride 48) x 2 (stride 6) x 3 contiguous, row stride 3, batch 6 (stride 24)");
}

TEST(Contraction, MatrixProductsWithABatch) {
  EXPECT_EQ(matched(matmul("f32[5, 6, 7]", "f32[5, 7, 8]", "f32[5, 6, 8]")),
            "M 6 N 8 K 7, row stride 7, batch 5 (stride 42)");
  EXPECT_EQ(matched(matmul("f16[1, 6, 7]", "f16[1, 7, 8]", "f32[1, 6, 8]")), "M 6 N 8 K 7, row stride 7");
}

TEST(Contraction, IntegersKeepTheirZeroPoints) {
  EXPECT_EQ(matched(matmul("i8[1, 6, 7]", "i8[1, 7, 8]", "i32[1, 6, 8]", -3, 5)),
            "M 6 N 8 K 7, row stride 7, zero points -3 5");
}

TEST(Contraction, OtherTypesAndOperatorsDoNotMatch) {
  EXPECT_EQ(matched(matmul("i16[1, 6, 7]", "i16[1, 7, 8]", "i48[1, 6, 8]")), "none");
  EXPECT_EQ(matched("%0 = input f32[4]\n%1 = ABS(%0) f32[4]\noutput %1\n"), "none");
}

// Zeros of the border are multiplied, which must not make a NaN.
TEST(Contraction, PaddingNeedsFiniteConstantWeights) {
  const auto padded = [](std::string_view weight) {
    return matched(conv2d("f32[1, 1, 4, 1]", weight, "f32[1, 1, 4, 1]", conv2d_attributes("0, 0, 1, 1")));
  };
  EXPECT_NE(padded("f32[1, 1, 3, 1] [1.0, 2.0, 3.0]"), "none");
  EXPECT_EQ(padded("f32[1, 1, 3, 1] [1.0, inf, 3.0]"), "none");
  EXPECT_EQ(padded("f32[1, 1, 3, 1] [1.0, nan, 3.0]"), "none");
  EXPECT_EQ(matched("%0 = input f32[1, 1, 4, 1]\n"
                    "%1 = input f32[1, 1, 3, 1]\n"
                    "%2 = const f32[1] splat 0.0\n"
                    "%3 = CONV2D(%0, %1, %2) f32[1, 1, 4, 1] " +
                    conv2d_attributes("0, 0, 1, 1") + "\noutput %3\n"),
            "none");
}

TEST(Contraction, WithContiguousKJoinsAllBlocks) {
  const tosa::Graph graph =
      graph_of(conv2d("f32[1, 6, 8, 3]", "f32[4, 3, 3, 3] splat 1.0", "f32[1, 4, 6, 4]", conv2d_attributes()));
  EXPECT_EQ(print_contraction(contraction_of(graph, graph.nodes[0])->with_contiguous_k()),
            "M 6 N 4 K 27, row stride 3, batch 4 (stride 24)");
}

// 2^24 / (128 * 128) products are 1024; a zero point makes the factors larger.
TEST(Contraction, ExactProductsOfIntegers) {
  const auto exact = [](int a_zp, int b_zp) {
    const tosa::Graph graph = graph_of(matmul("i8[1, 6, 7]", "i8[1, 7, 8]", "i32[1, 6, 8]", a_zp, b_zp));
    return exact_products(*contraction_of(graph, graph.nodes[0]));
  };
  EXPECT_EQ(exact(0, 0), 1024);
  EXPECT_EQ(exact(-128, 0), 512);
  EXPECT_EQ(exact(-128, 127), 256);
}

// --- the only contraction on the way to a result ---

// `CONV2D` or `none`; with a star if operands have other shapes than the result and its channels, and with a plus if
// there is a residual.
std::string anchor_of(const std::string& lines, const std::vector<std::size_t>& not_stored) {
  const tosa::Graph graph = graph_of(lines);
  std::vector<bool> stored(graph.values.size(), true);
  for (const std::size_t node : not_stored) stored[index(graph.nodes[node].outputs[0])] = false;
  const auto anchor = find_anchor(graph, stored, graph.nodes.back());
  if (!anchor) return "none";
  return std::string(tosa::name_of(anchor->node->op)) + (anchor->reads_by_row_and_channel ? "" : "*") +
         (anchor->has_residual ? "+" : "");
}

std::string matmul_plus(std::string_view operand) {
  return formatted(
      "%0 = input f32[2, 6, 7]\n"
      "%1 = input f32[2, 7, 8]\n"
      "%2 = input {}\n"
      "%3 = MATMUL(%0, %1) f32[2, 6, 8] A_zp=0 B_zp=0\n"
      "%4 = ADD(%3, %2) f32[2, 6, 8]\n"
      "output %4\n",
      operand);
}

TEST(Anchor, IsTheOneContraction) {
  EXPECT_EQ(anchor_of(matmul_plus("f32[2, 6, 8]"), {0}), "MATMUL+");
  EXPECT_EQ(anchor_of(matmul_plus("f32[1, 1, 8]"), {0}), "MATMUL");
  EXPECT_EQ(anchor_of(matmul_plus("f32[2, 1, 8]"), {0}), "MATMUL*+");
  EXPECT_EQ(anchor_of(matmul_plus("f32[2, 6, 8]"), {}), "none");
}

TEST(Anchor, IsReadThroughAReshapeThatKeepsTheChannels) {
  const auto lines = [](std::string_view shape, std::string_view operand) {
    return formatted(
        "%0 = input f32[1, 6, 7]\n"
        "%1 = input f32[1, 7, 8]\n"
        "%2 = input f32[{1}]\n"
        "%3 = MATMUL(%0, %1) f32[1, 6, 8] A_zp=0 B_zp=0\n"
        "%4 = RESHAPE(%3) f32[{0}] shape=[{0}]\n"
        "%5 = ADD(%4, %2) f32[{0}]\n"
        "output %5\n",
        shape, operand);
  };
  EXPECT_EQ(anchor_of(lines("2, 3, 8", "1, 1, 8"), {0, 1}), "MATMUL");
  EXPECT_EQ(anchor_of(lines("2, 3, 8", "1, 3, 1"), {0, 1}), "MATMUL*+");
  EXPECT_EQ(anchor_of(lines("2, 3, 8", "1, 1, 8"), {1}), "none");
  EXPECT_EQ(anchor_of(lines("6, 2, 4", "1, 1, 4"), {0, 1}), "none");
  EXPECT_EQ(anchor_of(lines("48", "48"), {0, 1}), "none");
}

TEST(Anchor, OperandsMayBeViewsOfStoredValues) {
  const auto lines = [](std::string_view view, std::string_view type) {
    return formatted(
        "%0 = input f32[1, 8, 8]\n"
        "%1 = input {1}\n"
        "%2 = {0}\n"
        "%3 = MATMUL(%0, %0) f32[1, 8, 8] A_zp=0 B_zp=0\n"
        "%4 = ADD(%3, %2) f32[1, 8, 8]\n"
        "output %4\n",
        view, type);
  };
  EXPECT_EQ(anchor_of(lines("RESHAPE(%1) f32[1, 8, 8] shape=[1, 8, 8]", "f32[8, 8]"), {0, 1}), "MATMUL+");
  EXPECT_EQ(anchor_of(lines("TRANSPOSE(%1) f32[1, 8, 8] perms=[0, 2, 1]", "f32[1, 8, 8]"), {0, 1}), "MATMUL*+");
}

TEST(Anchor, TwoContractionsAreNone) {
  const std::string lines =
      "%0 = input f32[1, 6, 6]\n"
      "%1 = MATMUL(%0, %0) f32[1, 6, 6] A_zp=0 B_zp=0\n"
      "%2 = MATMUL(%0, %0) f32[1, 6, 6] A_zp=0 B_zp=0\n"
      "%3 = ADD(%1, %2) f32[1, 6, 6]\n"
      "output %3\n";
  EXPECT_EQ(anchor_of(lines, {0, 1}), "none");
  EXPECT_EQ(anchor_of(lines, {1}), "MATMUL+");
}

}  // namespace
}  // namespace slipway::lower
