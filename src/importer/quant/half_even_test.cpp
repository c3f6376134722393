// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/quant/half_even.hpp"

#include <cmath>
#include <limits>
#include <random>

#include "testing/importer_blocks.hpp"

namespace slipway::importer {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Floats around the points halfway between integers, times the scale: where the rounding is decided.
std::vector<double> decisive_floats(float scale, std::int64_t low, std::int64_t high, std::int64_t step) {
  std::vector<double> numbers{0, -0.0, kInfinity, -kInfinity, 1e30, -1e30};
  for (std::int64_t i = low; i <= high; i += step) {
    const auto at = static_cast<float>(static_cast<double>(scale) * (static_cast<double>(i) + 0.5));
    float below = at, above = at;
    numbers.push_back(at);
    for (int k = 0; k < 4; ++k) {
      numbers.push_back(below = std::nextafter(below, -kInfinity));
      numbers.push_back(above = std::nextafter(above, kInfinity));
    }
    numbers.push_back(static_cast<float>(i) * scale);
  }
  return numbers;
}

// What a division in float32, rounded to even, makes of each number.
std::vector<double> rounded_quotients(const std::vector<double>& numbers, float scale, double low, double high) {
  std::vector<double> made;
  for (const double number : numbers) {
    const float quotient = static_cast<float>(number) / scale;
    made.push_back(std::min(std::max(static_cast<double>(std::nearbyint(quotient)), low), high));
  }
  return made;
}

TEST(HalfEven, RoundsAsADivision) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> exponent(-12, 3);
  for (const bool is_8 : {true, false}) {
    const FileType type = is_8 ? FileType::I8 : FileType::U16;
    for (int round = 0; round < 40; ++round) {
      const float scale = std::exp(exponent(random));
      const std::vector<double> numbers = decisive_floats(scale, is_8 ? -140 : 0, is_8 ? 140 : 66000, is_8 ? 1 : 331);
      const auto count = static_cast<std::int64_t>(numbers.size());
      const auto low = static_cast<double>(min_value_of(type)), high = static_cast<double>(max_value_of(type));
      SCOPED_TRACE(formatted("{} by {:.9}", name_of(type), scale));
      for (const bool is_known : {true, false}) {
        BlockBench bench;
        const Array scales = test_array(FileType::F32, {}, {scale});
        const Term by = is_known ? known_term(scales) : bench.given(scales);
        const Term ratio =
            rounding_quotient(bench.b, bench.given(test_array(FileType::F32, {count}, numbers)), by, type);
        const Term made = quantised_to_even(bench.b, ratio, type, nullptr);
        expect_array(bench.run(made), test_array(type, {count}, rounded_quotients(numbers, scale, low, high)));
      }
    }
  }
}

TEST(HalfEven, DividesBy255) {
  std::mt19937 random(3);
  std::vector<double> numbers, wanted;
  for (int i = 0; i < 20000; ++i) {
    const float number = std::ldexp(static_cast<float>(random()), -20 - static_cast<int>(random() % 20));
    numbers.push_back(number);
    wanted.push_back(number / 255.0F);
  }
  BlockBench bench;
  const Term made = quotient_by_255(bench.b, bench.given(test_array(FileType::F32, {20000}, numbers)));
  expect_array(bench.run(made), test_array(FileType::F32, {20000}, wanted));
}

TEST(HalfEven, AddsZeroPointsAfterRounding) {
  const Array x = test_array(FileType::F32, {2, 3}, {0.5, 1.5, 2.5, -0.5, 300, -300});
  const auto block = [](Builder& b, const std::vector<Term>& in) {
    return quantised_to_even(b, in[0], FileType::U8, &in[1]);
  };
  expect_both(block, {x, test_array(FileType::U8, {}, {10})},
              test_array(FileType::U8, {2, 3}, {10, 12, 12, 10, 255, 0}));
  const Array by_column = test_array(FileType::U8, {3}, {0, 1, 255});
  expect_both(block, {x, by_column}, test_array(FileType::U8, {2, 3}, {0, 3, 255, 0, 255, 0}));
  const auto narrow = [](Builder& b, const std::vector<Term>& in) {
    return quantised_to_even(b, in[0], FileType::I4, nullptr);
  };
  expect_both(narrow, {x}, test_array(FileType::I4, {2, 3}, {0, 2, 2, 0, 7, -8}));
}

TEST(HalfEven, SubtractsZeroPointsInIntegers) {
  const auto block = [](Builder& b, const std::vector<Term>& in) { return centred_real(b, in[0], &in[1]); };
  expect_both(block, {test_array(FileType::U8, {3}, {0, 128, 255}), test_array(FileType::U8, {}, {128})},
              test_array(FileType::F32, {3}, {-128, 0, 127}));
  expect_both(block, {test_array(FileType::U16, {2}, {0, 65535}), test_array(FileType::U16, {2}, {1, 2})},
              test_array(FileType::F32, {2}, {-1, 65533}));
}

TEST(HalfEven, RefusesWideTypes) { EXPECT_THROW(min_value_of(FileType::I32), Refused); }

}  // namespace
}  // namespace slipway::importer
