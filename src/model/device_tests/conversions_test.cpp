// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CAST and RESCALE where the result depends on the last bit of a wide value, and shifts that other programs accept.
#include <gtest/gtest.h>

#include <cmath>

#include "reference/run.hpp"
#include "testing/tosa/kernel_fixture.hpp"

namespace slipway::model {
namespace {

using slipway::tosa_cases::CaseParts;
using tosa::DataType;
using tosa::Op;

class ConversionsTest : public KernelTest {
 protected:
  static Tensor integers(DataType type, std::vector<std::int64_t> values) {
    Tensor made = Tensor::zeros({type, {std::ssize(values)}});
    made.integers = std::move(values);
    return made;
  }
  static OperatorCase made(Op op, CaseParts parts) {
    Diagnostics problems;
    auto made = slipway::tosa_cases::make_case("", op, std::move(parts), problems);
    EXPECT_TRUE(made) << slipway::tosa_cases::text_of(problems);
    return std::move(*made);
  }
  // Of the kernels. The interpreter has the same.
  Tensor result(const OperatorCase& of) {
    Batch batch;
    batch.add(of);
    Tensor made = run_kernels(batch.graph(), batch.inputs())[0];
    std::vector<const Tensor*> operands;
    for (const Tensor& operand : of.operands) operands.push_back(&operand);
    const auto reference = reference::run_node(of.graph, of.node(), operands);
    EXPECT_EQ(made.integers, reference->values[0].integers);
    EXPECT_EQ(made.reals, reference->values[0].reals);
    return made;
  }
};

TEST_P(ConversionsTest, ShiftsOfZeroAndOne) {
  const tosa::Attributes attributes = {{"scale32", {1}},        {"rounding_mode", {1}},   {"per_channel", {1}},
                                       {"input_unsigned", {0}}, {"output_unsigned", {0}}, {"input_zp", {0}},
                                       {"output_zp", {0}}};
  const auto rescaled = [&](std::int64_t shift) {
    const std::vector<std::int64_t> values = {-3, -1, 0, 1, 7, 30};
    return result(made(Op::RESCALE, {{integers(DataType::I8, values),
                                      integers(DataType::I32, std::vector<std::int64_t>(values.size(), 5)),
                                      integers(DataType::I8, std::vector<std::int64_t>(values.size(), shift))},
                                     attributes,
                                     {DataType::I8}}))
        .integers;
  };
  EXPECT_EQ(rescaled(0), (std::vector<std::int64_t>{-15, -5, 0, 5, 35, 127}));
  EXPECT_EQ(rescaled(1), (std::vector<std::int64_t>{-7, -2, 0, 3, 18, 75}));
}

// Near a tie of bf16, where a 32-bit float is the tie.
TEST_P(ConversionsTest, IntegersRoundOnce) {
  const std::vector<std::int64_t> values = {0x1010001,  -0x1010001, 0x100ffff, 0x1010000, 0x1030000,
                                            0x7fffffff, 5,          INT32_MIN, -1,        0x7f800001};
  const Tensor wide = integers(DataType::I32, values);
  EXPECT_EQ(result(made(Op::CAST, {{wide}, {}, {DataType::BF16}})).reals,
            (std::vector<double>{0x1.02p24, -0x1.02p24, 0x1p24, 0x1p24, 0x1.04p24, 0x1p31, 5, -0x1p31, -1, 0x1.fep30}));
  for (const DataType to : {DataType::BF16, DataType::F16, DataType::F32}) {
    const Tensor real = result(made(Op::CAST, {{wide}, {{"input_unsigned", {1}}}, {to}}));
    EXPECT_EQ(real.reals[6], 5);
    EXPECT_EQ(real.reals[7], to == DataType::F16 ? HUGE_VAL : 0x1p31);
    EXPECT_EQ(real.reals[8], to == DataType::F16 ? HUGE_VAL : 0x1p32);
  }
  const Tensor bytes = integers(DataType::I8, {-128, -1, 0, 127}), words = integers(DataType::I16, {-32768, -1, 7, 9});
  EXPECT_EQ(result(made(Op::CAST, {{bytes}, {{"input_unsigned", {1}}}, {DataType::F32}})).reals,
            (std::vector<double>{128, 255, 0, 127}));
  EXPECT_EQ(result(made(Op::CAST, {{words}, {{"input_unsigned", {1}}}, {DataType::I32}})).integers,
            (std::vector<std::int64_t>{32768, 65535, 7, 9}));
}

SLIPWAY_WITH_ALL_KERNELS(ConversionsTest);

}  // namespace
}  // namespace slipway::model
