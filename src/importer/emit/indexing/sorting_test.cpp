// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/emit/indexing/sorting.hpp"

#include <algorithm>
#include <numeric>
#include <random>

#include "testing/importer_blocks.hpp"

namespace slipway::importer {
namespace {

// Values with many ties, so that the order of equal ones counts.
std::vector<double> drawn(std::mt19937& random, std::size_t count) {
  std::vector<double> numbers(count);
  for (double& each : numbers) each = static_cast<double>(random() % 9) - 4;
  return numbers;
}

void expect_top(FileType type, std::size_t lines, std::size_t length, std::size_t count, bool largest,
                std::uint32_t seed) {
  std::mt19937 random(seed);
  const std::vector<double> x = drawn(random, lines * length);
  std::vector<double> values, indices;
  for (std::size_t line = 0; line < lines; ++line) {
    std::vector<std::size_t> order(length);
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
      const double left = x[line * length + a], right = x[line * length + b];
      return largest ? left > right : left < right;
    });
    for (std::size_t k = 0; k < count; ++k) {
      values.push_back(x[line * length + order[k]]);
      indices.push_back(static_cast<double>(order[k]));
    }
  }
  SCOPED_TRACE(formatted("{} of {} x {}, {}", count, lines, length, largest ? "largest" : "smallest"));
  BlockBench bench;
  const auto extent = [](std::size_t of) { return static_cast<std::int64_t>(of); };
  const Term given = bench.given(test_array(type, {extent(lines), extent(length)}, x));
  const Sorted made = top_k(bench.b, given, 1, extent(count), largest);
  expect_array(bench.run(made.values), test_array(type, {extent(lines), extent(count)}, values));
  expect_array(bench.run(made.indices), test_array(FileType::I32, {extent(lines), extent(count)}, indices));
}

TEST(Sorting, FindsTheFirstElements) {
  for (const bool largest : {true, false}) {
    expect_top(FileType::F32, 3, 11, 1, largest, 1);  // one search after the other
    expect_top(FileType::I32, 2, 20, 8, largest, 2);
    expect_top(FileType::I8, 2, 20, 20, largest, 3);  // by rank
    expect_top(FileType::F32, 1, 100, 30, largest, 4);
    expect_top(FileType::F32, 1, 2100, 2100, largest, 5);  // by a network
  }
}

TEST(Sorting, SortsAlongAnyAxisAndOnTheHost) {
  const Array x = test_array(FileType::I64, {3, 2}, {5, 1, 7, 1, 6, 3});
  expect_both([](Builder& b, const std::vector<Term>& in) { return top_k(b, in[0], 0, 2, true).values; }, {x},
              test_array(FileType::I64, {2, 2}, {7, 3, 6, 1}));
  expect_both([](Builder& b, const std::vector<Term>& in) { return top_k(b, in[0], 0, 2, true).indices; }, {x},
              test_array(FileType::I32, {2, 2}, {1, 2, 2, 0}));
  Builder b;
  EXPECT_THROW(top_k(b, known_term(x), 0, 4, true), Refused);
}

TEST(Sorting, FindsExtremes) {
  for (const FileType type : {FileType::F32, FileType::I32, FileType::I8, FileType::U8}) {
    SCOPED_TRACE(name_of(type));
    const Array x = test_array(type, {2, 4}, {1, 3, 3, 1, 2, 0, 0, 2});
    const auto of = [](bool largest, bool last) {
      return [=](Builder& b, const std::vector<Term>& in) { return extreme_index(b, in[0], 1, largest, last); };
    };
    expect_both(of(true, false), {x}, test_array(FileType::I32, {2}, {1, 0}));
    expect_both(of(true, true), {x}, test_array(FileType::I32, {2}, {2, 3}));
    expect_both(of(false, false), {x}, test_array(FileType::I32, {2}, {0, 1}));
    expect_both(of(false, true), {x}, test_array(FileType::I32, {2}, {3, 2}));
  }
}

}  // namespace
}  // namespace slipway::importer
