// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/emit/network/resize.hpp"

#include "importer/emit/network/sampling.hpp"
#include "testing/importer_blocks.hpp"

namespace slipway::importer {
namespace {

std::vector<double> half_pixel(std::int64_t from, std::int64_t to) {
  std::vector<double> positions;
  for (std::int64_t o = 0; o < to; ++o)
    positions.push_back((static_cast<double>(o) + 0.5) * static_cast<double>(from) / static_cast<double>(to) - 0.5);
  return positions;
}

TEST(Resize, IsTheSameByTheOperatorAndByTaps) {
  std::size_t by_operator = 0;
  for (const auto& [from, to] :
       {std::pair<std::int64_t, std::int64_t>{4, 8}, {8, 4}, {5, 7}, {3, 12}, {6, 1}, {1, 4}}) {
    const std::vector<std::vector<double>> positions{half_pixel(from, to), half_pixel(4, 8)};
    const std::vector<std::int64_t> extents{from, 4};
    const auto form = linear_form(extents, positions);
    ASSERT_TRUE(form) << from << " to " << to;
    ++by_operator;
    std::vector<double> numbers(static_cast<std::size_t>(from * 4));
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i * i % 17);
    BlockBench bench;
    const Term x = bench.given(test_array(FileType::F32, {1, from, 4, 1}, numbers));
    const Array direct = bench.run(resize(bench.b, x, *form));
    Term sampled = resample(bench.b, x, linear_samples(1, from, positions[0]));
    sampled = resample(bench.b, sampled, linear_samples(2, 4, positions[1]));
    const Array matrix = bench.run(resample_by_matrix(
        bench.b, resample(bench.b, x, linear_samples(1, from, positions[0])), linear_samples(2, 4, positions[1])));
    const Array taps = bench.run(sampled);
    ASSERT_EQ(direct.shape, taps.shape);
    for (std::size_t i = 0; i < direct.count(); ++i) {
      EXPECT_NEAR(direct.real(i), taps.real(i), 1e-5) << i;
      EXPECT_NEAR(matrix.real(i), taps.real(i), 1e-5) << i;
    }
  }
  EXPECT_EQ(by_operator, 6U);
}

TEST(Resize, RepeatsElements) {
  const auto block = [](Builder& b, const std::vector<Term>& in) {
    const std::vector<std::int64_t> indices{0, 0, 1, 1, 2, 2};
    return resample(b, in[0], nearest_samples(0, 3, indices));
  };
  expect_both(block, {test_array(FileType::U8, {3, 1}, {1, 2, 200})},
              test_array(FileType::U8, {6, 1}, {1, 1, 2, 2, 200, 200}));
}

TEST(Resize, ClampsToTheEdge) {
  const Samples samples = linear_samples(0, 3, std::vector<double>{-2, 0.25, 7});
  EXPECT_EQ(samples.taps[0].index, (std::vector<std::int64_t>{0, 0, 2}));
  EXPECT_EQ(samples.taps[1].weight, (std::vector<double>{0, 0.25, 0}));
  EXPECT_EQ(nearest_samples(0, 3, std::vector<std::int64_t>{-1, 3}).taps[0].index, (std::vector<std::int64_t>{0, 2}));
}

TEST(Resize, RefusesToInterpolateIntegers) {
  Builder b;
  const Term x = known_term(test_array(FileType::I32, {2}, {1, 2}));
  EXPECT_THROW(resample(b, x, linear_samples(0, 2, std::vector<double>{0.5})), Refused);
}

TEST(Sampling, ReflectsUntilInside) {
  const Array positions = test_array(FileType::F32, {1, 7}, {-7, -1, -0.25, 0, 2.75, 4, 11});
  const auto edges = [](Builder& b, const std::vector<Term>& in) {
    return reflected(b, in[0], 3, Outside::ReflectEdges);
  };
  expect_both(edges, {positions}, test_array(FileType::F32, {1, 7}, {0, 0, -0.25, 0, 2.25, 1, 0}));
  const auto centres = [](Builder& b, const std::vector<Term>& in) {
    return reflected(b, in[0], 3, Outside::ReflectCentres);
  };
  expect_both(centres, {positions}, test_array(FileType::F32, {1, 7}, {1, 1, 0.25, 0, 1.25, 0, 1}));
}

TEST(Sampling, WeighsNeighbours) {
  const auto block = [](Builder& b, const std::vector<Term>& in) {
    const Term first = b.number(FileType::I32, 0, {1, 1});
    const std::vector<Neighbours> around{linear_neighbours(b, in[1], 3, Outside::Zero)};
    return weighted_sum(b, samples_at(b, in[0], first, around));
  };
  expect_both(
      block,
      {test_array(FileType::F32, {1, 3, 1}, {4, 8, 16}), test_array(FileType::F32, {1, 5}, {-5, -0.5, 0.25, 2, 2.75})},
      test_array(FileType::F32, {1, 5, 1}, {0, 2, 5, 16, 4}));
}

}  // namespace
}  // namespace slipway::importer
