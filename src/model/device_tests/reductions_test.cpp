// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions along rows, and softmax, layer norm and others as single kernels, against the interpreter: lengths around
// those where the grid changes, rows whose elements are neighbours and rows that are neighbours themselves, and values
// with other readers.
#include <gtest/gtest.h>

#include <cmath>

#include "base/format.hpp"
#include "testing/device_facts.hpp"
#include "testing/tosa/kernel_fixture.hpp"
#include "testing/tosa/suite.hpp"
#include "tosa_cases/graph_builder.hpp"
#include "tosa_cases/matrix/matrix.hpp"

namespace slipway::model {
namespace {

using slipway::tosa_cases::GraphBuilder;
using slipway::tosa_cases::Pattern;
using slipway::tosa_cases::TensorBuilder;
using slipway::tosa_cases::ValueRange;
using tensor::Shape;
using tosa::DataType;
using tosa::Op;
using tosa::ValueId;

// Builds graphs of reduction fusions along one axis.
class RowGraph {
 public:
  RowGraph(DataType type, Shape shape, std::int64_t axis) : type_(type), shape_(std::move(shape)), axis_(axis) {
    builder.only_comparable = false;
    x = input({-1.25, 1.25});
  }

  ValueId input(ValueRange limits) { return builder.input(make_.random_tensor(type_, shape_, limits)); }
  ValueId number(double value) {
    return builder.constant(make_.filled(type_, Shape(shape_.size(), 1), [&](std::size_t) { return value; }));
  }
  // A value for each index along the axis.
  ValueId along(ValueRange limits) {
    Shape shape(shape_.size(), 1);
    shape[static_cast<std::size_t>(axis_)] = length();
    return builder.constant(make_.random_tensor(type_, shape, limits));
  }
  std::int64_t length() const { return shape_[static_cast<std::size_t>(axis_)]; }

  ValueId add(Op op, std::vector<ValueId> operands) {
    return builder.add(op, std::move(operands), {{"axis", {axis_}}, {"nan_mode", {1}}, {"shift", {0}}}, {});
  }
  ValueId sum(ValueId of) { return add(Op::REDUCE_SUM, {of}); }
  ValueId mul(ValueId a, ValueId b) { return add(Op::MUL, {a, b}); }

  ValueId softmax(ValueId of) {
    const ValueId e = add(Op::EXP, {add(Op::SUB, {of, add(Op::REDUCE_MAX, {of})})});
    return mul(e, add(Op::RECIPROCAL, {sum(e)}));
  }
  ValueId log_softmax(ValueId of) {
    const ValueId below = add(Op::SUB, {of, add(Op::REDUCE_MAX, {of})});
    return add(Op::SUB, {below, add(Op::LOG, {sum(add(Op::EXP, {below}))})});
  }
  ValueId layer_norm(ValueId of) {
    const ValueId part = number(1.0 / static_cast<double>(length()));
    const ValueId centred = add(Op::SUB, {of, mul(sum(of), part)});
    const ValueId variance = mul(sum(mul(centred, centred)), part);
    const ValueId scaled = mul(centred, add(Op::RSQRT, {add(Op::ADD, {variance, number(0.125)})}));
    return add(Op::ADD, {mul(scaled, along({0.5, 1.5})), along({-1, 1})});
  }

  tosa::Graph& graph_with(std::vector<ValueId> outputs) {
    builder.graph.outputs = std::move(outputs);
    return builder.graph;
  }

  GraphBuilder builder;
  ValueId x{};

 private:
  TensorBuilder make_{7, Pattern::Random};
  DataType type_;
  Shape shape_;
  std::int64_t axis_;
};

struct Row {
  Shape shape;
  std::int64_t axis;
};

std::vector<Row> rows() {
  std::vector<Row> all;
  for (const std::int64_t n : {1, 2, 31, 32, 33, 63, 64, 65, 255, 256, 257, 1000, 4097}) {
    all.push_back({{3, n}, 1});
    if (n < 1000) all.push_back({{2, n, 5}, 1});
  }
  const std::vector<Row> others = {{{40}, 0},
                                   {{20000}, 0},
                                   {{70, 3}, 0},
                                   {{1000, 40}, 0},
                                   {{700, 9}, 1},
                                   {{2, 3, 70}, 2},
                                   {{3, 1, 4, 17}, 3},
                                   {{2, 33, 1, 1}, 1},
                                   {{2, 2, 3, 2, 19}, 4},
                                   {{2, 2, 3, 19, 2}, 3},
                                   {{2, 1, 2, 3, 2, 21}, 5},
                                   {{2, 18, 2, 3, 1, 2}, 1}};
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

class ReductionsTest : public KernelTest {
 protected:
  // Kernels against the interpreter. TOSA's bounds for long rows of 16-bit floats are too loose to be useful. Here the
  // bound is some units in the last place of the largest result, plus the accumulated rounding of a row.
  void check(RowGraph& rows, std::vector<ValueId> outputs) {
    const tosa::Graph& graph = rows.graph_with(std::move(outputs));
    const std::vector<Tensor> given = run_kernels(graph, rows.builder.inputs());
    for (std::size_t i = 0; i < given.size(); ++i) {
      const Tensor& wanted = rows.builder.value(graph.outputs[i]);
      EXPECT_EQ(given[i].integers, wanted.integers);
      double largest = 0, difference = 0;
      for (std::size_t e = 0; e < wanted.reals.size(); ++e) {
        largest = std::max(largest, std::fabs(wanted.reals[e]));
        const double off = std::fabs(given[i].reals[e] - wanted.reals[e]);
        difference = off <= difference ? difference : off;  // NaN propagates
      }
      const int bits = wanted.type.data == DataType::F32 ? 24 : wanted.type.data == DataType::F16 ? 11 : 8;
      const double units = 16 + std::sqrt(static_cast<double>(rows.length()));
      EXPECT_LE(difference, std::ldexp(units * largest, -bits)) << "output " << i << " of\n" << tosa::print(graph);
    }
  }

  // The rows that this run tests; another sample for each call.
  std::vector<Row> some_rows() {
    const std::vector<Row> all = rows();
    const std::size_t step = all.size() / amount(all.size(), 3, GetParam() == Kernels::Gpu ? 5 : 2);
    std::vector<Row> taken;
    for (std::size_t i = sample_++ % step; i < all.size(); i += step) taken.push_back(all[i]);
    return taken;
  }

 private:
  std::size_t sample_ = 0;
};

TEST_P(ReductionsTest, Reductions) {
  using enum DataType;
  const std::vector<DataType> numbers = {I8, I16, I32, F32, F16, BF16}, floats = {F32, F16, BF16};
  const std::pair<Op, std::vector<DataType>> reductions[] = {
      {Op::REDUCE_ALL, {Bool}},
      {Op::REDUCE_ANY, {Bool}},
      {Op::REDUCE_MAX, numbers},
      {Op::REDUCE_MIN, numbers},
      {Op::REDUCE_PRODUCT, floats},
      {Op::REDUCE_SUM, {I32, F32, F16, BF16}},
      {Op::ARGMAX, {I8, I16, F32, F16, BF16, F8E4M3, F8E5M2}},
  };
  std::size_t taken = 0;
  for (const auto& [op, types] : reductions) {
    for (const DataType type : types) {
      for (const Row& row : some_rows()) {
        for (const Pattern pattern : {Pattern::Edge, Pattern::Random}) {
          for (const std::int64_t nan_mode : {1, 2}) {
            // Sums and products of large values overflow.
            const bool mixes = op == Op::REDUCE_SUM || op == Op::REDUCE_PRODUCT;
            if ((nan_mode == 2 && (mixes || !tosa::is_float(type))) || (mixes && pattern == Pattern::Edge)) continue;
            const auto limits = op == Op::REDUCE_PRODUCT ? std::optional(ValueRange{0.97, 1.03})
                                : mixes                  ? std::optional(ValueRange{-1e4, 1e4})
                                                         : std::nullopt;
            TensorBuilder make(++taken, pattern);
            Diagnostics problems;
            auto made = slipway::tosa_cases::make_case(
                formatted("{}/{}/{} {}", tosa::name_of(op), tosa::name_of(type), tensor::shape_text(row.shape),
                          row.axis),
                op, {{make.tensor(type, row.shape, limits)}, {{"axis", {row.axis}}, {"nan_mode", {nan_mode}}}, {}},
                problems);
            ASSERT_TRUE(made) << slipway::tosa_cases::text_of(problems);
            KernelTest::check(std::move(*made));
          }
        }
      }
    }
  }
  finish();
  EXPECT_GT(checked(), 50u);
}

TEST_P(ReductionsTest, Fusions) {
  for (const DataType type : {DataType::F32, DataType::F16, DataType::BF16}) {
    for (const Row& row : some_rows()) {
      SCOPED_TRACE(formatted("{} {} {}", tosa::name_of(type), tensor::shape_text(row.shape), row.axis));
      // Sums of that many elements overflow 16-bit floats.
      if (row.shape[static_cast<std::size_t>(row.axis)] > 10000 && type != DataType::F32) continue;
      RowGraph rows(type, row.shape, row.axis);
      check(rows, {rows.softmax(rows.x), rows.log_softmax(rows.x), rows.layer_norm(rows.x)});
    }
  }
}

// A value with other readers must be stored, whatever they are.
TEST_P(ReductionsTest, ValuesWithOtherReaders) {
  for (const Row& row : some_rows()) {
    SCOPED_TRACE(formatted("{} {}", tensor::shape_text(row.shape), row.axis));
    RowGraph rows(DataType::F32, row.shape, row.axis);
    const ValueId top = rows.add(Op::REDUCE_MAX, {rows.x}), below = rows.add(Op::SUB, {rows.x, top}),
                  e = rows.add(Op::EXP, {below}), total = rows.sum(e),
                  result = rows.mul(e, rows.add(Op::RECIPROCAL, {total}));
    // Another reduction, an output inside, a reader that is not a pointwise operator, and one with other rows.
    const ValueId least = rows.add(Op::REDUCE_MIN, {below});
    const ValueId reversed = rows.builder.add(Op::REVERSE, {e}, {{"axis", {row.axis}}});
    const ValueId first = rows.builder.add(Op::REDUCE_SUM, {e}, {{"axis", {(row.axis + 1) % std::ssize(row.shape)}}});
    check(rows, {result, below, total, least, reversed, first});
    check(rows, {result, result, least});
    check(rows, {result, reversed});
    check(rows, {rows.add(Op::ADD, {result, rows.add(Op::ABS, {reversed})})});
  }
}

// Several fusions in sequence, with other operators before, between and after them.
TEST_P(ReductionsTest, SeveralInARow) {
  for (const Row& row : some_rows()) {
    SCOPED_TRACE(formatted("{} {}", tensor::shape_text(row.shape), row.axis));
    RowGraph rows(DataType::F32, row.shape, row.axis);
    const ValueId y = rows.input({-1, 1});
    const ValueId gated = rows.mul(rows.add(Op::SIGMOID, {rows.mul(rows.x, y)}), y);
    const ValueId twice = rows.softmax(rows.add(Op::TANH, {rows.softmax(gated)}));
    check(rows, {rows.add(Op::ADD, {twice, rows.x})});
    const ValueId best = rows.builder.add(Op::ARGMAX, {rows.x}, {{"axis", {row.axis}}, {"nan_mode", {1}}});
    check(rows, {rows.builder.add(Op::CAST, {best}, {}, {DataType::I8})});
  }
}

SLIPWAY_WITH_ALL_KERNELS(ReductionsTest);

TEST(Reductions, SoftmaxAndLayerNormAreOneKernel) {
  for (const Row& row : rows()) {
    if (row.shape[static_cast<std::size_t>(row.axis)] == 1) continue;
    SCOPED_TRACE(formatted("{} {}", tensor::shape_text(row.shape), row.axis));
    for (const auto program : {&RowGraph::softmax, &RowGraph::log_softmax, &RowGraph::layer_norm}) {
      RowGraph rows(DataType::F32, row.shape, row.axis);
      const ValueId result = (rows.*program)(rows.x);
      const auto made = lower::lower_graph(rows.graph_with({result}), {.device = slipway::testing::gpu_facts()});
      ASSERT_TRUE(made);
      EXPECT_EQ(made->dispatches.size(), 1u);
    }
  }
}

// Also on CPUs, if a row fills a vector and slow operators are computed once.
TEST(Reductions, CpusStoreResultsOfSlowOperators) {
  const auto dispatches = [&](ValueId (RowGraph::*program)(ValueId), std::int64_t length) {
    RowGraph rows(DataType::F32, {3, length}, 1);
    const ValueId result = (rows.*program)(rows.x);
    return lower::lower_graph(rows.graph_with({result}), {.device = slipway::testing::cpu_facts()})
        .value()
        .dispatches.size();
  };
  EXPECT_EQ(dispatches(&RowGraph::softmax, 128), 1u);
  EXPECT_EQ(dispatches(&RowGraph::softmax, 1000), 2u);
  EXPECT_EQ(dispatches(&RowGraph::log_softmax, 1000), 1u);
  EXPECT_EQ(dispatches(&RowGraph::layer_norm, 1000), 1u);
  EXPECT_GT(dispatches(&RowGraph::layer_norm, 7), 1u);
}

// A value with other readers ends a fusion.
TEST(Reductions, FusionsEndAtValuesWithOtherReaders) {
  RowGraph rows(DataType::F32, {4, 64}, 1);
  const ValueId top = rows.add(Op::REDUCE_MAX, {rows.x}), e = rows.add(Op::EXP, {rows.add(Op::SUB, {rows.x, top})}),
                result = rows.mul(e, rows.add(Op::RECIPROCAL, {rows.sum(e)}));
  const auto kernels = [&](std::vector<ValueId> outputs) {
    std::vector<std::string> names;
    const auto made =
        lower::lower_graph(rows.graph_with(std::move(outputs)), {.device = slipway::testing::gpu_facts()});
    for (const lower::ProgramKernel& kernel : made.value().kernels) names.push_back(kernel.name);
    return names;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(kernels({result}), Names{"REDUCE_MAX+SUB+EXP+REDUCE_SUM+RECIPROCAL+MUL"});
  EXPECT_EQ(kernels({result, e}), (Names{"REDUCE_MAX+SUB+EXP", "REDUCE_SUM+RECIPROCAL+MUL"}));
  EXPECT_EQ(kernels({result, top}), (Names{"REDUCE_MAX", "SUB+EXP+REDUCE_SUM+RECIPROCAL+MUL"}));
  EXPECT_EQ(kernels({result, rows.builder.add(Op::REVERSE, {e}, {{"axis", {1}}})}),
            (Names{"REDUCE_MAX+SUB+EXP", "REDUCE_SUM+RECIPROCAL+MUL", "REVERSE"}));
}

}  // namespace
}  // namespace slipway::model
