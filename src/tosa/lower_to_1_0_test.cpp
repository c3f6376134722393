// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tosa/lower_to_1_0.hpp"

#include <gmock/gmock.h>

#include "tosa/check/verify.hpp"
#include "tosa/testing.hpp"

namespace slipway::tosa {
namespace {

// The graph after the pass, which the verifier accepts.
std::string lowered(const std::string& statements) {
  Graph graph = graph_of("graph main {\n" + statements + "}\n");
  Diagnostics problems;
  verify(graph, problems);
  EXPECT_EQ(messages(problems), "");
  lower_to_1_0(graph);
  verify(graph, problems);
  EXPECT_EQ(messages(problems), "");
  return print(graph);
}

TEST(LowerTo10, ProductWithATransposedMatrix) {
  EXPECT_EQ(lowered("%0 = input i8[2, 4, 8] \"a\"\n%1 = input i8[2, 3, 8] \"b\"\n"
                    "%2 = MATMUL_T(%0, %1) i32[2, 4, 3] A_zp=1 B_zp=-2 \"fc\"\noutput %2\n"),
            R"(graph main {
  %0 = input i8[2, 4, 8] "a"
  %1 = input i8[2, 3, 8] "b"
  %2 = TRANSPOSE(%1) i8[2, 8, 3] perms=[0, 2, 1] "fc"
  %3 = MATMUL(%0, %2) i32[2, 4, 3] A_zp=1 B_zp=-2 "fc"
  output %3
}
)");
}

// One batch of B for all batches of A, types that differ, and a result in bf16.
TEST(LowerTo10, ProductWithAMatrixForAllBatches) {
  EXPECT_EQ(lowered("%0 = input f16[2, 4, 8]\n%1 = input e4m3[1, 3, 8]\n"
                    "%2 = MATMUL_T(%0, %1) bf16[2, 4, 3]\noutput %2\n"),
            R"(graph main {
  %0 = input f16[2, 4, 8]
  %1 = input e4m3[1, 3, 8]
  %2 = CAST(%0) f32[2, 4, 8]
  %3 = CAST(%1) f32[1, 3, 8]
  %4 = TRANSPOSE(%3) f32[1, 8, 3] perms=[0, 2, 1]
  %5 = RESHAPE(%2) f32[1, 8, 8] shape=[1, 8, 8]
  %6 = MATMUL(%5, %4) f32[1, 8, 3] A_zp=0 B_zp=0
  %7 = RESHAPE(%6) f32[2, 4, 3] shape=[2, 4, 3]
  %8 = CAST(%7) bf16[2, 4, 3]
  output %8
}
)");
}

TEST(LowerTo10, ProductOfWideSums) {
  EXPECT_EQ(lowered("%0 = input i16[2, 4, 8]\n%1 = input i16[1, 3, 8]\n"
                    "%2 = MATMUL_T(%0, %1) i48[2, 4, 3]\noutput %2\n"),
            R"(graph main {
  %0 = input i16[2, 4, 8]
  %1 = input i16[1, 3, 8]
  %2 = TRANSPOSE(%1) i16[1, 8, 3] perms=[0, 2, 1]
  %3 = TILE(%2) i16[2, 8, 3] multiples=[2, 1, 1]
  %4 = MATMUL(%0, %3) i48[2, 4, 3] A_zp=0 B_zp=0
  output %4
}
)");
}

TEST(LowerTo10, OpenBatchesStayWhereAReshapeWouldNeedThem) {
  EXPECT_THAT(lowered("%0 = input f32[-1, 4, 8]\n%1 = input f32[1, 3, 8]\n"
                      "%2 = MATMUL_T(%0, %1) f32[-1, 4, 3]\noutput %2\n"),
              ::testing::HasSubstr("MATMUL_T"));
  EXPECT_THAT(lowered("%0 = input f32[-1, 4, 8]\n%1 = input f32[5, 3, 8]\n"
                      "%2 = MATMUL_T(%0, %1) f32[-1, 4, 3]\noutput %2\n"),
              ::testing::HasSubstr("%3 = MATMUL(%0, %2) f32[5, 4, 3]"));
}

TEST(LowerTo10, RowsFromEachIndexOn) {
  EXPECT_EQ(lowered("%0 = input bool[2, 7, 3]\n%1 = input i32[2, 4]\n"
                    "%2 = ROW_GATHER(%0, %1) bool[2, 8, 3] row_count=2\noutput %2\n"),
            R"(graph main {
  %0 = input bool[2, 7, 3]
  %1 = input i32[2, 4]
  %2 = const i32[1, 1, 2] [0, 1]
  %3 = RESHAPE(%1) i32[2, 4, 1] shape=[2, 4, 1]
  %4 = ADD(%3, %2) i32[2, 4, 2]
  %5 = RESHAPE(%4) i32[2, 8] shape=[2, 8]
  %6 = CAST(%0) i8[2, 7, 3]
  %7 = GATHER(%6, %5) i8[2, 8, 3]
  %8 = CAST(%7) bool[2, 8, 3]
  output %8
}
)");
}

TEST(LowerTo10, CastOfUnsignedIntegers) {
  EXPECT_EQ(lowered("%0 = input i8[5]\n%1 = CAST(%0) f32[5] input_unsigned=true\noutput %1\n"),
            R"(graph main {
  %0 = input i8[5]
  %1 = const i32[1] [255]
  %2 = CAST(%0) i32[5]
  %3 = BITWISE_AND(%2, %1) i32[5]
  %4 = CAST(%3) f32[5]
  output %4
}
)");
  EXPECT_EQ(lowered("%0 = input i32[5]\n%1 = CAST(%0) bf16[5] input_unsigned=true\noutput %1\n"),
            R"(graph main {
  %0 = input i32[5]
  %1 = const i32[1] [1]
  %2 = const i32[1] [0]
  %3 = LOGICAL_RIGHT_SHIFT(%0, %1) i32[5]
  %4 = BITWISE_AND(%0, %1) i32[5]
  %5 = BITWISE_OR(%3, %4) i32[5]
  %6 = CAST(%5) bf16[5]
  %7 = ADD(%6, %6) bf16[5]
  %8 = GREATER_EQUAL(%0, %2) bool[5]
  %9 = CAST(%0) bf16[5]
  %10 = SELECT(%8, %9, %7) bf16[5]
  output %10
}
)");
}

}  // namespace
}  // namespace slipway::tosa
