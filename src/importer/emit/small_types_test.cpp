// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/emit/small_types.hpp"

#include <cmath>
#include <random>

#include "testing/importer_blocks.hpp"

namespace slipway::importer {
namespace {

constexpr FileType kCoded[] = {FileType::F8E4M3Fnuz, FileType::F8E5M2Fnuz, FileType::F4E2M1, FileType::F8E8M0};

TEST(SmallTypes, DecodesKnownNumbers) {
  const std::vector<double> e4m3 = decoded_values(FileType::F8E4M3Fnuz), e5m2 = decoded_values(FileType::F8E5M2Fnuz);
  EXPECT_EQ(e4m3[0x7f], 240);
  EXPECT_EQ(e4m3[0x01], std::ldexp(1, -10));
  EXPECT_EQ(e4m3[0xc0], -1);
  EXPECT_TRUE(std::isnan(e4m3[0x80]));
  EXPECT_EQ(e5m2[0x7f], 57344);
  EXPECT_EQ(e5m2[0x01], std::ldexp(1, -17));
  EXPECT_TRUE(std::isnan(e5m2[0x80]));
  EXPECT_EQ(decoded_values(FileType::F4E2M1),
            (std::vector<double>{0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6}));
  const std::vector<double> scales = decoded_values(FileType::F8E8M0);
  EXPECT_EQ(scales[127], 1);
  EXPECT_EQ(scales[0], std::ldexp(1, -127));
  EXPECT_TRUE(std::isnan(scales[255]));
}

// Each code, as a number, becomes that code again: on the host and in the graph.
TEST(SmallTypes, EncodesWhatItDecodes) {
  for (const FileType type : kCoded) {
    SCOPED_TRACE(name_of(type));
    const std::vector<double> values = decoded_values(type);
    const auto count = static_cast<std::int64_t>(values.size());
    std::vector<std::byte> codes;
    for (std::int64_t code = 0; code < count; ++code) codes.push_back(static_cast<std::byte>(code));
    const Array array = array_of(type, {count}, codes);
    expect_both(
        [&](Builder& b, const std::vector<Term>& in) { return convert(b, convert(b, in[0], FileType::F32), type); },
        {array}, array);
  }
}

// The nearest of all numbers of a type; of two, that with the even code. `limit`: what is larger is saturated.
std::int64_t nearest(const std::vector<double>& values, double x, std::int64_t last) {
  std::int64_t best = 0;
  for (std::int64_t code = 1; code <= last; ++code) {
    const double distance = std::fabs(std::fabs(x) - values[static_cast<std::size_t>(code)]);
    const double before = std::fabs(std::fabs(x) - values[static_cast<std::size_t>(best)]);
    if (distance < before || (distance == before && code % 2 == 0)) best = code;
  }
  return best;
}

TEST(SmallTypes, RoundsToNearestAndSaturates) {
  std::mt19937 random(3);
  std::vector<double> numbers{0.0, 248, 247.99, 61440, 1e6, 1e9, 5, 2.5, 0.75, 0.25, 1.0 / 2048};
  for (int i = 0; i < 500; ++i)
    numbers.push_back(static_cast<float>(
        std::ldexp(1 + static_cast<double>(random() % 64) / 64, static_cast<int>(random() % 30) - 18)));
  for (const FileType type : {FileType::F8E4M3Fnuz, FileType::F8E5M2Fnuz, FileType::F4E2M1}) {
    SCOPED_TRACE(name_of(type));
    const std::int64_t last = type == FileType::F4E2M1 ? 7 : 127;
    std::vector<std::byte> wanted;
    for (const double x : numbers) wanted.push_back(static_cast<std::byte>(nearest(decoded_values(type), x, last)));
    const auto count = static_cast<std::int64_t>(numbers.size());
    expect_both([&](Builder& b, const std::vector<Term>& in) { return convert(b, in[0], type); },
                {test_array(FileType::F32, {count}, numbers)}, array_of(type, {count}, wanted));
  }
}

void expect_codes(FileType type, const std::vector<double>& numbers, const std::vector<std::uint8_t>& codes,
                  const Conversion& how) {
  std::vector<std::byte> wanted;
  for (const std::uint8_t code : codes) wanted.push_back(static_cast<std::byte>(code));
  const auto count = static_cast<std::int64_t>(numbers.size());
  expect_both([&](Builder& b, const std::vector<Term>& in) { return convert(b, in[0], type, how); },
              {test_array(FileType::F32, {count}, numbers)}, array_of(type, {count}, wanted));
}

TEST(SmallTypes, TreatsNumbersThatDoNotFit) {
  const std::vector<double> numbers{HUGE_VAL, -HUGE_VAL, NAN, 248, -247.9, -0.0};
  expect_codes(FileType::F8E4M3Fnuz, numbers, {0x7f, 0xff, 0x80, 0x7f, 0xff, 0}, {.saturate = true});
  expect_codes(FileType::F8E4M3Fnuz, numbers, {0x80, 0x80, 0x80, 0x80, 0xff, 0}, {.saturate = false});
  expect_codes(FileType::F8E5M2Fnuz, numbers, {0x80, 0x80, 0x80, 0x60, 0xe0, 0}, {.saturate = false});
  expect_codes(FileType::F4E2M1, numbers, {7, 15, 8, 7, 15, 8}, {});
  expect_codes(FileType::F8E4M3, numbers, {0x7e, 0xfe, 0x7f, 0x78, 0xf7, 0x80}, {.saturate = true});
  expect_codes(FileType::F8E4M3, {449, 464, -1e9}, {0x7e, 0x7e, 0x7f}, {.saturate = false});
  expect_codes(FileType::F8E5M2, {HUGE_VAL, 1e9}, {0x7c, 0x7c}, {.saturate = false});
  expect_codes(FileType::F8E5M2, {HUGE_VAL, 1e9}, {0x7b, 0x7b}, {.saturate = true});
}

TEST(SmallTypes, RoundsScales) {
  const std::vector<double> numbers{1, 1.01, 1.49, 1.5, 2, 0, HUGE_VAL, 1.8e38};
  expect_codes(FileType::F8E8M0, numbers, {127, 128, 128, 128, 128, 0, 254, 254}, {.scale = ScaleRounding::Up});
  expect_codes(FileType::F8E8M0, numbers, {127, 127, 127, 127, 128, 0, 254, 254}, {.scale = ScaleRounding::Down});
  expect_codes(FileType::F8E8M0, numbers, {127, 127, 127, 128, 128, 0, 254, 254}, {.scale = ScaleRounding::Nearest});
  expect_codes(FileType::F8E8M0, numbers, {127, 127, 127, 128, 128, 255, 255, 254},
               {.saturate = false, .scale = ScaleRounding::Nearest});
}

TEST(SmallTypes, ConvertsToIntegers) {
  BlockBench bench;
  const std::vector<std::byte> codes{std::byte{15}, std::byte{5}, std::byte{3}};
  const Term x = bench.given(array_of(FileType::F4E2M1, {3}, codes));
  expect_array(bench.run(convert(bench.b, x, FileType::I8)), test_array(FileType::I8, {3}, {-6, 3, 1}));
  // Narrow integers wrap.
  const Array reals = test_array(FileType::F32, {6}, {1.5, -3.5, 9, 100, -9, 7.9});
  expect_both([](Builder& b, const std::vector<Term>& in) { return convert(b, in[0], FileType::I4); }, {reals},
              test_array(FileType::I4, {6}, {1, -3, -7, 4, 7, 7}));
  expect_both([](Builder& b, const std::vector<Term>& in) { return convert(b, in[0], FileType::U2); }, {reals},
              test_array(FileType::U2, {6}, {1, 1, 1, 0, 3, 3}));
}

}  // namespace
}  // namespace slipway::importer
