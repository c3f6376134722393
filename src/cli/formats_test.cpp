// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/formats.hpp"

#include <gmock/gmock.h>

#include <random>

namespace slipway::cli {
namespace {

using ::testing::ElementsAre;

TEST(JsonKeys, TwoLevelsInOrder) {
  EXPECT_THAT(json_keys(R"({"a": {"b": [1, {"deep": 2}], "c": {"deeper": {"x": 1}}}, "d": "e:", "f": []})"),
              ElementsAre("a", "a/b", "a/c", "d", "f"));
}

TEST(JsonKeys, SkipSyntaxErrors) {
  EXPECT_THAT(json_keys("\xef\xbb\xbf // c\n {/* {\"no\":1} */ \"a\" /* c */ : 1, \"b\": nonsense }"),
              ElementsAre("a", "b"));
  EXPECT_THAT(json_keys("{\"a\": [1, 2"), ElementsAre("a"));
  EXPECT_THAT(json_keys("{\"a\": \"unterminated"), ElementsAre("a"));
  EXPECT_THAT(json_keys("{\"a\\\"b\": 1, \"c\\"), ElementsAre("a\\\"b"));
  EXPECT_THAT(json_keys("[{\"a\": 1}]"), ElementsAre());
  EXPECT_THAT(json_keys("] } {\"a\": 1}"), ElementsAre());
  EXPECT_THAT(json_keys("{}, {\"a\": 1}"), ElementsAre());
  EXPECT_THAT(json_keys("/"), ElementsAre());
  EXPECT_THAT(json_keys(""), ElementsAre());
}

TEST(JsonKeys, AreBoundedForHostileText) {
  std::string text = "{";
  for (int i = 0; i < 100000; ++i) text += "\"k\":1,";
  EXPECT_EQ(json_keys(text).size(), 1000);
  EXPECT_THAT(json_keys(std::string(1'000'000, '[')), ElementsAre());
  EXPECT_THAT(json_keys("{\"a\":" + std::string(1'000'000, '{')), ElementsAre("a"));
}

TEST(Formats, AreDetectedFromTheContents) {
  const auto name_of = [](std::string_view text) {
    const Format* format = format_of({.path = "x", .bytes = bytes_of(text), .keys = json_keys(text)});
    return format ? format->name : "";
  };
  EXPECT_EQ(name_of(R"({"commands": [], "resources": []})"), "scenario");
  EXPECT_EQ(name_of(R"({"resources": [)"), "scenario");
  EXPECT_EQ(name_of(R"({"greeting": 1})"), "");
  EXPECT_EQ(name_of(R"({"header": {}, "resources": []})"), "recipe");
  // What vgf_dump prints.
  EXPECT_EQ(name_of(R"({"constants": [], "header": {"major": 0}, "model_sequence": {}, "resources": []})"), "");
  EXPECT_EQ(name_of(""), "");
}

TEST(Formats, ArePromisedByNamesAndMisspelledKeys) {
  const auto promised = [](const char* path, std::string_view text) {
    const Format* format = promised_format({.path = path, .bytes = bytes_of(text), .keys = json_keys(text)});
    return format ? format->name : "";
  };
  EXPECT_EQ(promised("a.vgf", ""), "vgf");
  EXPECT_EQ(promised("a.mlirbc", "ML"), "mlir");
  EXPECT_EQ(promised("a.txt", ""), "");
  EXPECT_EQ(promised("a.suffixes", ""), "");
  EXPECT_EQ(promised("kernel",
                     "\x7f"
                     "ELF\x02"),
            "zebin");
  EXPECT_EQ(promised("library",
                     "\x7f"
                     "ELF\x02" +
                         std::string(60, '\0')),
            "");
  EXPECT_EQ(promised("a.json", R"({"comands": [], "resource": []})"), "scenario");
  EXPECT_EQ(promised("a.json", R"({"resorces": [], "execution": {}})"), "recipe");
  // Files of others, and keys that are not those of the object itself.
  EXPECT_EQ(promised("package.json", R"({"name": "x", "version": "1", "scripts": {}})"), "");
  EXPECT_EQ(promised("a.json", R"({"command": "x", "args": []})"), "");
  EXPECT_EQ(promised("a.json", R"({"command": "x", "resource": "y", "args": []})"), "");
  EXPECT_EQ(promised("a.json", R"({"commands": [], "resource": [], "version": 1})"), "scenario");
  EXPECT_EQ(promised("a.json", R"({"x": {"comands": [], "resource": []}})"), "");
  EXPECT_EQ(promised("a.vgf.json", R"({"header": {"major": 0}, "model_sequence": {}, "resources": []})"), "");
}

// What follows the head of a file may be any bytes, or any letters.
TEST(Formats, RandomContentsDoNotDecide) {
  struct Head {
    std::string_view format, bytes;
  };
  using namespace std::string_view_literals;
  constexpr Head kHeads[] = {
      {"mlir", "ML\xEFR\rMLIR22\0"sv}, {"tosa", "\x10\0\0\0TOSA"sv},       {"vgf", "VGF1"sv},
      {"spirv", "\x03\x02\x23\x07"sv}, {"mlir", "func.func @f() { // "sv}, {"mlir", "/// TOSA\nfunc.func @f() { // "sv},
      {"graph", "graph m { // "sv}};
  constexpr std::string_view kWords[] = {"tf.",
                                         "OpCapability OpMemoryModel ",
                                         "[numthreads(1)]",
                                         "#version 450",
                                         "kernels:",
                                         ".ze_info",
                                         "@compute fn ",
                                         "__kernel ",
                                         "\"resources\"",
                                         "graph "};
  std::mt19937 random(1);
  for (int i = 0; i < 10000; ++i) {
    const Head& head = kHeads[static_cast<std::size_t>(i) % std::size(kHeads)];
    const bool text = head.bytes.ends_with("// ");
    std::string bytes(head.bytes);
    for (int k = 0; k < 200; ++k) bytes += static_cast<char>(text ? ' ' + random() % 95 : random() % 256);
    bytes += kWords[random() % std::size(kWords)];
    const Format* format = format_of({.path = "x", .bytes = bytes_of(bytes), .keys = json_keys(bytes)});
    ASSERT_TRUE(format) << i;
    ASSERT_EQ(format->name, head.format) << i;
  }
}

TEST(DescribeContents, ShowsKeysTextOrBytes) {
  const auto of = [](std::string_view text) {
    return describe_contents({.bytes = bytes_of(text), .keys = json_keys(text)});
  };
  EXPECT_EQ(of(""), "an empty file");
  EXPECT_EQ(of("hello\nworld"), "text that begins with `hello`");
  EXPECT_EQ(of(std::string_view("\x7f"
                                "ELF\x01\0",
                                6)),
            "bytes that begin with 7f 45 4c 46 01 00");
  EXPECT_EQ(of(R"({"a": {"b": 1}, "c": 2})"), "a JSON object with `a`, `c`");
  EXPECT_EQ(of(R"({"a":1,"b":1,"c":1,"d":1,"e":1,"f":1})"), "a JSON object with `a`, `b`, `c`, `d`, `e`, ...");
}

}  // namespace
}  // namespace slipway::cli
