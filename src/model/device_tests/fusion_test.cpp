// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fused kernels against the interpreter: values that are read several times on the way to one result, and values with
// other readers.
#include <gtest/gtest.h>

#include <array>

#include "base/format.hpp"
#include "testing/device_facts.hpp"
#include "testing/tosa/kernel_fixture.hpp"
#include "tosa_cases/graph_builder.hpp"
#include "tosa_cases/matrix/tensor_builder.hpp"

namespace slipway::model {
namespace {

using slipway::tosa_cases::GraphBuilder;
using slipway::tosa_cases::Pattern;
using slipway::tosa_cases::TensorBuilder;
using slipway::tosa_cases::ValueRange;
using tosa::DataType;
using tosa::Op;
using tosa::ValueId;

// An image, or rows of a matrix product, with pointwise operators after it.
class Chain {
 public:
  Chain() { builder.only_comparable = false; }

  ValueId image() { return builder.input(make_.random_tensor(DataType::F32, {1, 6, 9, 8}, ValueRange{-1, 1})); }
  ValueId conv(ValueId of) { return window(Op::CONV2D, of, {8, 3, 3, 8}); }
  ValueId filter(ValueId of) { return window(Op::DEPTHWISE_CONV2D, of, {3, 3, 8, 1}); }
  ValueId product(std::int64_t batch = 1, std::int64_t rows = 20) {
    const ValueId a = builder.input(make_.random_tensor(DataType::F32, {batch, rows, 16}, ValueRange{-1, 1}));
    return builder.add(Op::MATMUL, {a, constant({batch, 16, 24})}, {{"A_zp", {0}}, {"B_zp", {0}}});
  }
  ValueId reshaped(ValueId value, tensor::Shape shape) {
    return builder.add(Op::RESHAPE, {value}, {{"shape", {shape.begin(), shape.end()}}});
  }
  reference::Tensor random(tensor::Shape shape) {
    return make_.random_tensor(DataType::F32, std::move(shape), ValueRange{-1, 1});
  }
  ValueId constant(tensor::Shape shape) { return builder.constant(random(std::move(shape))); }
  ValueId number(double value, std::size_t rank) {
    return builder.constant(make_.filled(DataType::F32, tensor::Shape(rank, 1), [&](std::size_t) { return value; }));
  }
  ValueId add(Op op, std::vector<ValueId> operands) { return builder.add(op, std::move(operands), {{"shift", {0}}}); }
  ValueId swish(ValueId x) { return add(Op::MUL, {x, add(Op::SIGMOID, {x})}); }
  ValueId gelu(ValueId x) {
    const std::size_t rank = builder.type(x).shape.size();
    const ValueId e = add(Op::ERF, {add(Op::MUL, {x, number(0.7071, rank)})});
    return add(Op::MUL, {add(Op::MUL, {x, number(0.5, rank)}), add(Op::ADD, {e, number(1, rank)})});
  }

  GraphBuilder builder;

 private:
  ValueId window(Op op, ValueId of, tensor::Shape weights) {
    return builder.add(op, {of, constant(std::move(weights)), constant({8})},
                       {{"pad", {1, 1, 1, 1}},
                        {"stride", {1, 1}},
                        {"dilation", {1, 1}},
                        {"acc_type", {static_cast<std::int64_t>(tosa::AccType::Fp32)}},
                        {"local_bound", {0}},
                        {"input_zp", {0}},
                        {"weight_zp", {0}}});
  }

  TensorBuilder make_{3, Pattern::Random};
};

class FusionTest : public KernelTest {
 protected:
  void check(Chain& chain, std::vector<ValueId> outputs) {
    chain.builder.graph.outputs = std::move(outputs);
    const std::vector<Tensor> given = run_kernels(chain.builder.graph, chain.builder.inputs());
    EXPECT_EQ(chain.builder.disagreement(given, chain.builder.graph.outputs), "");
  }
};

TEST_P(FusionTest, ValuesThatOneKernelReadsSeveralTimes) {
  Chain after;
  const ValueId x = after.conv(after.image()), product = after.product();
  check(after, {after.swish(x), after.gelu(product)});
  // Nested, and a square.
  const ValueId twice = after.swish(after.swish(product));
  check(after, {after.add(Op::MUL, {twice, twice})});
  // After a window that reads it at other positions, and before one.
  check(after, {after.swish(after.filter(after.swish(x)))});
}

TEST_P(FusionTest, ValuesWithOtherReaders) {
  Chain chain;
  const ValueId x = chain.conv(chain.image()), s = chain.add(Op::SIGMOID, {x}), y = chain.add(Op::MUL, {x, s});
  check(chain, {y, x});
  check(chain, {y, s});
  check(chain, {y, chain.builder.add(Op::REVERSE, {x}, {{"axis", {2}}})});
  check(chain, {y, chain.add(Op::TANH, {x})});
  check(chain, {chain.builder.add(Op::REDUCE_SUM, {y}, {{"axis", {1}}})});
}

// 16-bit floats and bytes, with cooperative matrices, in one part and in several. Whole numbers are exact.
TEST_P(FusionTest, ProductsThatAreReadSeveralTimes) {
  for (const auto& [rows, depth, columns] : {std::array{37, 40, 24}, {40, 512, 24}}) {
    for (const DataType type : {DataType::F16, DataType::I8}) {
      SCOPED_TRACE(formatted("{}x{}x{} {}", rows, depth, columns, tosa::name_of(type)));
      Chain chain;
      const auto numbers = [&](tensor::Shape shape) {
        return chain.builder.input(TensorBuilder(5, Pattern::Random).filled(type, std::move(shape), [](std::size_t i) {
          return static_cast<double>(i * 7 % 3) - 1;
        }));
      };
      const ValueId product = chain.builder.add(Op::MATMUL, {numbers({1, rows, depth}), numbers({1, depth, columns})},
                                                {{"A_zp", {0}}, {"B_zp", {0}}});
      const ValueId wide = type == DataType::I8 ? chain.builder.add(Op::CAST, {product}, {}, {DataType::F32}) : product;
      tosa::Attributes limits = {{"nan_mode", {1}}};
      limits.set_real("min_val", 0);
      limits.set_real("max_val", 6);
      check(chain, {chain.add(Op::MUL, {wide, chain.builder.add(Op::CLAMP, {wide}, limits)})});
    }
  }
}

// What follows a RESHAPE that keeps the channels joins the product before it.
TEST_P(FusionTest, ReshapedResultsOfProducts) {
  for (const std::int64_t batch : {1, 3}) {
    SCOPED_TRACE(batch);
    const std::int64_t rows = batch == 1 ? 60 : 20;
    Chain chain;
    const ValueId product = chain.product(batch, rows);
    const ValueId apart = chain.reshaped(product, {5, 12, 24}), four = chain.reshaped(product, {5, 3, 4, 24});
    const ValueId flat = chain.reshaped(product, {60, 24});
    check(chain, {chain.gelu(chain.add(Op::ADD, {apart, chain.constant({1, 1, 24})}))});
    check(chain, {chain.add(Op::ADD, {flat, chain.constant({60, 24})})});
    // Operands by row, by batch element, and of other dimensions.
    check(chain, {chain.add(Op::ADD, {four, chain.constant({1, 3, 1, 24})})});
    check(chain, {chain.add(Op::MUL, {apart, chain.constant({5, 1, 1})})});
    const ValueId residual = chain.builder.input(chain.random({60, 24}));
    check(chain, {chain.add(Op::ADD, {apart, chain.reshaped(residual, {5, 12, 24})})});
    // Operators on both sides of the RESHAPE.
    const ValueId biased = chain.add(Op::ADD, {product, chain.constant({1, rows, 24})});
    check(chain, {chain.swish(chain.add(Op::SUB, {chain.reshaped(biased, {5, 12, 24}), chain.constant({5, 12, 1})}))});
  }
  Chain chain;
  const ValueId x = chain.conv(chain.image());
  check(chain, {chain.add(Op::ADD, {chain.reshaped(x, {1, 54, 8}), chain.constant({1, 54, 1})})});
  check(chain, {chain.swish(chain.reshaped(x, {3, 2, 9, 8}))});
  // Two products meet after their RESHAPEs; and one is an output.
  const ValueId a = chain.reshaped(chain.product(), {4, 5, 24}), b = chain.reshaped(chain.product(), {4, 5, 24});
  check(chain, {chain.add(Op::MUL, {chain.swish(a), b})});
  const ValueId c = chain.reshaped(chain.product(), {2, 10, 24});
  check(chain, {c, chain.add(Op::TANH, {c})});
}

// A kernel has one window operator: the result of the other one is stored.
TEST_P(FusionTest, TwoConvolutionsOnTheWayToOneResult) {
  Chain chain;
  const ValueId image = chain.image(), a = chain.conv(image), b = chain.conv(image);
  const ValueId sum = chain.add(Op::ADD, {a, b});
  check(chain, {chain.add(Op::MUL, {sum, chain.add(Op::SIGMOID, {a})})});
  check(chain, {chain.add(Op::MUL, {chain.swish(a), chain.swish(b)})});
}

SLIPWAY_WITH_ALL_KERNELS(FusionTest);

std::vector<std::string> kernels(Chain& chain, std::vector<ValueId> outputs, const lower::DeviceFacts& device) {
  chain.builder.graph.outputs = std::move(outputs);
  std::vector<std::string> names;
  const auto program = lower::lower_graph(chain.builder.graph, {.device = device});
  for (const lower::ProgramKernel& kernel : program.value().kernels) names.push_back(kernel.name);
  return names;
}

TEST(Fusion, ValuesThatOneKernelReadsAreNotStored) {
  using Names = std::vector<std::string>;
  const lower::DeviceFacts plain, gpu = slipway::testing::gpu_facts();
  Chain chain;
  const ValueId x = chain.product(), gelu = chain.gelu(x);
  for (const lower::DeviceFacts& device : {plain, gpu})
    EXPECT_EQ(kernels(chain, {gelu}, device), Names{"MATMUL+MUL+ERF+MUL+ADD+MUL"});
  const ValueId other = chain.add(Op::ABS, {x});
  EXPECT_EQ(kernels(chain, {gelu, other}, gpu), (Names{"MATMUL", "MUL+ERF+MUL+ADD+MUL", "ABS"}));
  Chain rows;
  const ValueId y = rows.add(Op::ADD, {rows.reshaped(rows.product(), {4, 5, 24}), rows.constant({1, 1, 24})});
  const ValueId residual = rows.reshaped(rows.builder.input(rows.random({20, 24})), {4, 5, 24});
  EXPECT_EQ(kernels(rows, {rows.add(Op::ADD, {y, residual})}, gpu), Names{"MATMUL+RESHAPE+ADD+RESHAPE+ADD"});
  Chain two;
  const ValueId a = two.product(), b = two.product(), both = two.add(Op::MUL, {two.swish(a), two.swish(b)});
  EXPECT_EQ(kernels(two, {both}, gpu), (Names{"MATMUL", "MATMUL+SIGMOID+MUL+SIGMOID+MUL+MUL"}));
}

}  // namespace
}  // namespace slipway::model
