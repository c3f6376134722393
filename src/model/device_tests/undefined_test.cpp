// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operands with unpredictable results: kernels terminate, pass validation, and access no elements of others.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "testing/tosa/kernel_fixture.hpp"
#include "tosa_cases/matrix/tensor_builder.hpp"
#include "tosa_cases/predictable.hpp"

namespace slipway::model {
namespace {

using slipway::tosa_cases::CaseParts;
using slipway::tosa_cases::Pattern;
using slipway::tosa_cases::TensorBuilder;
using tosa::DataType;
using tosa::Op;

class UndefinedTest : public KernelTest {
 protected:
  TensorBuilder make_{1, Pattern::Random};

  Tensor tensor(DataType type, tensor::Shape shape, std::vector<double> values) {
    return make_.filled(type, std::move(shape), [&](std::size_t i) { return values[i % values.size()]; });
  }
  OperatorCase made(Op op, CaseParts parts) {
    Diagnostics problems;
    auto made = slipway::tosa_cases::make_case("", op, std::move(parts), problems);
    EXPECT_TRUE(made) << slipway::tosa_cases::text_of(problems);
    return std::move(*made);
  }
  std::vector<Tensor> results(const OperatorCase& of) {
    EXPECT_FALSE(is_predictable(of));
    Batch batch;
    batch.add(of);
    return run_kernels(batch.graph(), batch.inputs());
  }
};

constexpr double kMin = std::numeric_limits<std::int32_t>::min(), kMax = std::numeric_limits<std::int32_t>::max();

// Each batch has one value of its own, the only permitted value of its results.
TEST_P(UndefinedTest, GatherReadsRowsOfItsOwnBatch) {
  for (const DataType type : {DataType::I8, DataType::I16, DataType::I32, DataType::F32, DataType::F16}) {
    const Tensor values = tensor(type, {3, 2, 2}, {7, 7, 7, 7, 8, 8, 8, 8, 9, 9, 9, 9});
    const Tensor indices = tensor(DataType::I32, {3, 6}, {-1, 2, 1000000, -1000000, kMin, kMax});
    const Tensor result = results(made(Op::GATHER, {{values, indices}, {}, {}}))[0];
    for (std::size_t i = 0; i < result.size(); ++i) {
      const std::size_t row = i / 12;
      const double wanted = 7 + static_cast<double>(row);
      EXPECT_EQ(result.is_float() ? result.reals[i] : static_cast<double>(result.integers[i]), wanted) << i;
    }
  }
}

TEST_P(UndefinedTest, ScatterWritesNoOtherBatch) {
  const Tensor values = tensor(DataType::I32, {3, 4, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  const Tensor indices = tensor(DataType::I32, {3, 4}, {4, -1, kMin, kMax});
  const Tensor rows = tensor(DataType::I32, {3, 4, 1}, {-100});
  const Tensor result = results(made(Op::SCATTER, {{values, indices, rows}, {}, {}}))[0];
  EXPECT_EQ(result.integers, values.integers);
}

TEST_P(UndefinedTest, ScatterToOneRowTwiceGivesOneOfTheTwo) {
  const Tensor values = tensor(DataType::I32, {1, 3, 1}, {1, 2, 3}), indices = tensor(DataType::I32, {1, 2}, {1, 1}),
               rows = tensor(DataType::I32, {1, 2, 1}, {-5, -6});
  const Tensor result = results(made(Op::SCATTER, {{values, indices, rows}, {}, {}}))[0];
  EXPECT_EQ(result.integers[0], 1);
  EXPECT_TRUE(result.integers[1] == -5 || result.integers[1] == -6);
  EXPECT_EQ(result.integers[2], 3);
}

TEST_P(UndefinedTest, ArithmeticOfAnyOperandsEnds) {
  const std::vector<double> extremes = {kMin, kMax, -1, 0, 1, 31, 32, 33, 64, -32};
  const Tensor a = tensor(DataType::I32, {10, 1}, extremes), b = tensor(DataType::I32, {1, 10}, extremes);
  for (const Op op : {Op::INTDIV, Op::ADD, Op::SUB, Op::LOGICAL_LEFT_SHIFT, Op::LOGICAL_RIGHT_SHIFT})
    EXPECT_EQ(results(made(op, {{a, b}, {}, {}}))[0].size(), 100u);
  for (const std::int64_t round : {0, 1})
    EXPECT_EQ(results(made(Op::ARITHMETIC_RIGHT_SHIFT, {{a, b}, {{"round", {round}}}, {}}))[0].size(), 100u);
  for (const std::int64_t shift : {1, 31, 63})
    EXPECT_EQ(results(made(Op::MUL, {{a, b}, {{"shift", {shift}}}, {}}))[0].size(), 100u);
  const Tensor reals = tensor(DataType::F32, {6}, {NAN, -INFINITY, INFINITY, 1e38, -1e38, -0.0});
  for (const DataType to : {DataType::I8, DataType::I16, DataType::I32})
    EXPECT_EQ(results(made(Op::CAST, {{reals}, {}, {to}}))[0].size(), 6u);
  const Tensor base = tensor(DataType::F32, {4}, {-1, 0, NAN, INFINITY}),
               power = tensor(DataType::F32, {4}, {0.5, 0, 1, -INFINITY});
  EXPECT_EQ(results(made(Op::POW, {{base, power}, {}, {}}))[0].size(), 4u);
}

TEST_P(UndefinedTest, RescaleOfAnyShiftEnds) {
  const Tensor values = tensor(DataType::I32, {2, 8}, {kMin, kMax, -1, 0, 1, 77, -77, 100000});
  const Tensor multipliers = tensor(DataType::I32, {8}, {kMin, kMax, -1, 0, 1, 1 << 30, 5, 6});
  const Tensor shifts = tensor(DataType::I8, {8}, {0, 1, 2, 31, 32, 33, 61, 62});
  const Tensor result = results(made(Op::RESCALE, {{values, multipliers, shifts},
                                                   {{"scale32", {1}},
                                                    {"rounding_mode", {3}},
                                                    {"per_channel", {1}},
                                                    {"input_unsigned", {0}},
                                                    {"output_unsigned", {0}},
                                                    {"input_zp", {0}},
                                                    {"output_zp", {-128}}},
                                                   {DataType::I8}}))[0];
  for (const std::int64_t x : result.integers) EXPECT_TRUE(x >= -128 && x <= 127) << x;
}

SLIPWAY_WITH_ALL_KERNELS(UndefinedTest);

}  // namespace
}  // namespace slipway::model
