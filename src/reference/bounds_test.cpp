// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reference/bounds.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "tosa/text.hpp"

namespace slipway::reference {
namespace {

constexpr double kMax = std::numeric_limits<float>::max(), kMin = std::numeric_limits<float>::min(),
                 kInfinity = std::numeric_limits<double>::infinity();

// The bounds of products along dimension 1 of [1, 3, 2], for the factors of the first and the second result.
std::vector<double> product_bounds(const std::array<double, 3>& first, const std::array<double, 3>& second) {
  Diagnostics diagnostics;
  const auto graph = tosa::parse(make_source("products", R"(graph g {
  %0 = input f32[1, 3, 2]
  %1 = REDUCE_PRODUCT(%0) f32[1, 1, 2] axis=1
  output %1
})"),
                                 diagnostics);
  Tensor factors = Tensor::zeros((*graph)[graph->inputs[0]].type);
  for (std::size_t i = 0; i < 3; ++i) factors.reals[2 * i] = first[i], factors.reals[2 * i + 1] = second[i];
  NodeResults results{.values = {Tensor::zeros((*graph)[graph->outputs[0]].type)}, .unrounded = {{0, 0}}};
  results.unrounded[0] = {first[0] * first[1] * first[2], second[0] * second[1] * second[2]};
  const Tensor* const inputs[] = {&factors};
  return (*bounds(*graph, graph->nodes[0], inputs, results))[0];
}

TEST(Bounds, ProductsThatStayInTheRangeInEveryOrder) {
  const std::vector<double> given = product_bounds({2, 3, 4}, {kMin, 8, 1});
  EXPECT_NEAR(given[0], 24 * 3 * 0x1p-24, 1e-10);
  EXPECT_LT(given[1], 1e-40);
}

TEST(Bounds, ProductsThatLeaveTheRangeInOneOrderHaveNoBound) {
  EXPECT_EQ(product_bounds({kMin, kMax, 2.5}, {1, 2, 3})[0], kInfinity);
  EXPECT_EQ(product_bounds({1, 2, 3}, {kMin, 0.5, 8})[1], kInfinity);
  EXPECT_EQ(product_bounds({kMax, 0, 2}, {1, 1, 1})[0], kInfinity);
  EXPECT_NE(product_bounds({kMax, 0, 1}, {1, 1, 1})[0], kInfinity);
  EXPECT_EQ(product_bounds({kInfinity, 2, 3}, {1, 1, 1})[0], 0);
}

}  // namespace
}  // namespace slipway::reference
