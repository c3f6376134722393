// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/operators/value_range.hpp"

#include "lower/testing.hpp"

namespace slipway::lower {
namespace {

// The bits of each CAST of a graph with the operands %0 (int8), %1 (int32) and %2 (float32).
std::vector<std::uint32_t> bits_of(const std::string& lines) {
  const tosa::Graph graph = graph_of("%0 = input i8[4]\n%1 = input i32[4]\n%2 = input f32[4]\n" + lines);
  std::vector<std::uint32_t> bits;
  for (const tosa::Node& node : graph.nodes) {
    if (node.op == tosa::Op::CAST) bits.push_back(bits_of_cast(graph, node));
  }
  return bits;
}

using Bits = std::vector<std::uint32_t>;

// What the import of a quantised model makes of sums: the product is never NaN, and the limits are inside the type.
TEST(ValueRange, SumsThatAreScaledAndLimited) {
  EXPECT_EQ(bits_of("%4 = const f32[4] [0.5, 0.25, 1, 2]\n"
                    "%5 = CAST(%1) f32[4]\n"
                    "%6 = MUL(%5, %4) f32[4] shift=0\n"
                    "%7 = CLAMP(%6) f32[4] min_val=-100 max_val=155 nan_mode=PROPAGATE\n"
                    "%8 = CAST(%7) i32[4]\n"
                    "%9 = const i32[1] [-28]\n"
                    "%10 = ADD(%8, %9) i32[4]\n"
                    "%11 = CAST(%10) i8[4]\n"
                    "output %11\n"),
            (Bits{0, 8, 8}));
}

TEST(ValueRange, ResultsOutsideOfTheTypeWrap) {
  EXPECT_EQ(bits_of("%4 = CLAMP(%0) i8[4] min_val=-100 max_val=120 nan_mode=PROPAGATE\n"
                    "%5 = CAST(%4) i32[4]\n"
                    "%6 = CAST(%5) i8[4]\n"
                    "%7 = CAST(%5) i16[4]\n"
                    "%8 = CAST(%1) i16[4]\n"
                    "output %6\noutput %7\noutput %8\n"),
            (Bits{7, 7, 7, 0}));
  // 100 + 100 wraps in 8 bits, so that nothing is known of the sum but its type.
  EXPECT_EQ(bits_of("%4 = CLAMP(%0) i8[4] min_val=-100 max_val=100 nan_mode=PROPAGATE\n"
                    "%5 = CAST(%4) i32[4]\n"
                    "%6 = ADD(%5, %5) i32[4]\n"
                    "%7 = CAST(%6) i8[4]\n"
                    "%8 = SUB(%5, %5) i32[4]\n"
                    "%9 = CAST(%8) i16[4]\n"
                    "output %7\noutput %9\n"),
            (Bits{7, 0, 8}));
}

TEST(ValueRange, FloatsThatMayBeNan) {
  // A NaN passes the limits unless it is ignored.
  for (const auto& [mode, bits] : {std::pair("PROPAGATE", 0U), std::pair("IGNORE", 7U)}) {
    EXPECT_EQ(bits_of("%4 = CLAMP(%2) f32[4] min_val=-100 max_val=100 nan_mode=" + std::string(mode) +
                      "\n%5 = CAST(%4) i32[4]\noutput %5\n"),
              Bits{bits})
        << mode;
  }
  // So does a product with an infinite or NaN constant, or one that may be infinite.
  for (const std::string factor : {"inf", "nan", "3e38"}) {
    EXPECT_EQ(bits_of("%4 = const f32[1] [" + factor +
                      "]\n%5 = CAST(%1) f32[4]\n"
                      "%6 = MUL(%5, %4) f32[4] shift=0\n"
                      "%7 = CLAMP(%6) f32[4] min_val=-100 max_val=100 nan_mode=PROPAGATE\n"
                      "%8 = CAST(%7) i32[4]\n"
                      "output %8\n"),
              (Bits{0, 0}))
        << factor;
  }
}

TEST(ValueRange, HalvesAreRoundedBeforeTheyAreCompared) {
  const auto limited = [](std::string_view high) {
    return bits_of(
        formatted("%4 = CAST(%0) f32[4]\n"
                  "%5 = CLAMP(%4) f32[4] min_val=-128.5 max_val={} nan_mode=PROPAGATE\n"
                  "%6 = CAST(%5) i8[4]\n"
                  "output %6\n",
                  high));
  };
  EXPECT_EQ(limited("127.25"), (Bits{0, 8}));
  EXPECT_EQ(bits_of("%4 = CAST(%1) f32[4]\n"
                    "%5 = CLAMP(%4) f32[4] min_val=-128.5 max_val=127.5 nan_mode=PROPAGATE\n"
                    "%6 = CAST(%5) i8[4]\n"
                    "output %6\n"),
            (Bits{0, 0}));
}

}  // namespace
}  // namespace slipway::lower
