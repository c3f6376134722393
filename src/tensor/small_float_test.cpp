// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tensor/small_float.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "tensor/float16.hpp"

namespace slipway::tensor {
namespace {

struct Named {
  const char* name;
  FloatLayout layout;
};
constexpr Named kLayouts[] = {{"e4m3", kE4M3}, {"e5m2", kE5M2},      {"f16", kF16},
                              {"bf16", kBF16}, {"u11", kUnsigned11}, {"u10", kUnsigned10}};

int width_of(FloatLayout layout) { return layout.exponent_bits + layout.mantissa_bits + (layout.has_sign ? 1 : 0); }

bool same(double a, double b) {
  return std::isnan(a) ? std::isnan(b) : std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

TEST(SmallFloat, EveryPatternGoesThroughDoubleAndBack) {
  for (const auto& [name, layout] : kLayouts) {
    for (std::uint32_t bits = 0; bits < 1u << width_of(layout); ++bits) {
      const double value = decode_float(layout, bits);
      const std::uint32_t back = encode_float(layout, value);
      if (std::isnan(value))
        ASSERT_TRUE(std::isnan(decode_float(layout, back))) << name << " " << bits;
      else
        ASSERT_EQ(back, bits) << name;
    }
  }
}

// The compilers' own types are the reference: every value, and between each pair of neighbours the tie and what lies
// next to it on both sides.
template <class T>
void compare_with(FloatLayout layout) {
  const auto expect_same = [&](double value) {
    const auto bits = std::bit_cast<std::uint16_t>(static_cast<T>(value));
    if (std::isnan(value))
      ASSERT_TRUE(std::isnan(decode_float(layout, encode_float(layout, value))));
    else
      ASSERT_EQ(encode_float(layout, value), bits) << value;
  };
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto reference = std::bit_cast<T>(static_cast<std::uint16_t>(bits));
    const double value = decode_float(layout, bits);
    ASSERT_TRUE(same(value, static_cast<double>(reference))) << bits;
    expect_same(value);
    const double next = decode_float(layout, bits + 1);
    if (!std::isfinite(value) || !std::isfinite(next) || bits == 0x7fff) continue;
    const double tie = value / 2 + next / 2;
    expect_same(tie);
    expect_same(std::nextafter(tie, HUGE_VAL));
    expect_same(std::nextafter(tie, -HUGE_VAL));
  }
  for (const double value : {0x1p300, -0x1p300, 0x1p-1000, -0x1p-1000, 0x1p-1074, HUGE_VAL, -HUGE_VAL})
    expect_same(value);
  for (const double value : {65519.99, 65520.0, 0x1.FEp127, 0x1.FFp127, 0x1.FEFFFFp127, 0x1p128}) expect_same(value);
}

TEST(SmallFloat, HalfAgreesWithTheCompiler) { compare_with<Float16>(kF16); }
TEST(SmallFloat, BfloatAgreesWithTheCompiler) { compare_with<BFloat16>(kBF16); }

// By definition: the nearest of all values, and of two the one with the even pattern.
TEST(SmallFloat, EightBitsRoundToTheNearestValue) {
  std::mt19937_64 random(1);
  for (const auto& [name, layout] : {Named{"e4m3", kE4M3}, Named{"e5m2", kE5M2}}) {
    std::vector<double> tries;
    for (std::uint32_t bits = 0; bits < 0x80; ++bits) {
      const double value = decode_float(layout, bits);
      const double next = decode_float(layout, bits + 1);
      if (!std::isfinite(next)) break;
      for (const double between :
           {value, (value + next) / 2, value + (next - value) * 0.49, value + (next - value) * 0.51}) {
        tries.push_back(between);
        tries.push_back(-between);
      }
    }
    for (int i = 0; i < 2000; ++i) tries.push_back(std::ldexp(static_cast<double>(random() >> 11), -53 - i % 18));
    for (const double value : tries) {
      std::uint32_t best = 0;
      for (std::uint32_t bits = 0; bits < 0x80; ++bits) {
        const double candidate = decode_float(layout, bits);
        if (!std::isfinite(candidate)) continue;
        const double distance = std::fabs(candidate - std::fabs(value));
        const double best_distance = std::fabs(decode_float(layout, best) - std::fabs(value));
        if (distance < best_distance || (distance == best_distance && bits % 2 == 0)) best = bits;
      }
      ASSERT_EQ(encode_float(layout, value), best | (std::signbit(value) ? 0x80 : 0)) << name << " " << value;
    }
  }
}

TEST(SmallFloat, TheEdgesOfTheFormats) {
  EXPECT_EQ(decode_float(kE4M3, 0x7e), 448);
  EXPECT_TRUE(std::isnan(decode_float(kE4M3, 0x7f)));
  EXPECT_TRUE(std::isnan(decode_float(kE4M3, 0xff)));
  EXPECT_EQ(decode_float(kE4M3, 0x01), 0x1p-9);
  EXPECT_EQ(encode_float(kE4M3, 464), 0x7eu);  // the tie goes to the even 448
  EXPECT_EQ(encode_float(kE4M3, 464.01), 0x7fu);
  EXPECT_EQ(encode_float(kE4M3, -HUGE_VAL), 0xffu);
  EXPECT_EQ(encode_float(kE4M3, NAN), 0x7fu);
  EXPECT_EQ(largest_value(kE5M2), 57344);
  EXPECT_EQ(encode_float(kE5M2, 61439.9), 0x7bu);
  EXPECT_EQ(encode_float(kE5M2, 61440), 0x7cu);
  EXPECT_EQ(decode_float(kE5M2, 0xfc), -HUGE_VAL);
  EXPECT_EQ(largest_value(kUnsigned11), 65024);
  EXPECT_EQ(largest_value(kUnsigned10), 64512);
  EXPECT_EQ(encode_float(kUnsigned10, -3), 0u);
  EXPECT_EQ(encode_float(kUnsigned11, HUGE_VAL), 0x7c0u);
  EXPECT_EQ(encode_float(kE5M2, -0.0), 0x80u);
}

TEST(SmallFloat, TheTypesConvert) {
  EXPECT_EQ(static_cast<double>(Float8E4M3(0.3)), 0.3125);
  EXPECT_EQ(Float8E4M3(0.3).bits, 0x2a);
  EXPECT_EQ(static_cast<double>(Float8E5M2(-0.3)), -0.3125);
  EXPECT_EQ(Float8E5M2(-0.3).bits, 0xb5);
  EXPECT_EQ(Float4E2M1(-100).bits, 0xf);
  EXPECT_EQ(static_cast<double>(Float4E2M1(100)), 6);
  EXPECT_EQ(static_cast<double>(Float4E2M1(2.5)), 2);
  EXPECT_EQ(static_cast<double>(Float6E2M3(0.2)), 0.25);
  EXPECT_EQ(static_cast<double>(Float6E3M2(HUGE_VAL)), 28);
  EXPECT_EQ(Float8E8M0(0.25).bits, 125);
  EXPECT_EQ(static_cast<double>(Float8E8M0(0x1p-127)), 0x1p-127);
  EXPECT_TRUE(std::isnan(static_cast<double>(Float8E8M0(-1))));
  EXPECT_EQ(MxInt8(-1.5).bits, -96);
  EXPECT_EQ(static_cast<double>(MxInt8(9)), 127 / 64.0);
}

}  // namespace
}  // namespace slipway::tensor
