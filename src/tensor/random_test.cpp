// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tensor/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace slipway::tensor {
namespace {

using enum ElementType;

std::string filled(ElementType type, const RandomContents& contents, std::size_t count = 4) {
  std::vector<std::byte> bytes(count * size_of(type));
  if (const Stored stored = fill_random(type, contents, bytes); !stored) return stored.error();
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += (i ? " " : "") + text_of(type, bytes.data() + i * size_of(type));
  return text;
}

RandomContents uniform(std::uint64_t seed, Number min, Number max) { return {seed, UniformDistribution{min, max}}; }

// Published first outputs of splitmix64 for these seeds.
TEST(Random, Draws) {
  EXPECT_EQ(draw(0, 0), 0xe220a8397b1dcdafu);
  EXPECT_EQ(draw(0, 1), 0x6e789e6aa1b965f4u);
  EXPECT_EQ(draw(1234567, 0), 6457827717110365317u);
  EXPECT_EQ(draw(1234567, 1), 3203168211198807973u);
}

TEST(Random, Integers) {
  EXPECT_EQ(filled(U64, {0}, 2), "16294208416658607535 7960286522194355700");
  EXPECT_EQ(filled(U8, {0}, 2), "175 244");
  EXPECT_EQ(filled(I8, {0}, 2), "47 116");  // -128 + z mod 256
  EXPECT_EQ(filled(U32, uniform(0, 10, 12), 2),
            std::to_string(10 + draw(0, 0) % 3) + " " + std::to_string(10 + draw(0, 1) % 3));
  EXPECT_EQ(filled(I64, {7}, 1), std::to_string(static_cast<std::int64_t>(draw(7, 0) + (std::uint64_t{1} << 63))));
  EXPECT_EQ(filled(I16, uniform(3, -5, -5)), "-5 -5 -5 -5");
  EXPECT_EQ(filled(I32, uniform(0, -2, 1), 2), std::to_string(-2 + static_cast<int>(draw(0, 0) % 4)) + " " +
                                                   std::to_string(-2 + static_cast<int>(draw(0, 1) % 4)));
  EXPECT_EQ(filled(Bool, {0}, 4), "true false true false");
}

TEST(Random, Floats) {
  const auto unit = [](std::uint64_t i) { return static_cast<double>(draw(5, i) >> 11) * 0x1p-53; };
  EXPECT_EQ(filled(F64, {5}, 2), shortest_text(unit(0)) + " " + shortest_text(unit(1)));
  EXPECT_EQ(filled(F64, uniform(5, -2, 6), 1), shortest_text(-2 + unit(0) * 8));
  std::vector<std::byte> half(2);
  store_rounded(F16, unit(0), half.data());
  EXPECT_EQ(filled(F16, {5}, 1), text_of(F16, half.data()));
}

TEST(Random, NormalByBoxMuller) {
  const double radius = std::sqrt(-2 * std::log(static_cast<double>((draw(9, 2) >> 11) + 1) * 0x1p-53));
  const double angle = 2 * 3.141592653589793 * static_cast<double>(draw(9, 3) >> 11) * 0x1p-53;
  std::vector<double> values(2);
  ASSERT_TRUE(fill_random(F64, {9, NormalDistribution{10, 3}}, std::as_writable_bytes(std::span(values))));
  EXPECT_DOUBLE_EQ(values[1], 10 + 3 * radius * std::cos(angle));

  std::vector<float> many(20'000);
  ASSERT_TRUE(fill_random(F32, {1, NormalDistribution{1, 2}}, std::as_writable_bytes(std::span(many))));
  double mean = 0;
  double square = 0;
  for (const float value : many) mean += value / 20'000.0;
  for (const float value : many) square += (value - mean) * (value - mean) / 20'000.0;
  EXPECT_NEAR(mean, 1, 0.05);
  EXPECT_NEAR(square, 4, 0.15);
}

TEST(Random, Refusals) {
  EXPECT_EQ(filled(U8, uniform(0, 0, 256)), "`256` is out of range for `u8` (0 to 255)");
  EXPECT_EQ(filled(U8, uniform(0, -1, 2)), "`-1` is out of range for `u8` (0 to 255)");
  EXPECT_EQ(filled(I8, uniform(0, 3, -4)), "the minimum `3` is above the maximum `-4`");
  EXPECT_EQ(filled(I32, uniform(0, 0.5, 2)), "`0.5` is not a whole number, which `i32` needs");
  EXPECT_EQ(filled(F16, uniform(0, 0, 70000)), "`70000` is out of range for `f16` (-65504 to 65504)");
  EXPECT_EQ(filled(F16, uniform(0, -70000, 0)), "`-70000` is out of range for `f16` (-65504 to 65504)");
  EXPECT_EQ(filled(F32, uniform(0, 2, 1.5)), "the minimum `2` is above the maximum `1.5`");
  EXPECT_EQ(filled(F64, uniform(0, -1.7e308, 1.7e308)), "the range from `-1.7e308` to `1.7e308` is too wide");
  EXPECT_EQ(filled(I32, {0, NormalDistribution{}}), "a normal distribution needs a float type, not `i32`");
  EXPECT_EQ(filled(Bool, {0, NormalDistribution{}}), "a normal distribution needs a float type, not `bool`");
}

TEST(Random, Texels) {
  const auto texels = [](vk::Format format, const RandomContents& contents, std::size_t count = 2) {
    const FormatInfo& info = *find_format(format);
    std::vector<std::byte> bytes(count * info.texel_bytes, std::byte{0xaa});
    if (const Stored stored = fill_random(info, contents, bytes); !stored) return stored.error();
    std::string text;
    const auto plain = unpack(info, bytes);
    for (std::size_t i = 0; i < plain.size(); i += size_of(info.component)) {
      text += (i ? " " : "") + text_of(info.component, plain.data() + i);
    }
    return text;
  };
  const auto unorm = [](std::uint64_t i, double largest) {
    return shortest_text(std::nearbyint(static_cast<double>(draw(0, i) >> 11) * 0x1p-53 * largest));
  };
  EXPECT_EQ(texels(vk::Format::R8G8_UNORM, {0}),
            unorm(0, 255) + " " + unorm(1, 255) + " " + unorm(2, 255) + " " + unorm(3, 255));
  EXPECT_EQ(texels(vk::Format::R8_SNORM, {0, UniformDistribution{-1, -1}}), "-127 -127");
  EXPECT_EQ(texels(vk::Format::R16_SFLOAT, {5}), filled(F16, {5}, 2));
  EXPECT_EQ(texels(vk::Format::R32_SINT, {5}), filled(I32, {5}, 2));
  EXPECT_EQ(texels(vk::Format::A2B10G10R10_UINT_PACK32, {0}, 1),
            std::to_string(draw(0, 0) % 1024) + " " + std::to_string(draw(0, 1) % 1024) + " " +
                std::to_string(draw(0, 2) % 1024) + " " + std::to_string(draw(0, 3) % 4));
  EXPECT_EQ(texels(vk::Format::A2B10G10R10_SINT_PACK32, {0, UniformDistribution{-2, -2}}, 1), "-2 -2 -2 -2");
  EXPECT_EQ(texels(vk::Format::B10G11R11_UFLOAT_PACK32, {0, NormalDistribution{-5, 0.1}}, 1), "0 0 0");
  EXPECT_EQ(texels(vk::Format::R8_UNORM, {0, NormalDistribution{5, 0.1}}), "255 255");
  EXPECT_EQ(texels(vk::Format::R8_SNORM, {0, NormalDistribution{-5, 0.1}}), "-127 -127");
  EXPECT_EQ(texels(vk::Format::R8_UNORM, {0, UniformDistribution{0, 2}}),
            "`2` is out of range for component R of `VK_FORMAT_R8_UNORM` (0 to 1)");
  EXPECT_EQ(texels(vk::Format::A2B10G10R10_UINT_PACK32, {0, UniformDistribution{0, 9}}),
            "`9` is out of range for component A of `VK_FORMAT_A2B10G10R10_UINT_PACK32` (0 to 3)");
}

}  // namespace
}  // namespace slipway::tensor
