// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every format of docs/spec/scenario.md#formats is read and written, as DDS, npy, KTX2 and OpenEXR. The table is copied
// from that page, not from the implementation.
#include <gtest/gtest.h>

#include <fstream>

#include "base/format.hpp"
#include "scenario/contents/contents.hpp"
#include "scenario/contents/outputs.hpp"
#include "testing/scenario_case.hpp"

namespace slipway::scenario {
namespace {

struct Row {
  std::string_view name;
  std::uint32_t value;
  std::uint32_t bytes;       // per texel in files
  std::uint32_t components;  // C of npy files
  std::string_view dtype;
  std::uint32_t dxgi;  // 0: none
};

constexpr Row kRows[] = {
    {"R8_UNORM", 9, 1, 1, "|u1", 61},
    {"R8_SNORM", 10, 1, 1, "|i1", 63},
    {"R8_UINT", 13, 1, 1, "|u1", 62},
    {"R8_SINT", 14, 1, 1, "|i1", 64},
    {"R8G8_UNORM", 16, 2, 2, "|u1", 49},
    {"R8G8_SNORM", 17, 2, 2, "|i1", 51},
    {"R8G8_UINT", 20, 2, 2, "|u1", 50},
    {"R8G8_SINT", 21, 2, 2, "|i1", 52},
    {"R8G8B8_UNORM", 23, 4, 3, "|u1", 0},
    {"R8G8B8_SNORM", 24, 4, 3, "|i1", 133},
    {"R8G8B8_UINT", 27, 4, 3, "|u1", 0},
    {"R8G8B8_SINT", 28, 4, 3, "|i1", 134},
    {"R8G8B8_SRGB", 29, 4, 3, "|u1", 0},
    {"B8G8R8_UNORM", 30, 4, 3, "|u1", 88},
    {"B8G8R8_SRGB", 36, 4, 3, "|u1", 93},
    {"R8G8B8A8_UNORM", 37, 4, 4, "|u1", 28},
    {"R8G8B8A8_SNORM", 38, 4, 4, "|i1", 31},
    {"R8G8B8A8_UINT", 41, 4, 4, "|u1", 30},
    {"R8G8B8A8_SINT", 42, 4, 4, "|i1", 32},
    {"R8G8B8A8_SRGB", 43, 4, 4, "|u1", 29},
    {"B8G8R8A8_UNORM", 44, 4, 4, "|u1", 87},
    {"B8G8R8A8_SRGB", 50, 4, 4, "|u1", 91},
    {"R16_UNORM", 70, 2, 1, "<u2", 56},
    {"R16_SNORM", 71, 2, 1, "<i2", 58},
    {"R16_UINT", 74, 2, 1, "<u2", 57},
    {"R16_SINT", 75, 2, 1, "<i2", 59},
    {"R16_SFLOAT", 76, 2, 1, "<f2", 54},
    {"R16G16_UNORM", 77, 4, 2, "<u2", 35},
    {"R16G16_SNORM", 78, 4, 2, "<i2", 37},
    {"R16G16_UINT", 81, 4, 2, "<u2", 36},
    {"R16G16_SINT", 82, 4, 2, "<i2", 38},
    {"R16G16_SFLOAT", 83, 4, 2, "<f2", 34},
    {"R16G16B16A16_UNORM", 91, 8, 4, "<u2", 11},
    {"R16G16B16A16_SNORM", 92, 8, 4, "<i2", 13},
    {"R16G16B16A16_UINT", 95, 8, 4, "<u2", 12},
    {"R16G16B16A16_SINT", 96, 8, 4, "<i2", 14},
    {"R16G16B16A16_SFLOAT", 97, 8, 4, "<f2", 10},
    {"R32_UINT", 98, 4, 1, "<u4", 42},
    {"R32_SINT", 99, 4, 1, "<i4", 43},
    {"R32_SFLOAT", 100, 4, 1, "<f4", 41},
    {"R32G32_UINT", 101, 8, 2, "<u4", 17},
    {"R32G32_SINT", 102, 8, 2, "<i4", 18},
    {"R32G32_SFLOAT", 103, 8, 2, "<f4", 16},
    {"R32G32B32A32_UINT", 107, 16, 4, "<u4", 3},
    {"R32G32B32A32_SINT", 108, 16, 4, "<i4", 4},
    {"R32G32B32A32_SFLOAT", 109, 16, 4, "<f4", 2},
    {"R64_SINT", 111, 8, 1, "<i8", 0},
    {"B10G11R11_UFLOAT_PACK32", 122, 4, 1, "<u4", 26},
    {"D32_SFLOAT", 126, 4, 1, "<f4", 40},
    {"D24_UNORM_S8_UINT", 129, 4, 1, "<u4", 45},
    {"R8_BOOL_ARM", 1000460000, 1, 1, "|b1", 0},
    {"R16_SFLOAT_FPENCODING_BFLOAT16_ARM", 1000460001, 2, 1, "<V2", 0},
    {"R8_SFLOAT_FPENCODING_FLOAT8E4M3_ARM", 1000460002, 1, 1, "<V1", 0},
    {"R8_SFLOAT_FPENCODING_FLOAT8E5M2_ARM", 1000460003, 1, 1, "|u1", 0},
};

std::vector<std::byte> file_bytes(const Path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  return {bytes_of(text).begin(), bytes_of(text).end()};
}

// Plans the scenario and writes the initial contents of image `a` to its `dst`.
std::vector<std::byte> through(const testing::CaseFiles& files, const std::string& image, const Path& output) {
  testing::Case made(files);
  const auto& plan = made.plan(R"({"resources": [{"image": )" + image + R"(}], "commands": []})");
  EXPECT_EQ(made.messages(), "");
  if (!plan) return {};
  const launch::Resource& resource = plan->resources.front();
  const auto bytes = read_contents(resource.initial.front());
  auto file = OutputFile::create(resource.outputs.front().path);
  EXPECT_TRUE(bytes && file && resource.outputs.front().write(*file, *bytes) && file->commit());
  return file_bytes(made / output);
}

// 2x1 texels whose bytes are 1, 2, 3 ...
constexpr std::uint32_t kTexels = 2;

std::string image_of(const Row& row, std::string_view extension) {
  return formatted(
      R"({{"uid": "a", "dims": [{}, 1], "format": "VK_FORMAT_{}", "shader_access": "readonly", "src": "in{}", "dst": "out{}"}})",
      kTexels, row.name, extension, extension);
}

TEST(ImageFormats, ThroughDds) {
  for (const Row& row : kRows) {
    if (row.dxgi == 0) continue;
    SCOPED_TRACE(row.name);
    // Padding: zero bytes after all texels of R8G8B8, 255 within each texel of B8G8R8 (notes a and c).
    const bool rgb = row.name.starts_with("R8G8B8_"), bgr = row.name.starts_with("B8G8R8_");
    std::string recipe = formatted("dds {} {} 1 1\nat 20 u32 {}\nhex", row.dxgi, kTexels, kTexels * row.bytes);
    for (std::uint32_t i = 0; i < kTexels * row.bytes; ++i) {
      const bool padding = rgb ? i >= kTexels * 3 : bgr && i % 4 == 3;
      recipe += formatted(" {:02x}", padding ? (bgr ? 255 : 0) : i + 1);
    }
    EXPECT_EQ(through({{"in.dds", recipe}}, image_of(row, ".dds"), "out.dds"), testing::cook(recipe));
  }
}

TEST(ImageFormats, DepthWithStencilLosesIt) {
  const Row row{"D32_SFLOAT_S8_UINT", 130, 8, 2, "", 20};
  EXPECT_EQ(through({{"in.dds", "dds 20 2 1 1\nf32 0.5\nzeros 4\nf32 1\nzeros 4"}}, image_of(row, ".dds"), "out.dds"),
            testing::cook("dds 40 2 1 1\nat 20 u32 8\nf32 0.5 1"));
}

TEST(ImageFormats, ThroughNpy) {
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.name);
    const std::uint32_t bytes =
        row.name.find("8B8_") != row.name.npos || row.name.find("8R8_") != row.name.npos ? row.components : row.bytes;
    std::string payload = "hex";
    for (std::uint32_t i = 0; i < kTexels * bytes; ++i) payload += formatted(" {:02x}", i + 1);
    const std::string shape = formatted("(1, 1, {}, {})", kTexels, row.components);
    const std::string header = formatted("{{'descr': '{}','fortran_order': False,'shape': {}}}", row.dtype, shape);
    const std::string padding(16 - (10 + header.size() + 1) % 16, ' ');
    const auto expected = testing::cook(formatted("text \\x93NUMPY\nhex 01 00\nu16 {}\ntext {}{}\nhex 0a\n{}",
                                                  header.size() + padding.size() + 1, header, padding, payload));
    EXPECT_EQ(through({{"in.npy", formatted("npy '{}' {}\n{}", row.dtype, shape, payload)}}, image_of(row, ".npy"),
                      "out.npy"),
              expected);
  }
}

TEST(ImageFormats, NumbersAreVulkans) {
  for (const Row& row : kRows) {
    const auto format = vk::from_name<vk::Format>("VK_FORMAT_" + std::string(row.name));
    ASSERT_TRUE(format) << row.name;
    EXPECT_EQ(std::to_underlying(*format), row.value);
  }
}

TEST(ImageFormats, ThroughPng) {
  const std::string recipe = "u8 1 2 3 4 5 6 7 8\npng 2 1";
  const Row row{"R8G8B8A8_UNORM", 37, 4, 4, "|u1", 28};
  EXPECT_EQ(through({{"in.png", recipe}}, image_of(row, ".png"), "out.png"), testing::cook(recipe));
}

// Bytes 1, 2, 3... of texels without padding, in files of `extension` that `step` of a recipe makes.
void expect_through(const Row& row, std::string_view extension, std::string_view step) {
  SCOPED_TRACE(row.name);
  const bool padded = row.name.find("8B8_") != row.name.npos || row.name.find("8R8_") != row.name.npos;
  std::string recipe = "hex";
  for (std::uint32_t i = 0; i < kTexels * (padded ? row.components : row.bytes); ++i)
    recipe += formatted(" {:02x}", i + 1);
  append_formatted(recipe, "\n{}", step);
  EXPECT_EQ(through({{formatted("in{}", extension), recipe}}, image_of(row, extension), formatted("out{}", extension)),
            testing::cook(recipe));
}

TEST(ImageFormats, ThroughKtx2) {
  for (const Row& row : kRows) {
    if (row.name.ends_with("_ARM") || row.name.contains("S8_UINT")) continue;
    expect_through(row, ".ktx2", formatted("ktx2 {} {} 1 1 1", row.value, kTexels));
  }
}

TEST(ImageFormats, ThroughExr) {
  std::size_t count = 0;
  for (const Row& row : kRows) {
    const bool is_float = row.name.contains("FLOAT");
    if (!is_float && !row.name.ends_with("_UINT")) continue;
    if (row.name.contains("S8_UINT")) continue;
    ++count;
    expect_through(row, ".exr", formatted("exr {} {} 1", row.value, kTexels));
  }
  EXPECT_EQ(count, 21u);
}

}  // namespace
}  // namespace slipway::scenario
