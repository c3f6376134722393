// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scenario/contents/inline_contents.hpp"
#include "base/format.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/print_diagnostic.hpp"
#include "scenario/contents/contents.hpp"
#include "tensor/random.hpp"

namespace slipway::scenario {
namespace {

using tensor::ElementType;

// `contents` is the text after "data", "fill" or "random"; the result is the bytes in hexadecimal, or the messages.
class Inline {
 public:
  explicit Inline(const std::string& text) {
    auto parsed = json::parse(make_source("t", text));
    if (!parsed) ADD_FAILURE() << text;
    document_ = *parsed;
    const json::Value root = document_->root();
    const auto type_in = [](json::Value object) {
      return object["type"] ? tensor::element_type_from_name(object["type"].string()) : std::nullopt;
    };
    if (const json::Value data = root["data"]) {
      const bool object = data.is(json::Type::Object);
      contents_.data =
          InlineData{.type = type_in(data), .values = object ? data["values"] : data, .parts = {}, .at = data};
    }
    if (const json::Value fill = root["fill"]) {
      const bool object = fill.is(json::Type::Object);
      contents_.fill = InlineFill{.type = type_in(fill), .value = object ? fill["value"] : fill, .at = fill};
    }
    if (const json::Value random = root["random"]) {
      InlineRandom drawn{.type = type_in(random), .seed = random["seed"].unsigned_integer().value_or(0), .at = random};
      drawn.min = random["min"];
      drawn.max = random["max"];
      if (random["mean"]) drawn.mean = random["mean"].number();
      if (random["stddev"]) drawn.stddev = random["stddev"].number();
      contents_.random = drawn;
    }
  }

  std::string as(const ArrayFormat& format) const {
    Diagnostics diagnostics;
    const auto made = inline_contents(contents_, format, diagnostics);
    if (!made) return format_diagnostics(diagnostics.all(), {.sources = false});
    EXPECT_TRUE(diagnostics.empty());
    EXPECT_EQ(made->size, format.bytes());
    std::string text;
    const auto bytes = read_contents(*made);
    for (const std::byte byte : bytes.value()) text += formatted("{:02x}", std::to_integer<unsigned>(byte));
    return text;
  }
  std::string as(ElementType type, tensor::Shape shape) const {
    return as(ArrayFormat::of_elements(type, std::move(shape)));
  }
  std::string as(vk::Format format, std::array<std::uint32_t, 3> extent) const {
    return as(ArrayFormat::of_texels(*tensor::find_format(format), extent));
  }

 private:
  std::shared_ptr<const json::Document> document_;
  Contents contents_;
};

TEST(InlineContents, DataIsNestedOrFlat) {
  EXPECT_EQ(Inline(R"({"data": [[1, 2], [3, 4]]})").as(ElementType::U8, {2, 2}), "01020304");
  EXPECT_EQ(Inline(R"({"data": [1, 2, 3, 4]})").as(ElementType::U8, {2, 2}), "01020304");
  EXPECT_EQ(Inline(R"({"data": {"type": "u8", "values": [1, 2]}})").as(ElementType::U8, {2}), "0102");
  EXPECT_EQ(Inline(R"({"data": [7]})").as(ElementType::I32, {}), "07000000");
}

TEST(InlineContents, ShapesThatDoNotFit) {
  EXPECT_EQ(Inline(R"({"data": [1, 2, 3]})").as(ElementType::U8, {2, 2}),
            "t:1:10: error: 3 numbers are given, but 4 of type u8 are needed, for the shape [2, 2] [out-of-range]\n"
            "  = at /data\n");
  EXPECT_EQ(Inline(R"({"data": [[1, 2], [3], 4]})").as(ElementType::U8, {2, 2}),
            "t:1:10: error: this array has 3 elements, but must have 2 [out-of-range]\n  = at /data\n");
  EXPECT_EQ(Inline(R"({"data": [[1], 4]})").as(ElementType::U8, {2, 2}),
            "t:1:11: error: this array has 1 elements, but must have 2 [out-of-range]\n  = at /data/0\n"
            "t:1:16: error: expected an array of 2 elements, but here is a number [wrong-type]\n  = at /data/1\n");
  EXPECT_EQ(Inline(R"({"data": [[[1]], [[2]]]})").as(ElementType::U8, {2, 1}),
            "t:1:12: error: expected a number, but here is an array [out-of-range]\n  = at /data/0/0\n"
            "t:1:19: error: expected a number, but here is an array [out-of-range]\n  = at /data/1/0\n");
  EXPECT_EQ(Inline(R"({"data": {"type": "i8", "values": [1]}})").as(ElementType::U8, {1}),
            "t:1:19: error: `type` is i8, but the elements here are u8 [wrong-type]\n  = at /data/type\n");
}

TEST(InlineContents, Elements) {
  EXPECT_EQ(Inline(R"({"data": [true, false, 1]})").as(ElementType::Bool, {3}), "010001");
  EXPECT_EQ(Inline(R"({"data": [-0.0, "nan", "-inf", "0x3f800001"]})").as(ElementType::F32, {4}),
            "000000800000c07f000080ff0100803f");
  EXPECT_EQ(Inline(R"({"data": [1, 65504, 0.1]})").as(ElementType::F16, {3}), "003cff7b662e");
  EXPECT_EQ(Inline(R"({"data": [18446744073709551615]})").as(ElementType::U64, {1}), "ffffffffffffffff");
  EXPECT_EQ(Inline(R"({"data": [-9223372036854775808, 4.0]})").as(ElementType::I64, {2}),
            "00000000000000800400000000000000");
}

TEST(InlineContents, ElementsThatDoNotFit) {
  const std::string messages =
      Inline(R"({"data": [256, -1, 1.5, "nan", "0x100", "x", null]})").as(ElementType::U8, {7});
  EXPECT_EQ(std::ranges::count(messages, '['), 7) << messages;
  EXPECT_NE(messages.find("t:1:11: error: "), std::string::npos) << messages;
  EXPECT_NE(messages.find("expected a number, but here is null"), std::string::npos) << messages;
  EXPECT_NE(Inline(R"({"data": [70000]})").as(ElementType::F16, {1}).find("[out-of-range]"), std::string::npos);
}

TEST(InlineContents, Texels) {
  using vk::Format;
  EXPECT_EQ(Inline(R"({"data": [[[0, 0.5], [1, 0.25]]]})").as(Format::R8G8_UNORM, {2, 1, 1}), "0080ff40");
  EXPECT_EQ(Inline(R"({"data": [[-1, 1], [0, 0.5]]})").as(Format::R8_SNORM, {2, 2, 1}), "817f0040");
  EXPECT_EQ(Inline(R"({"data": [[[[1]]], [[[2]]]]})").as(Format::R8_UINT, {1, 1, 2}), "0102");
  EXPECT_EQ(Inline(R"({"data": [[[1]], [[2]]]})").as(Format::R8_UINT, {1, 1, 2}), "0102");
  EXPECT_EQ(Inline(R"({"data": [1, 2, 3]})").as(Format::R8G8B8_UINT, {1, 1, 1}), "010203");
  EXPECT_EQ(Inline(R"({"data": [1, 0, 0.5, 1]})").as(Format::B8G8R8A8_UNORM, {1, 1, 1}), "ff0080ff");
  EXPECT_EQ(Inline(R"({"data": ["0x80"]})").as(Format::R8_UNORM, {1, 1, 1}), "80");
  EXPECT_EQ(Inline(R"({"fill": [0, 1]})").as(Format::R8G8_UNORM, {2, 1, 1}), "00ff00ff");
  EXPECT_EQ(Inline(R"({"fill": 1})").as(Format::R8G8_UNORM, {1, 1, 1}), "ffff");
  EXPECT_EQ(Inline(R"({"fill": [0, 1, 2]})").as(Format::R8G8_UINT, {1, 1, 1}),
            "t:1:10: error: `fill` has 3 numbers, but a texel has 2 components [out-of-range]\n  = at /fill\n");
  EXPECT_NE(Inline(R"({"data": [1.5]})").as(Format::R8_UNORM, {1, 1, 1}).find("[out-of-range]"), std::string::npos);
}

TEST(InlineContents, FillRepeats) {
  EXPECT_EQ(Inline(R"({"fill": 3})").as(ElementType::U16, {5}), "03000300030003000300");
  EXPECT_EQ(Inline(R"({"fill": {"type": "u8", "value": "0x07"}})").as(ElementType::U8, {1}), "07");
  EXPECT_EQ(Inline(R"({"fill": [1, 2]})").as(ElementType::U8, {2}),
            "t:1:10: error: `fill` takes one number here; arrays are for the components of images [out-of-range]\n"
            "  = at /fill\n");
  EXPECT_EQ(std::ranges::count(Inline(R"({"fill": -1})").as(vk::Format::R8G8_UINT, {1, 1, 1}), '['), 1);
}

TEST(InlineContents, RandomIsTheGenerators) {
  std::vector<std::byte> expected(8);
  ASSERT_TRUE(
      tensor::fill_random(ElementType::F32, {.seed = 7, .distribution = tensor::NormalDistribution{1, 2}}, expected));
  std::string text;
  for (const std::byte byte : expected) text += formatted("{:02x}", std::to_integer<unsigned>(byte));
  EXPECT_EQ(Inline(R"({"random": {"seed": 7, "mean": 1, "stddev": 2}})").as(ElementType::F32, {2}), text);

  // The first draw of seed 0 is 0xe220a8397b1dcdaf.
  EXPECT_EQ(Inline(R"({"random": {"seed": 0}})").as(ElementType::U64, {1}), "afcd1d7b39a820e2");
  EXPECT_EQ(Inline(R"({"random": {"seed": 0, "min": 5, "max": 5}})").as(ElementType::U8, {2}), "0505");
  EXPECT_EQ(Inline(R"({"random": {"seed": 0, "min": 1, "max": 1}})").as(vk::Format::R8G8_UNORM, {1, 1, 1}), "ffff");
  EXPECT_NE(Inline(R"({"random": {"seed": 0, "min": 2, "max": 1}})").as(ElementType::U8, {1}).find("[out-of-range]"),
            std::string::npos);
  EXPECT_NE(
      Inline(R"({"random": {"seed": 0, "mean": 1, "stddev": 1}})").as(ElementType::U8, {1}).find("[out-of-range]"),
      std::string::npos);
}

}  // namespace
}  // namespace slipway::scenario
