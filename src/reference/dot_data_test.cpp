// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The check of dot products itself: correct sums pass, and kernels with small errors do not.
#include "tosa_cases/dot_data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <functional>

namespace slipway::tosa_cases {
namespace {

TEST(DotData, SequenceIsThatOfTheSpecification) {
  EXPECT_DOUBLE_EQ(set_data(0, 0), 0.8777578473091125);
  EXPECT_DOUBLE_EQ(set_data(0, 1), 0.7302398681640625);
  EXPECT_DOUBLE_EQ(set_data(0, 2), -0.008368758484721184);
  EXPECT_DOUBLE_EQ(set_data(0, 3), 0.8109938502311707);
  EXPECT_DOUBLE_EQ(set_data(1, 0), -0.8998205661773682);
  EXPECT_DOUBLE_EQ(set_data(1, 1), -0.9508640170097351);
  EXPECT_DOUBLE_EQ(set_data(2, 1), 0.28918638825416565);
  EXPECT_DOUBLE_EQ(set_data(5, 0), -0.9880715012550354);
  EXPECT_DOUBLE_EQ(set_data(12, 0), -0.14251069724559784);
  EXPECT_DOUBLE_EQ(set_data(17, 0), 0.2528243660926819);
}

TEST(DotData, SetupsAreThoseOfTheSpecification) {
  const auto setups = dot_setups();
  EXPECT_EQ(setups.size(), 61u + 34u);
  for (const DotSetup& setup : setups) {
    const OperatorCase made = dot_case(setup, 0);
    EXPECT_GE(tensor::element_count(made.graph[made.graph.outputs[0]].type.shape), 1000u) << setup.name;
  }
}

TEST(DotData, ExactResultsPass) {
  const auto setups = dot_setups();
  for (std::size_t i = 0; i < setups.size(); i += 7) {
    for (int set = 0; set < kDotSets; ++set) {
      const OperatorCase made = dot_case(setups[i], set);
      std::vector<const Tensor*> operands;
      for (const Tensor& operand : made.operands) operands.push_back(&operand);
      const auto results = reference::run_node(made.graph, made.node(), operands);
      ASSERT_TRUE(results);
      EXPECT_EQ(dot_failure(made, set, results->values), "");
    }
  }
}

using Accumulate = std::function<double(double sum, double a, double b, std::int64_t k)>;

// Sums in the order of the specification.
Tensor product(const OperatorCase& made, DataType type, const Accumulate& accumulate) {
  const Tensor &a = made.operands[0], &b = made.operands[1];
  Tensor result = Tensor::zeros(made.graph[made.graph.outputs[0]].type);
  const std::int64_t rows = a.extent(1), common = a.extent(2), columns = b.extent(2);
  for (std::int64_t y = 0; y < rows; ++y) {
    for (std::int64_t x = 0; x < columns; ++x) {
      double sum = 0;
      for (std::int64_t k = 0; k < common; ++k)
        sum = accumulate(sum, a.reals[static_cast<std::size_t>(y * common + k)],
                         b.reals[static_cast<std::size_t>(k * columns + x)], k);
      result.reals[static_cast<std::size_t>(y * columns + x)] = reference::round_to(type, sum);
    }
  }
  return result;
}

bool passes_all(std::string_view setup_name, DataType type, const Accumulate& accumulate) {
  const auto setups = dot_setups();
  const auto setup = std::ranges::find(setups, setup_name, &DotSetup::name);
  EXPECT_NE(setup, setups.end());
  for (int set = 0; set < kDotSets; ++set) {
    const OperatorCase made = dot_case(*setup, set);
    if (!dot_failure(made, set, std::array{product(made, type, accumulate)}).empty()) return false;
  }
  return true;
}

double truncated(double value) {  // to the upper half of a 32-bit float
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(static_cast<float>(value)) & 0xffff0000);
}

TEST(DotData, PlainSumsPassAndBrokenOnesDoNot) {
  const auto plain = [](DataType type) {
    return [type](double sum, double a, double b, std::int64_t) {
      return reference::round_to(type, sum + reference::round_to(type, a * b));
    };
  };
  EXPECT_TRUE(passes_all("MATMUL/24/f32 f32 f32", DataType::F32, plain(DataType::F32)));
  EXPECT_TRUE(passes_all("MATMUL/24/f16 f16 f16", DataType::F16, plain(DataType::F16)));
  EXPECT_TRUE(passes_all("MATMUL/24/bf16 bf16 f32", DataType::F32, plain(DataType::F32)));
  EXPECT_TRUE(passes_all("MATMUL/300/e4m3 f16 f16", DataType::F16, plain(DataType::F16)));

  const auto without_one = [](double sum, double a, double b, std::int64_t k) { return k == 7 ? sum : sum + a * b; };
  EXPECT_FALSE(passes_all("MATMUL/24/f32 f32 f32", DataType::F32, without_one));
  EXPECT_FALSE(passes_all("MATMUL/24/f16 f16 f16", DataType::F16, without_one));
  const auto cut = [](double sum, double a, double b, std::int64_t) { return truncated(sum + a * b); };
  EXPECT_FALSE(passes_all("MATMUL/24/bf16 bf16 f32", DataType::F32, cut));
  const auto narrow = [](double sum, double a, double b, std::int64_t) {
    return reference::round_to(DataType::F16, sum + a * b);
  };
  EXPECT_FALSE(passes_all("MATMUL/300/f16 f16 f32", DataType::F32, narrow));
}

}  // namespace
}  // namespace slipway::tosa_cases
