// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tensor/element.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tensor/shape.hpp"

namespace slipway::tensor {
namespace {

using enum ElementType;

std::string stored(ElementType type, Number value) {
  std::byte element[8]{};
  const Stored result = store_number(type, value, element);
  return result ? text_of(type, element) : result.error();
}

std::string stored_word(ElementType type, std::string_view word) {
  std::byte element[8]{};
  const Stored result = store_word(type, word, element);
  return result ? text_of(type, element) : result.error();
}

std::uint64_t bits(ElementType type, Number value) {
  std::byte element[8]{};
  EXPECT_TRUE(store_number(type, value, element));
  return load<std::uint64_t>(element);
}

TEST(ElementTypes, TheTable) {
  std::string table;
  for (const ElementTypeInfo& info : element_types()) {
    EXPECT_EQ(&info_of(info.type), &info);
    EXPECT_EQ(element_type_from_name(info.name), info.type);
    EXPECT_EQ(visit_type(info.type, []<class T>() { return sizeof(T); }), info.size);
    table += std::string(info.name) + " " + std::to_string(info.size) + " " + std::string(info.descr) + "\n";
  }
  EXPECT_EQ(table,
            "bool 1 |b1\nu8 1 |u1\ni8 1 |i1\nu16 2 <u2\ni16 2 <i2\nu32 4 <u4\ni32 4 <i4\nu64 8 <u8\ni64 8 <i8\n"
            "f16 2 <f2\nbf16 2 <V2\nf32 4 <f4\nf64 8 <f8\ne4m3 1 <V1\ne5m2 1 |u1\ne2m1 1 |u1\ne2m3 1 |u1\ne3m2 1 "
            "|u1\ne8m0 1 |u1\nmxint8 1 |u1\n");
  EXPECT_EQ(element_type_from_name("int"), std::nullopt);
  EXPECT_EQ(name_of(BF16), "bf16");
  EXPECT_EQ(size_of(I64), 8u);
  EXPECT_TRUE(is_float(F8E5M2));
  EXPECT_FALSE(is_float(Bool));
}

TEST(Element, IntegersKeepTheirRange) {
  EXPECT_EQ(stored(U8, 255), "255");
  EXPECT_EQ(stored(U8, 256), "`256` is out of range for `u8` (0 to 255)");
  EXPECT_EQ(stored(U8, -1), "`-1` is out of range for `u8` (0 to 255)");
  EXPECT_EQ(stored(I8, -128), "-128");
  EXPECT_EQ(stored(I8, 128), "`128` is out of range for `i8` (-128 to 127)");
  EXPECT_EQ(stored(U16, 65536), "`65536` is out of range for `u16` (0 to 65535)");
  EXPECT_EQ(stored(I16, -32769), "`-32769` is out of range for `i16` (-32768 to 32767)");
  EXPECT_EQ(stored(U32, 4294967296), "`4294967296` is out of range for `u32` (0 to 4294967295)");
  EXPECT_EQ(stored(I32, 2147483648), "`2147483648` is out of range for `i32` (-2147483648 to 2147483647)");
  EXPECT_EQ(stored(U64, std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
  EXPECT_EQ(stored(I64, std::numeric_limits<std::uint64_t>::max()),
            "`18446744073709551615` is out of range for `i64` (-9223372036854775808 to 9223372036854775807)");
  EXPECT_EQ(stored(I64, std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(stored(I64, -0x1p63), "-9223372036854775808");
  EXPECT_EQ(stored(U64, 0x1p64), "`18446744073709551616` is out of range for `u64` (0 to 18446744073709551615)");
  EXPECT_EQ(stored(U64, 0x1p63), "9223372036854775808");
}

TEST(Element, WholeDoublesAreIntegers) {
  EXPECT_EQ(stored(I32, 40.0), "40");
  EXPECT_EQ(stored(I32, -0.0), "0");
  EXPECT_EQ(stored(I32, 1.5), "`1.5` is not a whole number, which `i32` needs");
  EXPECT_EQ(stored(I32, 1e300), "`1e300` is out of range for `i32` (-2147483648 to 2147483647)");
  EXPECT_EQ(stored(I32, HUGE_VAL), "`inf` is out of range for `i32` (-2147483648 to 2147483647)");
  EXPECT_EQ(stored(U8, NAN), "`nan` is out of range for `u8` (0 to 255)");
}

TEST(Element, BoolsAreZeroOrOne) {
  EXPECT_EQ(stored(Bool, 0), "false");
  EXPECT_EQ(stored(Bool, 1.0), "true");
  EXPECT_EQ(stored(Bool, 2), "`2` is neither 0 nor 1, which `bool` needs");
  EXPECT_EQ(stored(Bool, 0.5), "`0.5` is neither 0 nor 1, which `bool` needs");
  EXPECT_EQ(stored_word(Bool, "0xff"), "true");
  const std::byte set{0xff};
  EXPECT_EQ(double_of(Bool, &set), 1);
}

TEST(Element, FloatsRoundAndKeepTheirRange) {
  EXPECT_EQ(stored(F16, 0.1), "0.1");
  EXPECT_EQ(bits(F16, 0.1), 0x2e66u);
  EXPECT_EQ(stored(F16, 65519.9), "65504");
  EXPECT_EQ(stored(F16, 65520.0), "`65520` is out of range for `f16` (-65504 to 65504)");
  EXPECT_EQ(stored(F16, -70000), "`-70000` is out of range for `f16` (-65504 to 65504)");
  EXPECT_EQ(stored(BF16, 1e39), "`1e39` is out of range for `bf16` (-3.3895313892515355e38 to 3.3895313892515355e38)");
  EXPECT_EQ(stored(F32, 1e39), "`1e39` is out of range for `f32` (-3.4028234663852886e38 to 3.4028234663852886e38)");
  EXPECT_EQ(stored(F64, HUGE_VAL),
            "`inf` is out of range for `f64` (-1.7976931348623157e308 to 1.7976931348623157e308)");
  EXPECT_EQ(stored(F8E4M3, 464), "448");
  EXPECT_EQ(stored(F8E4M3, 465), "`465` is out of range for `e4m3` (-448 to 448)");
  EXPECT_EQ(stored(F8E5M2, 61440), "`61440` is out of range for `e5m2` (-57344 to 57344)");
  EXPECT_EQ(stored(F32, -0.0), "-0");
  EXPECT_EQ(stored(F32, NAN), "`nan` is out of range for `f32` (-3.4028234663852886e38 to 3.4028234663852886e38)");
}

TEST(Element, LargeIntegersRoundOnce) {
  // Just above the tie between two floats, by one bit that a double does not have.
  EXPECT_EQ(bits(F32, (std::int64_t{1} << 60) + (std::int64_t{1} << 36) + 1), bits(F32, 0x1p60 + 0x1p37));
  EXPECT_EQ(bits(F32, (std::int64_t{1} << 60) + (std::int64_t{1} << 36)), bits(F32, 0x1p60));
  EXPECT_EQ(bits(F32, -(std::int64_t{1} << 60) - (std::int64_t{1} << 36) - 1), bits(F32, -0x1p60 - 0x1p37));
  EXPECT_EQ(bits(BF16, (std::uint64_t{1} << 63) + (std::uint64_t{1} << 55) + 1), bits(BF16, 0x1p63 + 0x1p56));
  EXPECT_EQ(bits(F64, std::numeric_limits<std::uint64_t>::max()), bits(F64, 0x1p64));
  EXPECT_EQ(bits(F32, std::numeric_limits<std::int64_t>::min()), bits(F32, -0x1p63));
}

TEST(Element, Words) {
  EXPECT_EQ(stored_word(F32, "nan"), "nan");
  EXPECT_EQ(stored_word(F16, "inf"), "inf");
  EXPECT_EQ(stored_word(BF16, "-inf"), "-inf");
  EXPECT_EQ(stored_word(F8E4M3, "nan"), "nan");
  EXPECT_EQ(stored_word(F8E4M3, "inf"), "`e4m3` has no infinity");
  EXPECT_EQ(stored_word(F8E5M2, "-inf"), "-inf");
  EXPECT_EQ(stored_word(I32, "nan"), "`nan` needs a float type, not `i32`");
  EXPECT_EQ(stored_word(F32, "0x3f800000"), "1");
  EXPECT_EQ(stored_word(F32, "0x3F8"), "1.424e-42");
  EXPECT_EQ(stored_word(I8, "0xff"), "-1");
  EXPECT_EQ(stored_word(I8, "0x1ff"), "`0x1ff` has more than the 8 bits of `i8`");
  EXPECT_EQ(stored_word(U64, "0xffffffffffffffff"), "18446744073709551615");
  EXPECT_EQ(stored_word(U64, "0x10000000000000000"), "`0x10000000000000000` has more than the 64 bits of `u64`");
  EXPECT_EQ(stored_word(U8, "0x"), "`0x` is not a hexadecimal number");
  EXPECT_EQ(stored_word(U8, "0x1g"), "`0x1g` is not a hexadecimal number");
  EXPECT_EQ(stored_word(F32, "infinity"), "`infinity` is not one of `nan`, `inf`, `-inf` and `0x...`");
}

// One bit pattern for each type, whatever the sign and the payload of the NaN that is stored: CPUs make different ones.
TEST(Element, EveryNaNIsStoredAsTheSameBits) {
  const std::pair<ElementType, std::uint64_t> kExpected[] = {{ElementType::F64, 0x7ff8000000000000},
                                                             {ElementType::F32, 0x7fc00000},
                                                             {ElementType::F16, 0x7e00},
                                                             {ElementType::BF16, 0x7fc0},
                                                             {ElementType::F8E4M3, 0x7f},
                                                             {ElementType::F8E5M2, 0x7e}};
  for (const auto& [type, expected] : kExpected) {
    for (const double nan : {std::nan(""), -std::nan(""), std::nan("123"), -std::nan("123")}) {
      std::byte element[8] = {};
      store_rounded(type, nan, element);
      EXPECT_EQ(load<std::uint64_t>(element), expected) << name_of(type);
    }
  }
}

TEST(Element, StoreRoundedOverflows) {
  std::byte element[8]{};
  store_rounded(F16, 1e6, element);
  EXPECT_EQ(text_of(F16, element), "inf");
  store_rounded(F8E4M3, 1e6, element);
  EXPECT_EQ(text_of(F8E4M3, element), "nan");
}

TEST(Element, NumbersComeBack) {
  const auto back = [](ElementType type, Number value) {
    std::byte element[8]{};
    EXPECT_TRUE(store_number(type, value, element));
    return number_of(type, element);
  };
  EXPECT_EQ(back(I16, -5), Number(std::int64_t{-5}));
  EXPECT_EQ(back(U64, std::numeric_limits<std::uint64_t>::max()), Number(std::numeric_limits<std::uint64_t>::max()));
  EXPECT_EQ(back(Bool, 1), Number(std::uint64_t{1}));
  EXPECT_EQ(back(BF16, 1.5), Number(1.5));
  EXPECT_EQ(double_of(Number(std::int64_t{-3})), -3.0);
}

TEST(Element, Texts) {
  EXPECT_EQ(shortest_text(1e-5), "1e-5");
  EXPECT_EQ(shortest_text(1e22), "1e22");
  EXPECT_EQ(shortest_text(1.5e-300), "1.5e-300");
  EXPECT_EQ(shortest_text(-0.25), "-0.25");
  EXPECT_EQ(shortest_text(-NAN), "nan");
  EXPECT_EQ(text_of(Number(std::uint64_t{7})), "7");
  EXPECT_EQ(stored(F32, 0.1), "0.1");
  EXPECT_EQ(stored(F32, 16777216.0), "16777216");
  EXPECT_EQ(stored(F32, 3.4028234663852886e38), "3.4028235e38");
  EXPECT_EQ(stored(F64, 0.1), "0.1");
  EXPECT_EQ(stored(BF16, 3.14159), "3.14");
  EXPECT_EQ(stored(F8E4M3, 0.3), "0.3");
}

// All small floats.
TEST(Element, EveryTextReadsBack) {
  for (const ElementType type : {F16, BF16, F8E4M3, F8E5M2}) {
    const std::uint32_t patterns = 1u << (8 * size_of(type));
    for (std::uint32_t pattern = 0; pattern < patterns; ++pattern) {
      std::byte element[8]{};
      std::byte back[8]{};
      store(element, pattern);
      if (!std::isfinite(double_of(type, element))) continue;
      const std::string text = text_of(type, element);
      ASSERT_TRUE(store_number(type, std::stod(text), back)) << text;
      ASSERT_EQ(load<std::uint32_t>(back), pattern) << name_of(type) << " " << text;
    }
  }
}

TEST(Shape, CountsAndIndices) {
  EXPECT_EQ(element_count(Shape{}), 1u);
  EXPECT_EQ(element_count(Shape{2, 3, 4}), 24u);
  EXPECT_EQ(element_count(Shape{2, 0}), 0u);
  EXPECT_EQ(element_count(Shape{-1, 2}), std::nullopt);
  EXPECT_EQ(element_count(Shape{1LL << 40, 1LL << 40}), std::nullopt);
  EXPECT_EQ(byte_count(Shape{2, 3}, F32), 24u);
  EXPECT_EQ(byte_count(Shape{1LL << 62}, F32), std::nullopt);
  EXPECT_EQ(shape_text(Shape{1, 2}), "[1, 2]");
  EXPECT_EQ(shape_text(Shape{}), "[]");
  const Shape shape{2, 3, 4};
  for (std::uint64_t i = 0; i < 24; ++i) EXPECT_EQ(index_of(shape, coordinates_of(shape, i)), i);
  EXPECT_EQ(coordinates_of(shape, 23), (Shape{1, 2, 3}));
  EXPECT_EQ(index_of(shape, Shape{1, 0, 2}), 14u);
  EXPECT_EQ(coordinates_of(Shape{}, 0), Shape{});
}

}  // namespace
}  // namespace slipway::tensor
