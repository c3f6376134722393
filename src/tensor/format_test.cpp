// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/format.hpp"
#include "tensor/format.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>

#include "base/print_diagnostic.hpp"

namespace slipway::tensor {
namespace {

using vk::Format;

std::vector<std::byte> bytes(std::initializer_list<int> values) {
  std::vector<std::byte> out;
  for (const int value : values) out.push_back(static_cast<std::byte>(value));
  return out;
}

const FormatInfo& info(Format format) { return *find_format(format); }

// The plain layout, as texts.
std::string plain(Format format, Bytes device) {
  const auto unpacked = unpack(info(format), device);
  const ElementType type = info(format).component;
  std::string text;
  for (std::size_t i = 0; i < unpacked.size(); i += size_of(type)) {
    text += (i ? " " : "") + text_of(type, unpacked.data() + i);
  }
  return text;
}

// One texel from numbers, in the plain layout; or the message.
std::string texel(Format format, std::initializer_list<Number> values) {
  std::vector<std::byte> device(info(format).texel_bytes);
  std::uint32_t component = 0;
  for (const Number value : values) {
    const Stored stored = store_component(info(format), component++, value, device.data());
    if (!stored) return stored.error();
  }
  return plain(format, device);
}

std::string word(Format format, std::uint32_t component, std::string_view text) {
  std::vector<std::byte> device(info(format).texel_bytes);
  const Stored stored = store_component_word(info(format), component, text, device.data());
  return stored ? plain(format, device) : stored.error();
}

struct Row {
  const char* name;
  std::uint32_t value;
  std::uint32_t file_bytes;
  std::uint32_t components;
  std::uint32_t dxgi;
};

// docs/spec/scenario.md#formats, row by row.
constexpr Row kPage[] = {
    {"R8_UNORM", 9, 1, 1, 61},
    {"R8_SNORM", 10, 1, 1, 63},
    {"R8_UINT", 13, 1, 1, 62},
    {"R8_SINT", 14, 1, 1, 64},
    {"R8G8_UNORM", 16, 2, 2, 49},
    {"R8G8_SNORM", 17, 2, 2, 51},
    {"R8G8_UINT", 20, 2, 2, 50},
    {"R8G8_SINT", 21, 2, 2, 52},
    {"R8G8B8_UNORM", 23, 4, 3, 0},
    {"R8G8B8_SNORM", 24, 4, 3, 133},
    {"R8G8B8_UINT", 27, 4, 3, 0},
    {"R8G8B8_SINT", 28, 4, 3, 134},
    {"R8G8B8_SRGB", 29, 4, 3, 0},
    {"B8G8R8_UNORM", 30, 4, 3, 88},
    {"B8G8R8_SRGB", 36, 4, 3, 93},
    {"R8G8B8A8_UNORM", 37, 4, 4, 28},
    {"R8G8B8A8_SNORM", 38, 4, 4, 31},
    {"R8G8B8A8_UINT", 41, 4, 4, 30},
    {"R8G8B8A8_SINT", 42, 4, 4, 32},
    {"R8G8B8A8_SRGB", 43, 4, 4, 29},
    {"B8G8R8A8_UNORM", 44, 4, 4, 87},
    {"B8G8R8A8_SRGB", 50, 4, 4, 91},
    {"R16_UNORM", 70, 2, 1, 56},
    {"R16_SNORM", 71, 2, 1, 58},
    {"R16_UINT", 74, 2, 1, 57},
    {"R16_SINT", 75, 2, 1, 59},
    {"R16_SFLOAT", 76, 2, 1, 54},
    {"R16G16_UNORM", 77, 4, 2, 35},
    {"R16G16_SNORM", 78, 4, 2, 37},
    {"R16G16_UINT", 81, 4, 2, 36},
    {"R16G16_SINT", 82, 4, 2, 38},
    {"R16G16_SFLOAT", 83, 4, 2, 34},
    {"R16G16B16A16_UNORM", 91, 8, 4, 11},
    {"R16G16B16A16_SNORM", 92, 8, 4, 13},
    {"R16G16B16A16_UINT", 95, 8, 4, 12},
    {"R16G16B16A16_SINT", 96, 8, 4, 14},
    {"R16G16B16A16_SFLOAT", 97, 8, 4, 10},
    {"R32_UINT", 98, 4, 1, 42},
    {"R32_SINT", 99, 4, 1, 43},
    {"R32_SFLOAT", 100, 4, 1, 41},
    {"R32G32_UINT", 101, 8, 2, 17},
    {"R32G32_SINT", 102, 8, 2, 18},
    {"R32G32_SFLOAT", 103, 8, 2, 16},
    {"R32G32B32A32_UINT", 107, 16, 4, 3},
    {"R32G32B32A32_SINT", 108, 16, 4, 4},
    {"R32G32B32A32_SFLOAT", 109, 16, 4, 2},
    {"R64_SINT", 111, 8, 1, 0},
    {"B10G11R11_UFLOAT_PACK32", 122, 4, 3, 26},
    {"D32_SFLOAT", 126, 4, 1, 40},
    {"D24_UNORM_S8_UINT", 129, 4, 2, 45},
    {"D32_SFLOAT_S8_UINT", 130, 8, 2, 20},
    {"R8_BOOL_ARM", 1000460000, 1, 1, 0},
    {"R16_SFLOAT_FPENCODING_BFLOAT16_ARM", 1000460001, 2, 1, 0},
    {"R8_SFLOAT_FPENCODING_FLOAT8E4M3_ARM", 1000460002, 1, 1, 0},
    {"R8_SFLOAT_FPENCODING_FLOAT8E5M2_ARM", 1000460003, 1, 1, 0},
};

constexpr Row kBlocks[] = {
    {"BC1_RGBA_UNORM", 133, 8, 4, 71}, {"BC1_RGBA_SRGB", 134, 8, 4, 72}, {"BC2_UNORM", 135, 16, 4, 74},
    {"BC2_SRGB", 136, 16, 4, 75},      {"BC3_UNORM", 137, 16, 4, 77},    {"BC3_SRGB", 138, 16, 4, 78},
    {"BC4_UNORM", 139, 8, 1, 80},      {"BC4_SNORM", 140, 8, 1, 81},     {"BC5_UNORM", 141, 16, 2, 83},
    {"BC5_SNORM", 142, 16, 2, 84},     {"BC6H_UFLOAT", 143, 16, 3, 95},  {"BC6H_SFLOAT", 144, 16, 3, 96},
    {"BC7_UNORM", 145, 16, 4, 98},     {"BC7_SRGB", 146, 16, 4, 99},
};

void expect_row(const Row& row, std::string_view suffix, bool listed) {
  const std::string name = formatted("VK_FORMAT_{}{}", row.name, suffix);
  SCOPED_TRACE(name);
  const auto format = vk::from_name<Format>(name);
  ASSERT_TRUE(format);
  EXPECT_EQ(static_cast<std::uint32_t>(*format), row.value);
  const FormatInfo* found = find_format(*format);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->format, *format);
  EXPECT_EQ(found->file_texel_bytes, row.file_bytes);
  EXPECT_EQ(found->components, row.components);
  EXPECT_EQ(found->dxgi, row.dxgi);
  EXPECT_EQ(found->listed, listed);
  EXPECT_EQ(find_dxgi(row.dxgi), row.dxgi == 0 ? nullptr : found);
  EXPECT_EQ(found->is_block(), !listed);
  EXPECT_TRUE(std::string_view(row.name).contains(name_of(found->numeric)) || *format == Format::R8_BOOL_ARM);
}

TEST(Formats, EveryRowOfTheSpecification) {
  for (const Row& row : kPage) expect_row(row, "", true);
  for (const Row& row : kBlocks) expect_row(row, "_BLOCK", false);
  std::size_t listed = 0;
  for (const FormatInfo& known : known_formats()) listed += known.listed;
  EXPECT_EQ(listed, std::size(kPage));
}

// Texel bytes, component type, npy element type x components, and the offsets of the channels.
std::string describe(Format format) {
  const FormatInfo* found = find_format(format);
  if (!found) return "unknown";
  std::string text = formatted("{} {} {}x{}", found->texel_bytes, name_of(found->component), name_of(found->stored),
                               found->stored_components);
  for (std::uint32_t i = 0; i < found->components && !found->is_block(); ++i) {
    text += formatted(" {}{}@{}", found->channel[i].letter, found->channel[i].bits, found->channel[i].offset);
  }
  if (found->depth) text += " depth";
  if (found->stencil) text += " stencil";
  return text;
}

TEST(Formats, ChannelsComeFromTheName) {
  EXPECT_EQ(describe(Format::R8G8B8A8_UNORM), "4 u8 u8x4 R8@0 G8@8 B8@16 A8@24");
  EXPECT_EQ(describe(Format::B8G8R8A8_SRGB), "4 u8 u8x4 B8@0 G8@8 R8@16 A8@24");
  EXPECT_EQ(describe(Format::R8G8B8_SNORM), "3 i8 i8x3 R8@0 G8@8 B8@16");
  EXPECT_EQ(describe(Format::R16G16_SFLOAT), "4 f16 f16x2 R16@0 G16@16");
  EXPECT_EQ(describe(Format::R64G64B64A64_SFLOAT), "32 f64 f64x4 R64@0 G64@64 B64@128 A64@192");
  EXPECT_EQ(describe(Format::R64_UINT), "8 u64 u64x1 R64@0");
  EXPECT_EQ(describe(Format::R32_SINT), "4 i32 i32x1 R32@0");
  EXPECT_EQ(describe(Format::A2B10G10R10_UNORM_PACK32), "4 u16 u32x1 R10@0 G10@10 B10@20 A2@30");
  EXPECT_EQ(describe(Format::A2R10G10B10_SINT_PACK32), "4 i16 u32x1 B10@0 G10@10 R10@20 A2@30");
  EXPECT_EQ(describe(Format::B10G11R11_UFLOAT_PACK32), "4 f32 u32x1 R11@0 G11@11 B10@22");
  EXPECT_EQ(describe(Format::R5G6B5_UNORM_PACK16), "2 u8 u16x1 B5@0 G6@5 R5@11");
  EXPECT_EQ(describe(Format::R4G4_UNORM_PACK8), "1 u8 u8x1 G4@0 R4@4");
  EXPECT_EQ(describe(Format::A8B8G8R8_UINT_PACK32), "4 u8 u32x1 R8@0 G8@8 B8@16 A8@24");
  EXPECT_EQ(describe(Format::R10X6_UNORM_PACK16), "2 u16 u16x1 R10@6");
  EXPECT_EQ(describe(Format::A4R4G4B4_UNORM_PACK16), "2 u8 u16x1 B4@0 G4@4 R4@8 A4@12");
  EXPECT_EQ(describe(Format::D16_UNORM), "2 u16 u16x1 D16@0 depth");
  EXPECT_EQ(describe(Format::X8_D24_UNORM_PACK32), "4 u32 u32x1 D24@0 depth");
  EXPECT_EQ(describe(Format::D32_SFLOAT), "4 f32 f32x1 D32@0 depth");
  EXPECT_EQ(describe(Format::S8_UINT), "1 u8 u8x1 S8@0 stencil");
  EXPECT_EQ(describe(Format::D24_UNORM_S8_UINT), "4 u32 u32x1 D24@0 S8@24 depth stencil");
  EXPECT_EQ(describe(Format::D32_SFLOAT_S8_UINT), "4 f32 u64x1 D32@0 S8@32 depth stencil");
  EXPECT_EQ(describe(Format::R8_BOOL_ARM), "1 bool boolx1 R8@0");
  EXPECT_EQ(describe(Format::R16_SFLOAT_FPENCODING_BFLOAT16_ARM), "2 bf16 bf16x1 R16@0");
  EXPECT_EQ(describe(Format::BC7_SRGB_BLOCK), "16 u8 u8x1");
}

TEST(Formats, UnknownLayoutsAreNull) {
  for (const Format format :
       {Format::UNDEFINED, Format::R8_USCALED, Format::A2B10G10R10_SSCALED_PACK32, Format::E5B9G9R9_UFLOAT_PACK32,
        Format::G8B8G8R8_422_UNORM, Format::G8_B8_R8_3PLANE_420_UNORM, Format::R10X6G10X6_UNORM_2PACK16,
        Format::ASTC_4x4_UNORM_BLOCK, Format::BC1_RGB_UNORM_BLOCK, Format::D16_UNORM_S8_UINT, Format{4711}}) {
    EXPECT_EQ(describe(format), "unknown") << vk::name_of(format);
  }
  EXPECT_EQ(find_dxgi(0), nullptr);
  EXPECT_EQ(find_dxgi(1), nullptr);
}

// Every known format: the sizes are consistent, and `unpack` returns the raw bits of each component.
TEST(Formats, ChannelsFillTheirTexel) {
  for (const FormatInfo& known : known_formats()) {
    SCOPED_TRACE(vk::name_of(known.format));
    EXPECT_EQ(find_format(known.format), &known);
    EXPECT_LE(known.texel_bytes, known.file_texel_bytes);
    if (known.is_block()) {
      EXPECT_TRUE(unpack(known, std::vector<std::byte>(known.texel_bytes)).empty());
      continue;
    }
    const std::uint32_t size = size_of(known.component);
    const std::uint32_t stored = known.packed ? 1 : known.components;
    EXPECT_EQ(known.stored_components, stored);
    for (std::uint32_t c = 0; c < known.components; ++c) {
      const Channel& channel = known.channel[c];
      if (known.format == Format::D32_SFLOAT_S8_UINT && channel.letter == 'S') continue;
      std::vector<std::byte> texel(known.texel_bytes);
      ASSERT_TRUE(store_component_word(known, c, "0x1", texel.data()));
      const auto unpacked = unpack(known, texel);
      ASSERT_EQ(unpacked.size(), known.components * size);
      for (std::uint32_t other = 0; other < known.components; ++other) {
        const double value = std::fabs(double_of(known.component, unpacked.data() + other * size));
        if (other == c)
          EXPECT_GT(value, 0);
        else
          EXPECT_EQ(value, 0);
      }
    }
  }
}

TEST(Formats, LevelsInBytes) {
  EXPECT_EQ(level_bytes(info(Format::R8G8B8_UNORM), 5, 3), 45u);
  EXPECT_EQ(file_level_bytes(info(Format::R8G8B8_UNORM), 5, 3), 60u);
  EXPECT_EQ(level_bytes(info(Format::R16_SFLOAT), 5, 3, 2), 60u);
  EXPECT_EQ(level_bytes(info(Format::BC1_RGBA_UNORM_BLOCK), 5, 3), 16u);
  EXPECT_EQ(file_level_bytes(info(Format::BC7_UNORM_BLOCK), 1, 1), 16u);
  EXPECT_EQ(level_bytes(info(Format::R32_UINT), 1ull << 32, 1ull << 31), std::nullopt);
}

TEST(Formats, FileLayouts) {
  std::vector<std::byte> device(6);
  // Note a: tightly packed texels, then padding.
  const auto& rgb = info(Format::R8G8B8_SINT);
  EXPECT_TRUE(has_tail_padding(rgb));
  EXPECT_FALSE(from_file_layout(rgb, bytes({1, 2, 3, 4, 5, 6, 9, 9}), device));
  EXPECT_EQ(device, bytes({1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(to_file_layout(rgb, device), bytes({1, 2, 3, 4, 5, 6, 0, 0}));
  // Note c: X in every texel.
  const auto& bgr = info(Format::B8G8R8_UNORM);
  EXPECT_FALSE(has_tail_padding(bgr));
  EXPECT_FALSE(from_file_layout(bgr, bytes({1, 2, 3, 9, 4, 5, 6, 9}), device));
  EXPECT_EQ(device, bytes({1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(to_file_layout(bgr, device), bytes({1, 2, 3, 255, 4, 5, 6, 255}));
  // Note d: depth, stencil, three unused bytes.
  const auto& depth = info(Format::D32_SFLOAT_S8_UINT);
  device.resize(8);
  EXPECT_FALSE(from_file_layout(depth, bytes({1, 2, 3, 4, 0, 7, 7, 7, 5, 6, 7, 8, 0, 7, 7, 7}), device));
  EXPECT_EQ(device, bytes({1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_TRUE(from_file_layout(depth, bytes({1, 2, 3, 4, 0, 0, 0, 0, 5, 6, 7, 8, 1, 0, 0, 0}), device));
  EXPECT_EQ(to_file_layout(depth, device), bytes({1, 2, 3, 4, 0, 0, 0, 0, 5, 6, 7, 8, 0, 0, 0, 0}));
  EXPECT_EQ(created_as(Format::D32_SFLOAT_S8_UINT), Format::D32_SFLOAT);
  EXPECT_EQ(created_as(Format::R8_UNORM), Format::R8_UNORM);
  // All others are unchanged.
  device.resize(4);
  EXPECT_FALSE(from_file_layout(info(Format::R16G16_UINT), bytes({1, 2, 3, 4}), device));
  EXPECT_EQ(to_file_layout(info(Format::R16G16_UINT), device), bytes({1, 2, 3, 4}));
  EXPECT_FALSE(from_file_layout(bgr, {}, {}));
  EXPECT_TRUE(to_file_layout(bgr, {}).empty());
}

TEST(Formats, UnpackedTexels) {
  EXPECT_EQ(plain(Format::B8G8R8A8_UNORM, bytes({1, 2, 3, 4})), "1 2 3 4");
  // R 1.0 (0x3c0), G 2.0 (0x400), B 0.5 (0x1c0 of ten bits).
  EXPECT_EQ(plain(Format::B10G11R11_UFLOAT_PACK32, bytes({0xc0, 0x03, 0x20, 0x70})), "1 2 0.5");
  EXPECT_EQ(plain(Format::A2B10G10R10_SNORM_PACK32, bytes({0xff, 0x03, 0x00, 0xa0})), "-1 0 -512 -2");
  EXPECT_EQ(plain(Format::A2B10G10R10_UINT_PACK32, bytes({0xff, 0x03, 0x00, 0xa0})), "1023 0 512 2");
  EXPECT_EQ(plain(Format::R5G6B5_UNORM_PACK16, bytes({0x1f, 0xf8})), "31 0 31");
  EXPECT_EQ(plain(Format::D24_UNORM_S8_UINT, bytes({1, 0, 0x80, 7})), "8388609 7");
  EXPECT_EQ(plain(Format::X8_D24_UNORM_PACK32, bytes({1, 0, 0, 0xff})), "1");
  EXPECT_EQ(plain(Format::D32_SFLOAT_S8_UINT, bytes({0, 0, 0x80, 0x3f})), "1 0");
}

TEST(Formats, ComponentsFromNumbers) {
  EXPECT_EQ(texel(Format::R8G8B8A8_UNORM, {0, 1, 0.5, 0.1}), "0 255 128 26");
  EXPECT_EQ(texel(Format::R8_SRGB, {0.5}), "128");
  EXPECT_EQ(texel(Format::R8G8_SNORM, {-1, 0.25}), "-127 32");
  EXPECT_EQ(texel(Format::R16G16_UNORM, {1, 0.3}), "65535 19660");
  EXPECT_EQ(texel(Format::R8G8_SINT, {-128, 127}), "-128 127");
  EXPECT_EQ(texel(Format::R16G16_SFLOAT, {0.1, -2}), "0.1 -2");
  EXPECT_EQ(texel(Format::R8_BOOL_ARM, {1}), "true");
  EXPECT_EQ(texel(Format::R64_SINT, {std::int64_t{-5}}), "-5");
  EXPECT_EQ(texel(Format::B10G11R11_UFLOAT_PACK32, {1, 65024, 0.3}), "1 65024 0.296875");
  EXPECT_EQ(texel(Format::A2B10G10R10_UNORM_PACK32, {1, 0.5, 0, 1}), "1023 512 0 3");
  EXPECT_EQ(texel(Format::A2B10G10R10_SNORM_PACK32, {-1, 0.5, 0, -1}), "-511 256 0 -1");
  EXPECT_EQ(texel(Format::D24_UNORM_S8_UINT, {1, 200}), "16777215 200");
  EXPECT_EQ(texel(Format::R5G6B5_UNORM_PACK16, {1, 0.5, 0}), "31 32 0");
}

TEST(Formats, ComponentsOutOfRange) {
  EXPECT_EQ(texel(Format::R8_UNORM, {1.01}), "`1.01` is out of range for component R of `VK_FORMAT_R8_UNORM` (0 to 1)");
  EXPECT_EQ(texel(Format::R8_UNORM, {NAN}), "`nan` is out of range for component R of `VK_FORMAT_R8_UNORM` (0 to 1)");
  EXPECT_EQ(texel(Format::R8G8_SNORM, {0, -2}),
            "`-2` is out of range for component G of `VK_FORMAT_R8G8_SNORM` (-1 to 1)");
  EXPECT_EQ(texel(Format::R8_UINT, {256}), "`256` is out of range for component R of `VK_FORMAT_R8_UINT` (0 to 255)");
  EXPECT_EQ(texel(Format::R8_UINT, {0.5}),
            "`0.5` is not a whole number, which component R of `VK_FORMAT_R8_UINT` needs");
  EXPECT_EQ(texel(Format::A2B10G10R10_UINT_PACK32, {0, 0, 1024}),
            "`1024` is out of range for component B of `VK_FORMAT_A2B10G10R10_UINT_PACK32` (0 to 1023)");
  EXPECT_EQ(texel(Format::B10G11R11_UFLOAT_PACK32, {-0.5}),
            "`-0.5` is out of range for component R of `VK_FORMAT_B10G11R11_UFLOAT_PACK32` (0 to 65024)");
  EXPECT_EQ(texel(Format::B10G11R11_UFLOAT_PACK32, {0, 0, 70000}),
            "`70000` is out of range for component B of `VK_FORMAT_B10G11R11_UFLOAT_PACK32` (0 to 64512)");
  EXPECT_EQ(texel(Format::R16_SFLOAT, {70000}), "`70000` is out of range for `f16` (-65504 to 65504)");
}

TEST(Formats, ComponentsFromWords) {
  EXPECT_EQ(word(Format::R16G16_SFLOAT, 1, "-inf"), "0 -inf");
  EXPECT_EQ(word(Format::R8G8_SNORM, 1, "0xff"), "0 -1");
  EXPECT_EQ(word(Format::A2B10G10R10_UINT_PACK32, 3, "0x3"), "0 0 0 3");
  EXPECT_EQ(word(Format::A2B10G10R10_UINT_PACK32, 3, "0x4"),
            "`0x4` has more than the 2 bits of component A of `VK_FORMAT_A2B10G10R10_UINT_PACK32`");
  EXPECT_EQ(word(Format::B10G11R11_UFLOAT_PACK32, 2, "inf"), "0 0 inf");
  EXPECT_EQ(word(Format::B10G11R11_UFLOAT_PACK32, 0, "nan"), "nan 0 0");
  EXPECT_EQ(word(Format::B10G11R11_UFLOAT_PACK32, 0, "-inf"),
            "component R of `VK_FORMAT_B10G11R11_UFLOAT_PACK32` has no negative values");
  EXPECT_EQ(word(Format::R8_UNORM, 0, "nan"), "`nan` needs a float format, not `VK_FORMAT_R8_UNORM`");
  EXPECT_EQ(word(Format::R8_UNORM, 0, "one"), "`one` is not one of `nan`, `inf`, `-inf` and `0x...`");
  EXPECT_EQ(word(Format::R8_SFLOAT_FPENCODING_FLOAT8E4M3_ARM, 0, "inf"), "`e4m3` has no infinity");
}

TEST(Formats, TensorElements) {
  const auto element = [](Format format) {
    const auto type = tensor_element_type(format, SourceLocation::in_file("s.json"));
    return type ? std::string(name_of(*type)) : format_diagnostic(type.error()[0]);
  };
  EXPECT_EQ(element(Format::R8_BOOL_ARM), "bool");
  EXPECT_EQ(element(Format::R8_UINT), "u8");
  EXPECT_EQ(element(Format::R8_UNORM), "u8");
  EXPECT_EQ(element(Format::R8_SINT), "i8");
  EXPECT_EQ(element(Format::R16_UINT), "u16");
  EXPECT_EQ(element(Format::R16_SINT), "i16");
  EXPECT_EQ(element(Format::R16_SNORM), "i16");
  EXPECT_EQ(element(Format::R32_UINT), "u32");
  EXPECT_EQ(element(Format::R32_SINT), "i32");
  EXPECT_EQ(element(Format::R64_SINT), "i64");
  EXPECT_EQ(element(Format::R64_UINT), "u64");
  EXPECT_EQ(element(Format::R16_SFLOAT), "f16");
  EXPECT_EQ(element(Format::R32_SFLOAT), "f32");
  EXPECT_EQ(element(Format::R64_SFLOAT), "f64");
  EXPECT_EQ(element(Format::R16_SFLOAT_FPENCODING_BFLOAT16_ARM), "bf16");
  EXPECT_EQ(element(Format::R8_SFLOAT_FPENCODING_FLOAT8E4M3_ARM), "e4m3");
  EXPECT_EQ(element(Format::R8_SFLOAT_FPENCODING_FLOAT8E5M2_ARM), "e5m2");
  EXPECT_EQ(element(Format::R8G8_UINT),
            "s.json: error: More than 1 components from VkFormat: `VK_FORMAT_R8G8_UINT` has 2; a tensor needs a format "
            "with one [wrong-type]\n");
  EXPECT_EQ(element(Format::D32_SFLOAT),
            "s.json: error: `VK_FORMAT_D32_SFLOAT` is not a format of tensor elements [wrong-type]\n");
  EXPECT_EQ(element(Format::ASTC_4x4_UNORM_BLOCK),
            "s.json: error: `VK_FORMAT_ASTC_4x4_UNORM_BLOCK` is not a format of tensor elements [wrong-type]\n");
}

}  // namespace
}  // namespace slipway::tensor
