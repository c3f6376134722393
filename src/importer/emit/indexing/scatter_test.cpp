// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/emit/indexing/scatter.hpp"

#include <cmath>
#include <random>

#include "testing/importer_blocks.hpp"

namespace slipway::importer {
namespace {

double combine(Combine how, double a, double b) {
  switch (how) {
    case Combine::Replace:
      return b;
    case Combine::Add:
      return a + b;
    case Combine::Mul:
      return a * b;
    case Combine::Max:
      return std::max(a, b);
    case Combine::Min:
      return std::min(a, b);
  }
  std::unreachable();
}

constexpr Combine kAll[] = {Combine::Replace, Combine::Add, Combine::Mul, Combine::Max, Combine::Min};

// Every row may be written several times; the last one wins, or all are combined in order. Numbers are small integers,
// so that sums of floats are exact in any order.
TEST(Scatter, CombinesRowsThatMeet) {
  std::mt19937 random(7);
  for (int round = 0; round < 60; ++round) {
    const Combine how = kAll[round % 5];
    const FileType type =
        std::to_array({FileType::F32, FileType::I32, FileType::I8, FileType::I64, FileType::U8})[random() % 5];
    const auto draw = [&] { return static_cast<double>(random() % 3 + (how == Combine::Mul ? 1 : 0)); };
    const std::size_t rows = 1 + random() % 5, count = 1 + random() % 6;
    std::vector<double> x(rows * 2), indices(count), updates(count * 2);
    for (double& each : x) each = draw();
    for (double& each : updates) each = draw();
    for (double& each : indices) each = static_cast<double>(random() % rows);
    std::vector<double> wanted = x;
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t c = 0; c < 2; ++c) {
        double& at = wanted[static_cast<std::size_t>(indices[i]) * 2 + c];
        at = combine(how, at, updates[2 * i + c]);
      }
    }
    SCOPED_TRACE(formatted("{} of {}", static_cast<int>(how), name_of(type)));
    const auto length = static_cast<std::int64_t>(count), extent = static_cast<std::int64_t>(rows);
    const Block block = [&](Builder& b, const std::vector<Term>& in) {
      return scatter_nd(b, in[0], in[1], in[2], how);
    };
    const std::vector<Array> operands{test_array(type, {extent, 2}, x), test_array(FileType::I64, {length, 1}, indices),
                                      test_array(type, {length, 2}, updates)};
    expect_both(block, operands, test_array(type, {extent, 2}, wanted));
    expect_both(block, operands, test_array(type, {extent, 2}, wanted), {false, true, false});
  }
}

TEST(Scatter, WritesElementsOfLines) {
  const Array x = test_array(FileType::F32, {3, 3}, {0, 1, 2, 3, 4, 5, 6, 7, 8});
  const Array indices = test_array(FileType::I64, {2, 3}, {-1, 0, 0, -1, 2, 1});
  const Array updates = test_array(FileType::F32, {2, 3}, {10, 11, 12, 13, 14, 15});
  expect_both([](Builder& b,
                 const std::vector<Term>& in) { return scatter_elements(b, in[0], 0, in[1], in[2], Combine::Replace); },
              {x, indices, updates}, test_array(FileType::F32, {3, 3}, {0, 11, 12, 3, 4, 15, 13, 14, 8}));
  expect_both(
      [](Builder& b, const std::vector<Term>& in) { return scatter_elements(b, in[0], 1, in[1], in[2], Combine::Add); },
      {x, indices, updates}, test_array(FileType::F32, {3, 3}, {23, 1, 12, 3, 19, 32, 6, 7, 8}));
}

TEST(Scatter, SumsManyDuplicatesByMatrices) {
  constexpr std::size_t kCount = 1500;
  std::vector<double> indices(kCount), updates(kCount), wanted(7, 0);
  for (std::size_t i = 0; i < kCount; ++i) {
    indices[i] = static_cast<double>(i * i % 7);
    updates[i] = static_cast<double>(i % 5);
    wanted[i * i % 7] += updates[i];
  }
  BlockBench bench;
  const Term x = bench.given(test_array(FileType::F32, {7}, std::vector<double>(7, 0)));
  const Term at = bench.given(test_array(FileType::I32, {kCount, 1}, indices));
  const Term values = bench.given(test_array(FileType::F32, {kCount}, updates));
  expect_array(bench.run(scatter_nd(bench.b, x, at, values, Combine::Add)), test_array(FileType::F32, {7}, wanted));
}

TEST(Scatter, RefusesWhatDoesNotFit) {
  Builder b;
  const Term x = known_term(test_array(FileType::F32, {3}, {0, 1, 2}));
  const Term far = known_term(test_array(FileType::I64, {1, 1}, {3}));
  const Term one = known_term(test_array(FileType::F32, {1}, {9}));
  EXPECT_THROW(scatter_nd(b, x, far, one, Combine::Replace), Refused);
  const Term two = known_term(test_array(FileType::F32, {2}, {9, 9}));
  EXPECT_THROW(scatter_nd(b, x, known_term(test_array(FileType::I64, {1, 1}, {0})), two, Combine::Replace), Refused);
}

TEST(Scatter, ReducesSegments) {
  const Array x = test_array(FileType::F32, {5, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  const Array ids = test_array(FileType::I32, {5}, {2, 0, 2, -1, 0});
  const auto of = [](Reduction op) {
    return [op](Builder& b, const std::vector<Term>& in) { return reduce_segments(b, op, in[0], in[1], 4); };
  };
  expect_both(of(Reduction::Sum), {x, ids}, test_array(FileType::F32, {4, 2}, {12, 14, 0, 0, 6, 8, 0, 0}));
  expect_both(of(Reduction::Product), {x, ids}, test_array(FileType::F32, {4, 2}, {27, 40, 1, 1, 5, 12, 1, 1}));
  expect_both(of(Reduction::Max), {x, ids},
              test_array(FileType::F32, {4, 2}, {9, 10, -HUGE_VAL, -HUGE_VAL, 5, 6, -HUGE_VAL, -HUGE_VAL}));
}

}  // namespace
}  // namespace slipway::importer
