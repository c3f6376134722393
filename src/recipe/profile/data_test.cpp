// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/profile/data.hpp"
#include "base/format.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numeric>

namespace slipway::recipe {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<int> filled(const Init& init, std::size_t size, Bytes file = {}, std::uint64_t iteration = 0) {
  std::vector<std::byte> buffer(size, std::byte{0xee});
  initialize(init, {.file = file, .buffer = "b", .iteration = iteration}, buffer);
  std::vector<int> values;
  for (const std::byte b : buffer) values.push_back(std::to_integer<int>(b));
  return values;
}

std::vector<std::byte> counting(int count) {
  std::vector<std::byte> bytes;
  for (int i = 1; i <= count; ++i) bytes.push_back(static_cast<std::byte>(i));
  return bytes;
}

TEST(ProfileData, FileDataAreRepeatedInTheRange) {
  const std::vector<std::byte> file = counting(4);
  EXPECT_THAT(filled({.skip = 1}, 7, file), ElementsAre(2, 3, 4, 2, 3, 4, 2));
  EXPECT_THAT(filled({.begin = 2, .end = 5}, 7, file), ElementsAre(0, 0, 1, 2, 3, 0, 0));
}

TEST(ProfileData, AReinitContinuesInTheFile) {
  const std::vector<std::byte> file = counting(5);
  EXPECT_THAT(filled({}, 3, file, 0), ElementsAre(1, 2, 3));
  EXPECT_THAT(filled({}, 3, file, 1), ElementsAre(4, 5, 1));
  EXPECT_THAT(filled({}, 3, file, 2), ElementsAre(2, 3, 4));
}

TEST(ProfileData, StridesWriteWholeValuesAndNeverLeaveTheRange) {
  const auto stride = [](std::uint64_t by, std::uint64_t value) {
    return Init{.form = Init::Form::Stride, .stride = by, .value = value};
  };
  EXPECT_THAT(filled(stride(4, 0x04030201), 10), ElementsAre(1, 2, 3, 4, 1, 2, 3, 4, 1, 2));
  EXPECT_THAT(filled(stride(1, 7), 3), ElementsAre(7, 7, 7));
  EXPECT_THAT(filled(stride(10, ~0ull), 12), ElementsAre(255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 255, 255));
  Init range = stride(2, 0x0201);
  range.begin = 1;
  range.end = 4;
  EXPECT_THAT(filled(range, 6), ElementsAre(0, 1, 2, 1, 0, 0));
}

// The published first values of SplitMix64 from state 0 are e220a8397b1dcdaf and 6e789e6aa1b965f4.
TEST(ProfileData, RandomDataAreSplitMix64) {
  std::uint64_t hash = 0xcbf29ce484222325;
  hash = (hash ^ 'b') * 0x100000001b3;  // FNV-1a of the buffer's name
  const Init init{.form = Init::Form::Random, .seed = hash};
  EXPECT_THAT(filled(init, 9), ElementsAre(0xaf, 0xcd, 0x1d, 0x7b, 0x39, 0xa8, 0x20, 0xe2, 0xf4));
  EXPECT_NE(filled(init, 8, {}, 1), filled(init, 8, {}, 0));
}

std::string range_text(const Validate& validate, std::uint64_t buffer, std::uint64_t golden) {
  const auto range = golden_range(validate, buffer, golden);
  if (!range) return range.error();
  return formatted("{} {} {}", range->buffer_begin, range->golden_begin, range->size);
}

TEST(ProfileData, GoldenRangesFollowTheSpecification) {
  EXPECT_EQ(range_text({}, 8, 8), "0 0 8");
  EXPECT_EQ(range_text({.skip = 2}, 8, 10), "0 2 8");
  EXPECT_THAT(range_text({}, 8, 9), HasSubstr("Size mismatch during validation"));
  EXPECT_EQ(range_text({.begin = 2, .end = 6}, 8, 8), "2 2 4");  // golden data as long as `end`: compared from `begin`
  EXPECT_EQ(range_text({.begin = 2, .end = 6}, 8, 4), "2 0 4");  // as long as the range: compared from the start
  EXPECT_THAT(range_text({.begin = 2, .end = 6}, 8, 5), HasSubstr("Size mismatch"));
  EXPECT_THAT(range_text({.begin = 6, .end = 2}, 8, 8), HasSubstr("6..2"));
  EXPECT_THAT(range_text({.begin = 0, .end = 6, .type = tensor::ElementType::F32}, 8, 8), HasSubstr("whole elements"));
  EXPECT_THAT(range_text({.skip = 9}, 8, 8), HasSubstr("`skip` is 9"));
}

ValidationResult compared(const Validate& validate, const std::vector<float>& got, const std::vector<float>& golden) {
  const Bytes a = std::as_bytes(std::span(got)), b = std::as_bytes(std::span(golden));
  return compare_golden(validate, "y", a, b, *golden_range(validate, a.size(), b.size()));
}

TEST(ProfileData, ElementsAreComparedWithinTolerances) {
  const Validate floats{.type = tensor::ElementType::F32, .atol = 0.125, .rtol = 0.5};
  EXPECT_EQ(compared(floats, {1, NAN, HUGE_VALF, 15}, {1, NAN, HUGE_VALF, 10}).mismatches, 0u);
  const ValidationResult bad = compared(floats, {1.7f, 2, NAN, 1}, {1, 2, 3, -HUGE_VALF});
  EXPECT_EQ(bad.mismatches, 3u);
  EXPECT_EQ(bad.first, 0u);
  EXPECT_EQ(bad.examples.front(), "gold[0] = 1 does not match bo value in bo 1.7");
  EXPECT_EQ(compared({}, {1}, {2}).examples.front(), "gold[2] = 0 does not match bo value in bo 128");
}

TEST(ProfileData, AtMostTenMismatchesAreShown) {
  const ValidationResult result =
      compared({.type = tensor::ElementType::F32}, std::vector<float>(50, 1), std::vector<float>(50, 2));
  EXPECT_EQ(result.mismatches, 50u);
  EXPECT_EQ(result.examples.size(), 10u);
}

}  // namespace
}  // namespace slipway::recipe
