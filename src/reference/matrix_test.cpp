// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The matrix of operators, without a device: its contents, that the interpreter runs it, and that refused
// configurations have a reason.
#include "tosa_cases/matrix/matrix.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "testing/tosa/suite.hpp"

namespace slipway::tosa_cases {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

TEST(Matrix, EveryConfigurationIsACaseOrIsRefused) {
  std::size_t refused = 0, cases = 0;
  std::set<tosa::Op> seen;
  std::map<tosa::Op, std::size_t> refused_of;
  for (std::size_t i = 0; i < matrix().size(); ++i) {
    seen.insert(matrix()[i].op);
    Diagnostics problems;
    if (!case_of(i, Pattern::Random, problems)) {
      ++refused;
      ++refused_of[matrix()[i].op];
      // Padding as large as the window, and strides that do not divide a size.
      ASSERT_TRUE(problems.has_errors());
      EXPECT_THAT(problems.all()[0].message, AnyOf(HasSubstr("do not divide the"), HasSubstr("pad")))
          << matrix()[i].label;
      continue;
    }
    EXPECT_FALSE(problems.has_errors());
    cases += matrix()[i].has_edges ? 3 : 2;
  }
  EXPECT_EQ(matrix().size(), 10291u);
  EXPECT_EQ(refused, 2268u);
  EXPECT_EQ(refused_of[tosa::Op::AVG_POOL2D], 306u);
  EXPECT_EQ(refused_of[tosa::Op::MAX_POOL2D], 432u);
  EXPECT_EQ(refused_of[tosa::Op::CONV2D], 900u);
  EXPECT_EQ(refused_of[tosa::Op::DEPTHWISE_CONV2D], 450u);
  EXPECT_EQ(refused_of[tosa::Op::CONV3D], 126u);
  EXPECT_EQ(refused_of[tosa::Op::TRANSPOSE_CONV2D], 54u);
  EXPECT_EQ(cases, 23973u);
  EXPECT_EQ(seen.size(), 68u);
}

// Results of the interpreter are accepted, and changed results are not.
TEST(Matrix, ADifferenceIsReported) {
  std::size_t seen = 0, exact = 0;
  for (std::size_t i = 0; i < matrix().size(); i += slipway::testing::whole_suite() ? 1 : 7) {
    Diagnostics problems;
    const auto made = case_of(i, Pattern::Random2, problems);
    if (!made) continue;
    std::vector<const Tensor*> operands;
    for (const Tensor& operand : made->operands) operands.push_back(&operand);
    auto results = reference::run_node(made->graph, made->node(), operands);
    ASSERT_TRUE(results);
    ASSERT_EQ(disagreement(*made, results->values), "");
    Tensor& first = results->values[0];
    if (first.is_float()) continue;
    ++exact;
    first.integers.back() ^= 1;
    seen += !disagreement(*made, results->values).empty();
  }
  EXPECT_EQ(seen, exact);
  EXPECT_GT(exact, 300u);
}

}  // namespace
}  // namespace slipway::tosa_cases
