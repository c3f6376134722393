// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/emit/indexing/indexing.hpp"

#include <numeric>
#include <random>

#include "importer/emit/host.hpp"
#include "testing/importer_blocks.hpp"

namespace slipway::importer {
namespace {

// 0, 1, 2, ... in a shape.
Array counted(FileType type, tensor::Shape shape) {
  std::vector<double> numbers(static_cast<std::size_t>(product_of(shape)));
  std::iota(numbers.begin(), numbers.end(), 0);
  return test_array(type, std::move(shape), numbers);
}

// Python's slice of 0 ... extent - 1.
std::vector<double> python_slice(std::int64_t extent, std::int64_t start, std::int64_t end, std::int64_t step) {
  const auto bound = [&](std::int64_t at) {
    if (at < 0) at += extent;
    return step > 0 ? std::clamp<std::int64_t>(at, 0, extent) : std::clamp<std::int64_t>(at, -1, extent - 1);
  };
  std::vector<double> made;
  for (std::int64_t i = bound(start); step > 0 ? i < bound(end) : i > bound(end); i += step)
    made.push_back(static_cast<double>(i));
  return made;
}

TEST(Indexing, SlicesAsPython) {
  std::size_t compared = 0;
  for (std::int64_t start = -8; start <= 8; ++start) {
    for (std::int64_t end = -8; end <= 8; end += 2) {
      for (const std::int64_t step : {-7, -3, -2, -1, 1, 2, 3, 7}) {
        const std::vector<double> wanted = python_slice(6, start, end, step);
        if (wanted.empty()) continue;
        ++compared;
        SCOPED_TRACE(formatted("{}:{}:{}", start, end, step));
        const AxisRange range{.axis = 0, .start = start, .end = end, .step = step};
        expect_both(
            [&](Builder& b, const std::vector<Term>& in) { return slice_ranges(b, in[0], std::span(&range, 1)); },
            {counted(FileType::I32, {6})},
            test_array(FileType::I32, {static_cast<std::int64_t>(wanted.size())}, wanted));
      }
    }
  }
  EXPECT_GT(compared, 300U);
}

TEST(Indexing, SlicesWithExtremeBoundsAndNothing) {
  Builder b;
  const Term x = known_term(counted(FileType::I64, {5}));
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max(),
                         kMin = std::numeric_limits<std::int64_t>::min();
  const AxisRange all{.axis = 0, .start = kMin, .end = kMax, .step = 1};
  EXPECT_EQ(slice_ranges(b, x, std::span(&all, 1)).known->integers(), (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
  const AxisRange back{.axis = 0, .start = kMax, .end = kMin, .step = -1};
  EXPECT_EQ(slice_ranges(b, x, std::span(&back, 1)).known->integers(), (std::vector<std::int64_t>{4, 3, 2, 1, 0}));
  const AxisRange far{.axis = 0, .start = 1, .end = kMax, .step = kMax};
  EXPECT_EQ(slice_ranges(b, x, std::span(&far, 1)).known->integers(), (std::vector<std::int64_t>{1}));
  const AxisRange none{.axis = 0, .start = 3, .end = 3, .step = 1};
  EXPECT_EQ(slice_ranges(b, x, std::span(&none, 1)).shape, tensor::Shape{0});
  const AxisRange wrong{.axis = 0, .start = 0, .end = 1, .step = 0};
  EXPECT_THROW(slice_ranges(b, x, std::span(&wrong, 1)), Refused);
}

TEST(Indexing, TakesListsOfAnyOrder) {
  std::mt19937 random(1);
  for (int round = 0; round < 40; ++round) {
    const std::size_t length = 1 + random() % 12;
    std::vector<std::int64_t> indices(length);
    for (std::int64_t& index : indices) index = static_cast<std::int64_t>(random() % (round % 2 ? 5 : 2));
    if (round % 3 == 0) std::ranges::sort(indices);
    std::vector<double> wanted;
    for (int outer = 0; outer < 2; ++outer) {
      for (const std::int64_t index : indices) wanted.push_back(static_cast<double>(outer * 5 + index));
    }
    expect_both([&](Builder& b, const std::vector<Term>& in) { return take_list(b, in[0], 1, indices); },
                {counted(FileType::F32, {2, 5})},
                test_array(FileType::F32, {2, static_cast<std::int64_t>(length)}, wanted));
  }
  Builder b;
  EXPECT_THROW(take_list(b, known_term(counted(FileType::F32, {3})), 0, std::vector<std::int64_t>{3}), Refused);
}

TEST(Indexing, GathersSlicesOfBatches) {
  // x[b, i, j, :] for b in 2, (i, j) from the list; indices below 0 count from the end.
  const Array x = counted(FileType::F32, {2, 3, 2, 2});
  const Array indices = test_array(FileType::I64, {2, 2, 2}, {0, 1, -1, 0, 2, -1, 1, 1});
  expect_both([](Builder& b, const std::vector<Term>& in) { return gather_nd(b, in[0], in[1], 1); }, {x, indices},
              test_array(FileType::F32, {2, 2, 2}, {2, 3, 8, 9, 22, 23, 18, 19}));
  const Array whole = test_array(FileType::I64, {1, 1}, {1});
  expect_both([](Builder& b, const std::vector<Term>& in) { return gather_nd(b, in[0], in[1], 0); }, {x, whole},
              test_array(FileType::F32, {1, 3, 2, 2}, {12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23}));
  Builder b;
  const Term far = known_term(test_array(FileType::I64, {1, 1}, {2}));
  EXPECT_THROW(gather_nd(b, known_term(x), far, 0), Refused);
}

TEST(Indexing, GathersElements) {
  const Array x = counted(FileType::I8, {3, 3});
  const Array indices = test_array(FileType::I32, {2, 3}, {-1, 0, 1, 2, 0, -2});
  expect_both([](Builder& b, const std::vector<Term>& in) { return gather_elements(b, in[0], 0, in[1]); }, {x, indices},
              test_array(FileType::I8, {2, 3}, {6, 1, 5, 6, 1, 5}));
  expect_both([](Builder& b, const std::vector<Term>& in) { return gather_elements(b, in[0], 1, in[1]); }, {x, indices},
              test_array(FileType::I8, {2, 3}, {2, 0, 1, 5, 3, 4}));
}

TEST(Indexing, MakesOneHot) {
  const Array indices = test_array(FileType::I64, {3}, {2, 0, -1});
  const auto block = [](std::int64_t axis) {
    return [axis](Builder& b, const std::vector<Term>& in) {
      return one_hot(b, in[0], 3, axis, b.number(FileType::F32, 5), b.number(FileType::F32, 1));
    };
  };
  expect_both(block(-1), {indices}, test_array(FileType::F32, {3, 3}, {1, 1, 5, 5, 1, 1, 1, 1, 1}));
  expect_both(block(0), {indices}, test_array(FileType::F32, {3, 3}, {1, 5, 1, 1, 1, 1, 5, 1, 1}));
}

TEST(Indexing, PadsByIndex) {
  const auto padded = [](PadMode mode, std::int64_t before, std::int64_t after) {
    Builder b;
    return pad_by_index(b, known_term(counted(FileType::I64, {4})), {before}, {after}, mode).known->integers();
  };
  using List = std::vector<std::int64_t>;
  EXPECT_EQ(padded(PadMode::Edge, 2, 3), (List{0, 0, 0, 1, 2, 3, 3, 3, 3}));
  EXPECT_EQ(padded(PadMode::Reflect, 5, 4), (List{1, 2, 3, 2, 1, 0, 1, 2, 3, 2, 1, 0, 1}));
  EXPECT_EQ(padded(PadMode::Symmetric, 5, 2), (List{3, 3, 2, 1, 0, 0, 1, 2, 3, 3, 2}));
  EXPECT_EQ(padded(PadMode::Wrap, 1, 6), (List{3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1}));
  EXPECT_EQ(padded(PadMode::Edge, -1, 1), (List{1, 2, 3, 3}));
  expect_both(
      [](Builder& b, const std::vector<Term>& in) { return pad_by_index(b, in[0], {1, 1}, {0, 2}, PadMode::Reflect); },
      {counted(FileType::F32, {2, 3})},
      test_array(FileType::F32, {3, 6}, {4, 3, 4, 5, 4, 3, 1, 0, 1, 2, 1, 0, 4, 3, 4, 5, 4, 3}));
}

TEST(Indexing, MovesDepthToSpaceAndBack) {
  const Array x = counted(FileType::F32, {2, 2, 3, 8});
  expect_both([](Builder& b,
                 const std::vector<Term>& in) { return space_to_depth_last(b, depth_to_space_last(b, in[0], 2), 2); },
              {x}, x);
  expect_both([](Builder& b, const std::vector<Term>& in) { return depth_to_space_last(b, in[0], 2); },
              {counted(FileType::F32, {1, 1, 2, 8})},
              test_array(FileType::F32, {1, 2, 4, 2}, {0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14, 15}));
}

TEST(Indexing, ReversesSequences) {
  const Array x = counted(FileType::F32, {4, 2});
  const Array lengths = test_array(FileType::I64, {2}, {3, 1});
  expect_both([](Builder& b, const std::vector<Term>& in) { return reverse_sequence(b, in[0], in[1], 1, 0); },
              {x, lengths}, test_array(FileType::F32, {4, 2}, {4, 1, 2, 3, 0, 5, 6, 7}));
}

}  // namespace
}  // namespace slipway::importer
