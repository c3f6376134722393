// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/report/difference_view.hpp"

#include <gmock/gmock.h>

#include <cmath>

namespace slipway::launch {
namespace {

using tensor::ElementType;
using ::testing::ElementsAre;

template <class T>
std::optional<DifferenceView> view(ElementType type, const std::vector<T>& got, const std::vector<T>& expected,
                                   const tensor::Shape& shape) {
  return view_difference(type, std::as_bytes(std::span(got)), std::as_bytes(std::span(expected)), shape);
}

std::vector<int> integers(const std::vector<std::byte>& bytes) {
  std::vector<int> all;
  for (const std::byte one : bytes) all.push_back(std::to_integer<int>(one));
  return all;
}

TEST(DifferenceView, ImagesHaveTheirColours) {
  // 2 x 2 pixels with alpha, which is not shown.
  std::vector<std::uint8_t> expected(16, 10), got = expected;
  got[4] = 30;   // the second pixel
  got[15] = 11;  // only alpha
  const auto made = view(ElementType::U8, got, expected, {2, 2, 4});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->width, 2u);
  EXPECT_EQ(made->height, 2u);
  EXPECT_EQ(made->channels, 3u);
  EXPECT_EQ(made->high, 255);
  EXPECT_THAT(integers(made->actual), ElementsAre(10, 10, 10, 30, 10, 10, 10, 10, 10, 10, 10, 10));
  EXPECT_THAT(integers(made->difference), ElementsAre(0, 255, 0, 13));
  ASSERT_EQ(made->worst.size(), 2u);
  EXPECT_EQ(made->worst[0].index, (tensor::Shape{0, 1, 0}));
  EXPECT_EQ(made->worst[0].got, "30");
  EXPECT_EQ(made->worst[0].expected, "10");
  ASSERT_EQ(made->decades.size(), 2u);
  EXPECT_EQ(made->decades[0].exponent, 0);
  EXPECT_EQ(made->decades[1].exponent, 1);
}

// A batch of one image is an image.
TEST(DifferenceView, TensorsOfOneImage) {
  const std::vector<float> zeros(12, 0.f);
  const auto made = view(ElementType::F32, zeros, zeros, {1, 2, 2, 3});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->channels, 3u);
  EXPECT_TRUE(made->worst.empty());
}

TEST(DifferenceView, LargeArraysKeepTheirDifferences) {
  std::vector<float> expected(1000 * 300), got;
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = static_cast<float>(i % 300);
  got = expected;
  got[77 * 300 + 299] += 0.5f;
  got[999 * 300] = std::nanf("");
  const auto made = view(ElementType::F32, got, expected, {10, 100, 300});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->width, 64u);
  EXPECT_EQ(made->height, 64u);
  EXPECT_EQ(made->rows, 1000u);
  EXPECT_EQ(made->columns, 300u);
  EXPECT_EQ(made->low, 0);
  EXPECT_EQ(made->high, 299.5);
  std::vector<std::size_t> cells;
  for (std::size_t i = 0; i < made->difference.size(); ++i) {
    if (made->difference[i] != std::byte{0}) cells.push_back(i);
  }
  EXPECT_THAT(cells, ElementsAre(4 * 64 + 63, 63 * 64));
  EXPECT_EQ(made->difference[4 * 64 + 63], std::byte{255});
  EXPECT_EQ(made->difference[63 * 64], std::byte{255});
  ASSERT_EQ(made->worst.size(), 2u);
  EXPECT_EQ(made->worst[0].index, (tensor::Shape{9, 99, 0}));
  EXPECT_EQ(made->worst[0].got, "nan");
  EXPECT_EQ(made->worst[1].difference, 0.5);
}

TEST(DifferenceView, VectorsAreWrapped) {
  std::vector<std::int32_t> expected(130, 7), got = expected;
  got[129] = -3;
  const auto made = view(ElementType::I32, got, expected, {130});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->width, 64u);
  EXPECT_EQ(made->height, 3u);
  EXPECT_EQ(made->difference[2 * 64 + 1], std::byte{255});
  EXPECT_EQ(made->expected[2 * 64 + 1], std::byte{255});
  EXPECT_EQ(made->actual[2 * 64 + 1], std::byte{0});
  EXPECT_EQ(made->expected[2 * 64 + 2], std::byte{0}) << "past the end";
}

TEST(DifferenceView, TheWorstElementsComeFirst) {
  std::vector<std::int32_t> expected(20, 0), got(20);
  for (int i = 0; i < 20; ++i) got[static_cast<std::size_t>(i)] = i * 7 % 20;
  const auto made = view(ElementType::I32, got, expected, {20});
  ASSERT_TRUE(made);
  std::vector<double> worst;
  for (const WorstElement& one : made->worst) worst.push_back(one.difference);
  EXPECT_THAT(worst, ElementsAre(19, 18, 17, 16, 15, 14, 13, 12, 11, 10));
}

TEST(DifferenceView, NothingHasNoView) {
  EXPECT_FALSE(view(ElementType::F32, std::vector<float>(), std::vector<float>(), {0, 3}));
  const auto scalar = view(ElementType::F32, std::vector<float>{1}, std::vector<float>{2}, {});
  ASSERT_TRUE(scalar);
  EXPECT_EQ(scalar->width * scalar->height, 1u);
}

}  // namespace
}  // namespace slipway::launch
