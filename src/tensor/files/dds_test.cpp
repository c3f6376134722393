// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tensor/files/dds.hpp"
#include "base/format.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "base/print_diagnostic.hpp"

namespace slipway::tensor {
namespace {

using vk::Format;

struct Field {
  std::uint32_t offset;
  std::uint32_t value;
};

// A file as Slipway writes it, with some fields changed and a payload of `payload` bytes 0, 1, 2...
std::vector<std::byte> file(Format format, std::uint32_t width, std::uint32_t height, std::size_t payload,
                            std::initializer_list<Field> changes = {}) {
  // Block formats are never written: their header is that of R8_UNORM with another code.
  const bool writable = !find_format(format)->is_block();
  const auto header =
      dds_header(*find_format(writable ? format : Format::R8_UNORM), {width, height, 1}, 1, SourceLocation::nowhere());
  std::vector<std::byte> bytes(header->begin(), header->end());
  if (!writable) store(bytes.data() + 128, find_format(format)->dxgi);
  for (const Field& change : changes) store(bytes.data() + change.offset, change.value);
  for (std::size_t i = 0; i < payload; ++i) bytes.push_back(static_cast<std::byte>(i));
  return bytes;
}

std::string problem_in_dds(Bytes bytes, std::uint32_t levels = 32) {
  const auto view = parse_dds(bytes, "a.dds", levels);
  return view ? "parsed" : format_diagnostics(view.error());
}

// Levels as `width x height at offset + size`.
std::string levels(const std::vector<std::byte>& bytes, std::uint32_t used = 32) {
  const auto view = parse_dds(bytes, "a.dds", used);
  if (!view) return format_diagnostics(view.error());
  std::string text;
  for (const DdsLevel& level : view->levels) {
    text += formatted("{}x{}", level.extent[0], level.extent[1]);
    if (view->extent[2] > 1) text += formatted("x{}", level.extent[2]);
    for (const Bytes layer : level.layers) text += formatted(" at {} + {}", layer.data() - bytes.data(), layer.size());
    text += "; ";
  }
  return text;
}

TEST(Dds, TheHeaderIsExactToTheByte) {
  const auto header = dds_header(*find_format(Format::R16G16B16A16_SFLOAT), {3, 2, 1}, 1, SourceLocation::nowhere());
  ASSERT_TRUE(header);
  std::string text;
  for (std::uint32_t offset = 0; offset < kDdsHeaderBytes; offset += 4) {
    const auto value = load<std::uint32_t>(header->data() + offset);
    if (value != 0) text += formatted("{}:{:x} ", offset, value);
  }
  EXPECT_EQ(text,
            "0:20534444 4:7c 8:100f 12:2 16:3 20:18 24:1 28:1 76:20 80:4 84:30315844 108:1000 128:a 132:3 140:1 ");
}

TEST(Dds, EveryListedFormatGoesThroughAFile) {
  for (const FormatInfo& info : known_formats()) {
    const SourceLocation location = SourceLocation::in_file("s.json");
    const auto header = dds_header(info, {3, 2, 1}, 1, location);
    if (info.dxgi == 0 || info.is_block()) {
      EXPECT_EQ(format_diagnostics(header.error()),
                formatted("s.json: error: `{}` cannot be written to a DDS file; write a .npy file [out-of-range]\n",
                          vk::name_of(info.format)));
      continue;
    }
    std::vector<std::byte> device(*level_bytes(info, 3, 2));
    for (std::size_t i = 0; i < device.size(); ++i) device[i] = static_cast<std::byte>(i + 1);
    std::vector<std::byte> bytes(header->begin(), header->end());
    bytes.append_range(to_file_layout(info, device));
    const auto view = parse_dds(bytes, "a.dds");
    ASSERT_TRUE(view) << format_diagnostics(view.error());
    EXPECT_EQ(view->format, &info);
    EXPECT_EQ(view->extent, (std::array{3u, 2u, 1u}));
    std::vector<std::byte> back(device.size());
    read_dds_level(*view, 0, info, back);
    EXPECT_EQ(back, device) << vk::name_of(info.format);
  }
  EXPECT_EQ(
      format_diagnostics(
          dds_header(*find_format(Format::R32_UINT), {1u << 30, 1, 1}, 1, SourceLocation::in_file("s.json")).error()),
      "s.json: error: a row of 4294967296 bytes is too long for a DDS file [out-of-range]\n");
}

TEST(Dds, EveryCheckOfTheHeader) {
  const auto with = [](Field change) { return problem_in_dds(file(Format::R8_UNORM, 2, 2, 4, {change})); };
  EXPECT_EQ(with({0, 1}), "a.dds:0x0: error: Invalid DDS magic word [file-format]\n");
  EXPECT_EQ(with({4, 123}), "a.dds:0x4: error: Invalid DDS header size (Must be 124) [file-format]\n");
  EXPECT_EQ(with({76, 24}), "a.dds:0x4c: error: Invalid DDS pixel format header size (Must be 32) [file-format]\n");
  EXPECT_EQ(with({84, 0x59565955}),
            "a.dds:0x50: error: texels with the code `UYVY` are not read from DDS files; `texconv -dx10 -f "
            "R8G8B8A8_UNORM FILE` writes texels that are [file-format]\n");
  EXPECT_EQ(with({84, 7}),
            "a.dds:0x50: error: texels with the code 7 are not read from DDS files; `texconv -dx10 -f R8G8B8A8_UNORM "
            "FILE` writes texels that are [file-format]\n");
  EXPECT_EQ(with({132, 5}),
            "a.dds:0x84: error: unknown dimension 5 of the texture; known are 2 (1D), 3 (2D) and 4 (3D) "
            "[file-format]\n");
  EXPECT_EQ(with({132, 2}), "a.dds:0xc: error: a 1D texture has the height 1, but here is 2 [file-format]\n");
  EXPECT_EQ(with({140, 2}),
            "a.dds:0x94: error: Expected image input size to be 8, but got 4 instead [file-truncated]\n");
  EXPECT_EQ(with({128, 67}), "a.dds:0x80: error: Unknown DXGI format: 67 [file-format]\n");
  EXPECT_EQ(with({16, 0}), "a.dds:0x10: error: the width is 0 [out-of-range]\n");
  EXPECT_EQ(with({12, 0}), "a.dds:0xc: error: the height is 0 [out-of-range]\n");
  EXPECT_EQ(with({28, 3}),
            "a.dds:0x1c: error: the file claims 3 mip levels, but 2 x 2 texels have at most 2 [out-of-range]\n");
  // Flags are ignored, as many programs do not set them, and so is an array size of 0.
  EXPECT_EQ(with({8, 0xffffffff}), "parsed");
  EXPECT_EQ(with({8, 0}), "parsed");
  EXPECT_EQ(with({108, 0}), "parsed");
  EXPECT_EQ(with({140, 0}), "parsed");
}

// Without a DX10 header.
TEST(Dds, LegacyHeaders) {
  std::size_t written = 0;
  for (const FormatInfo& info : known_formats()) {
    const auto header = dds_header(info, {3, 2, 1}, 1, SourceLocation::in_file("s.json"), DdsHeader::Legacy);
    if (!header) {
      EXPECT_EQ(header.error().front().kind, DiagnosticKind::OutOfRange);
      continue;
    }
    ++written;
    EXPECT_EQ(header->size(), kLegacyDdsHeaderBytes);
    std::vector<std::byte> device(*level_bytes(info, 3, 2));
    for (std::size_t i = 0; i < device.size(); ++i) device[i] = static_cast<std::byte>(i + 1);
    std::vector<std::byte> bytes = *header;
    bytes.append_range(to_file_layout(info, device));
    const auto view = parse_dds(bytes, "a.dds");
    ASSERT_TRUE(view) << format_diagnostics(view.error());
    EXPECT_TRUE(view->format == &info || info.format == Format::B8G8R8_UNORM);
    EXPECT_TRUE(is_readable_as(*view, info));
    EXPECT_EQ(view->header_bytes, kLegacyDdsHeaderBytes);
    std::vector<std::byte> again(device.size());
    read_dds_level(*view, 0, info, again);
    EXPECT_EQ(again, device);
  }
  EXPECT_EQ(written, 21u);
  EXPECT_EQ(format_diagnostics(dds_header(*find_format(Format::R8G8B8A8_SRGB), {1, 1, 1}, 1,
                                          SourceLocation::in_file("s.json"), DdsHeader::Legacy)
                                   .error()),
            "s.json: error: `VK_FORMAT_R8G8B8A8_SRGB` has no DDS header of programs before Direct3D 10; write one with "
            "a DX10 header [out-of-range]\n");

  // As other programs write them: a compressed one with two levels, and luminance with its mask three times.
  const auto with = [](std::initializer_list<Field> changes, std::size_t payload) {
    auto bytes =
        *dds_header(*find_format(Format::R8_UNORM), {4, 4, 1}, 1, SourceLocation::nowhere(), DdsHeader::Legacy);
    for (const Field& change : changes) store(bytes.data() + change.offset, change.value);
    bytes.resize(bytes.size() + payload);
    return bytes;
  };
  const auto dxt5 = with({{80, 4}, {84, 0x35545844}, {88, 0}, {28, 2}}, 32);
  EXPECT_EQ(levels(dxt5), "4x4 at 128 + 16; 2x2 at 144 + 16; ");
  EXPECT_EQ(parse_dds(dxt5, "a.dds")->format->format, Format::BC3_UNORM_BLOCK);
  EXPECT_EQ(levels(with({{96, 0xff}, {100, 0xff}}, 16)), "4x4 at 128 + 16; ");
  EXPECT_EQ(levels(with({{112, 0xfe00}}, 96)),
            "4x4 at 128 + 16 at 144 + 16 at 160 + 16 at 176 + 16 at 192 + 16 at 208 + 16; ");
  EXPECT_EQ(problem_in_dds(with({{112, 0xe00}}, 16)),
            "a.dds:0x70: error: the cube map has 2 faces of 6 [file-format]\n");
  EXPECT_EQ(levels(with({{112, 0x200000}, {24, 2}, {28, 3}}, 37)),
            "4x4x2 at 128 + 32; 2x2x1 at 160 + 4; 1x1x1 at 164 + 1; ");
  EXPECT_EQ(problem_in_dds(with({{112, 0x200000}}, 16)), "a.dds:0x18: error: the depth is 0 [out-of-range]\n");
  EXPECT_EQ(problem_in_dds(with({{88, 24}}, 48)),
            "a.dds:0x50: error: texels of 24 bits with the masks 0xff, 0x0, 0x0, 0x0 (flags 0x20000) are not read from "
            "DDS files; `texconv -dx10 -f R8G8B8A8_UNORM FILE` writes texels that are [file-format]\n");
}

// One texel of a file without a DX10 header, of `bits` bits with masks of R, G, B and A, read as a format.
struct Masks {
  std::uint32_t flags, bits;
  std::array<std::uint32_t, 4> masks;
  std::uint32_t texel;
  Format as;
  std::uint32_t expected;  // in device layout
};

TEST(Dds, MasksOfChannels) {
  constexpr std::uint32_t kRgb = 0x40, kRgba = 0x41, kLuminance = 0x20000;
  const Masks all[] = {
      // 24 bits and X8, in any order of the colors.
      {kRgb, 24, {0xff0000, 0xff00, 0xff, 0}, 0x112233, Format::B8G8R8_UNORM, 0x112233},
      {kRgb, 24, {0xff0000, 0xff00, 0xff, 0}, 0x112233, Format::R8G8B8_UNORM, 0x332211},
      {kRgb, 24, {0xff0000, 0xff00, 0xff, 0}, 0x112233, Format::B8G8R8A8_UNORM, 0xff112233},
      {kRgb, 24, {0xff0000, 0xff00, 0xff, 0}, 0x112233, Format::R8G8B8A8_SRGB, 0xff332211},
      {kRgb, 24, {0xff, 0xff00, 0xff0000, 0}, 0x112233, Format::R8G8B8A8_UNORM, 0xff112233},
      {kRgb, 32, {0xff0000, 0xff00, 0xff, 0}, 0x44112233, Format::B8G8R8A8_UNORM, 0xff112233},
      {kRgb, 32, {0xff0000, 0xff00, 0xff, 0}, 0x44112233, Format::R8G8B8A8_UNORM, 0xff332211},
      {kRgb, 32, {0xff, 0xff00, 0xff0000, 0}, 0x44112233, Format::R8G8B8A8_UNORM, 0xff112233},
      {kRgb, 32, {0xff0000, 0xff00, 0xff, 0}, 0x44112233, Format::B8G8R8_UNORM, 0x112233},
      {kRgba, 32, {0xff0000, 0xff00, 0xff, 0xff000000}, 0x44112233, Format::B8G8R8A8_UNORM, 0x44112233},
      {kRgba, 32, {0xff0000, 0xff00, 0xff, 0xff000000}, 0x44112233, Format::B8G8R8A8_SRGB, 0x44112233},
      // 16 bits.
      {kRgb, 16, {0xf800, 0x7e0, 0x1f, 0}, 0x1234, Format::R5G6B5_UNORM_PACK16, 0x1234},
      {kRgba, 16, {0x7c00, 0x3e0, 0x1f, 0x8000}, 0x1234, Format::A1R5G5B5_UNORM_PACK16, 0x1234},
      {kRgb, 16, {0x7c00, 0x3e0, 0x1f, 0}, 0x1234, Format::A1R5G5B5_UNORM_PACK16, 0x9234},
      {kRgba, 16, {0xf00, 0xf0, 0xf, 0xf000}, 0x1234, Format::A4R4G4B4_UNORM_PACK16, 0x1234},
      {kRgb, 16, {0xf00, 0xf0, 0xf, 0}, 0x1234, Format::A4R4G4B4_UNORM_PACK16, 0xf234},
      // 10 bits, one and two channels, signed ones.
      {kRgba, 32, {0x3ff, 0xffc00, 0x3ff00000, 0xc0000000}, 0x12345678, Format::A2B10G10R10_UNORM_PACK32, 0x12345678},
      {kRgba, 32, {0x3ff00000, 0xffc00, 0x3ff, 0xc0000000}, 0x12345678, Format::A2R10G10B10_UNORM_PACK32, 0x12345678},
      {kRgb, 32, {0xffffffff, 0, 0, 0}, 0x12345678, Format::R32_SFLOAT, 0x12345678},
      {kRgb, 32, {0xffff, 0xffff0000, 0, 0}, 0x12345678, Format::R16G16_UNORM, 0x12345678},
      {kRgb, 8, {0xff, 0, 0, 0}, 0x12, Format::R8_UNORM, 0x12},
      {kLuminance, 8, {0xff, 0xff, 0xff, 0}, 0x12, Format::R8_UNORM, 0x12},
      {kLuminance | 1, 16, {0xff, 0, 0, 0xff00}, 0x1234, Format::R8G8_UNORM, 0x1234},
      {0x2, 8, {0, 0, 0, 0xff}, 0x12, Format::A8_UNORM, 0x12},
      {0x2, 8, {0, 0, 0, 0xff}, 0x12, Format::R8_UNORM, 0x12},
      {0x80000, 16, {0xff, 0xff00, 0, 0}, 0x1234, Format::R8G8_SNORM, 0x1234},
      {0x80000, 32, {0xff, 0xff00, 0xff0000, 0xff000000}, 0x12345678, Format::R8G8B8A8_SNORM, 0x12345678},
      // A mask of alpha without its flag.
      {kRgb, 16, {0xf800, 0x7e0, 0x1f, 0x1234}, 0x5678, Format::R5G6B5_UNORM_PACK16, 0x5678},
  };
  for (const Masks& one : all) {
    SCOPED_TRACE(formatted("{} bits, flags 0x{:x}, as {}", one.bits, one.flags, vk::name_of(one.as)));
    auto bytes =
        *dds_header(*find_format(Format::R8_UNORM), {1, 1, 1}, 1, SourceLocation::nowhere(), DdsHeader::Legacy);
    store(bytes.data() + 80, one.flags);
    store(bytes.data() + 88, one.bits);
    for (std::uint32_t i = 0; i < 4; ++i) store(bytes.data() + 92 + 4 * i, one.masks[i]);
    for (std::uint32_t i = 0; i < one.bits / 8; ++i) bytes.push_back(static_cast<std::byte>(one.texel >> 8 * i));
    const auto view = parse_dds(bytes, "a.dds");
    ASSERT_TRUE(view) << format_diagnostics(view.error());
    const FormatInfo& as = *find_format(one.as);
    ASSERT_TRUE(is_readable_as(*view, as));
    EXPECT_FALSE(is_readable_as(*view, *find_format(Format::R32G32_UINT)));
    std::array<std::byte, 4> texel{};
    read_dds_level(*view, 0, as, std::span(texel).first(as.texel_bytes));
    EXPECT_EQ(load<std::uint32_t>(texel.data()), one.expected);
  }
}

TEST(Dds, FormatsThatTheHeaderLeavesOpen) {
  const auto readable = [](std::uint32_t code, Format as) {
    const auto view = parse_dds_header(file(Format::R8_UNORM, 4, 4, 0, {{128, code}}), "a.dds");
    return view && is_readable_as(*view, *find_format(as));
  };
  EXPECT_TRUE(readable(27, Format::R8G8B8A8_UNORM));
  EXPECT_TRUE(readable(27, Format::R8G8B8A8_SINT));
  EXPECT_TRUE(readable(27, Format::R8G8B8A8_SRGB));
  EXPECT_FALSE(readable(27, Format::B8G8R8A8_UNORM));
  EXPECT_FALSE(readable(28, Format::R8G8B8A8_SRGB));
  EXPECT_TRUE(readable(39, Format::R32_UINT));
  EXPECT_TRUE(readable(39, Format::D32_SFLOAT));
  EXPECT_FALSE(readable(41, Format::D32_SFLOAT));
  EXPECT_TRUE(readable(76, Format::BC3_SRGB_BLOCK));
  EXPECT_FALSE(readable(76, Format::BC2_SRGB_BLOCK));
  EXPECT_TRUE(readable(94, Format::BC6H_SFLOAT_BLOCK));
  EXPECT_TRUE(readable(88, Format::B8G8R8A8_UNORM));
  EXPECT_FALSE(readable(88, Format::B8G8R8A8_SRGB));
  EXPECT_TRUE(readable(93, Format::R8G8B8A8_SRGB));
  EXPECT_TRUE(readable(65, Format::R8_UNORM));
  // Every typeless code has a format.
  std::size_t count = 0;
  for (const std::uint32_t code :
       {1, 5, 9, 15, 19, 21, 23, 27, 33, 39, 44, 46, 48, 53, 60, 70, 73, 76, 79, 82, 90, 92, 94, 97}) {
    const auto view = parse_dds_header(file(Format::R8_UNORM, 4, 4, 0, {{128, code}}), "a.dds");
    ASSERT_TRUE(view) << code;
    EXPECT_TRUE(view->texels.any_numbers);
    ++count;
  }
  EXPECT_EQ(count, 24u);
}

// Each layer has its own chain of levels, and a level of a volume all of its slices.
TEST(Dds, LayersAndVolumes) {
  const auto array = file(Format::R8_UNORM, 4, 2, 33, {{140, 3}, {28, 3}});
  EXPECT_EQ(levels(array),
            "4x2 at 148 + 8 at 159 + 8 at 170 + 8; 2x1 at 156 + 2 at 167 + 2 at 178 + 2; 1x1 at 158 + 1 at 169 + 1 at "
            "180 + 1; ");
  EXPECT_EQ(levels({array.begin(), array.begin() + 178}, 1), "4x2 at 148 + 8 at 159 + 8 at 170 + 8; ");
  const auto view = parse_dds(array, "a.dds", 2);
  std::vector<std::byte> texels(6);
  read_dds_level(*view, 1, *find_format(Format::R8_UNORM), texels);
  EXPECT_EQ(texels,
            (std::vector{std::byte{8}, std::byte{9}, std::byte{19}, std::byte{20}, std::byte{30}, std::byte{31}}));

  const auto cubes = parse_dds_header(file(Format::R8_UNORM, 2, 2, 0, {{136, 4}, {140, 2}}), "a.dds");
  EXPECT_EQ(cubes->layers, 12u);
  EXPECT_EQ(problem_in_dds(file(Format::R8_UNORM, 2, 1, 0, {{136, 4}})),
            "a.dds:0xc: error: the faces of a cube map have 2 x 1 texels, which is not a square [file-format]\n");
  EXPECT_EQ(problem_in_dds(file(Format::R8_UNORM, 2, 2, 0, {{136, 4}, {140, 0x80000000}})),
            "a.dds:0x8c: error: there are 2147483648 cubes [out-of-range]\n");

  EXPECT_EQ(levels(file(Format::R8_UNORM, 2, 2, 13, {{132, 4}, {24, 3}, {28, 2}})),
            "2x2x3 at 148 + 12; 1x1x1 at 160 + 1; ");
  EXPECT_EQ(problem_in_dds(file(Format::R8_UNORM, 2, 2, 8, {{132, 4}, {24, 2}, {140, 2}})),
            "a.dds:0x8c: error: a 3D texture has one layer and is not a cube map [file-format]\n");
  EXPECT_EQ(levels(file(Format::R8_UNORM, 3, 1, 3, {{132, 2}})), "3x1 at 148 + 3; ");
  EXPECT_EQ(levels(file(Format::R8_UNORM, 3, 1, 3, {{132, 2}, {12, 0}})), "3x1 at 148 + 3; ");

  // Written the same way.
  for (const auto& [extent, layers] : {std::pair(std::array{3u, 2u, 1u}, 4u), std::pair(std::array{3u, 2u, 5u}, 1u)}) {
    auto bytes = *dds_header(*find_format(Format::R16_UINT), extent, layers, SourceLocation::nowhere());
    bytes.resize(bytes.size() + std::size_t{2} * extent[0] * extent[1] * extent[2] * layers);
    const auto again = parse_dds(bytes, "a.dds");
    ASSERT_TRUE(again) << format_diagnostics(again.error());
    EXPECT_EQ(again->extent, extent);
    EXPECT_EQ(again->layers, layers);
  }
}

TEST(Dds, AllProblemsAreReportedTogether) {
  EXPECT_EQ(problem_in_dds(file(Format::R8_UNORM, 2, 2, 4, {{4, 0}, {76, 0}, {132, 1}, {128, 999}})),
            "a.dds:0x4: error: Invalid DDS header size (Must be 124) [file-format]\n"
            "a.dds:0x4c: error: Invalid DDS pixel format header size (Must be 32) [file-format]\n"
            "a.dds:0x80: error: Unknown DXGI format: 999 [file-format]\n"
            "a.dds:0x84: error: unknown dimension 1 of the texture; known are 2 (1D), 3 (2D) and 4 (3D) "
            "[file-format]\n");
}

TEST(Dds, ShortFiles) {
  const auto bytes = file(Format::R8_UNORM, 2, 2, 4);
  const auto first = [&](std::size_t size) { return problem_in_dds(Bytes(bytes).first(size)); };
  EXPECT_EQ(first(0), "a.dds:0x0: error: Invalid DDS magic word [file-format]\n");
  EXPECT_EQ(first(3), "a.dds:0x0: error: Invalid DDS magic word [file-format]\n");
  for (const std::size_t size : {4, 127, 147}) {
    EXPECT_EQ(first(size), formatted("a.dds:0x0: error: the file has {} bytes, fewer than the 148 of a DDS header "
                                     "[file-truncated]\n",
                                     size));
  }
  EXPECT_EQ(first(148), "a.dds:0x94: error: Expected image input size to be 4, but got 0 instead [file-truncated]\n");
}

TEST(Dds, OneLevelHasExactlyItsBytes) {
  EXPECT_EQ(levels(file(Format::R8_UNORM, 3, 2, 6)), "3x2 at 148 + 6; ");
  EXPECT_EQ(levels(file(Format::R8_UNORM, 3, 2, 6, {{28, 0}})), "3x2 at 148 + 6; ");
  EXPECT_EQ(problem_in_dds(file(Format::R8_UNORM, 3, 2, 5)),
            "a.dds:0x94: error: Expected image input size to be 6, but got 5 instead [file-truncated]\n");
  EXPECT_EQ(problem_in_dds(file(Format::R8_UNORM, 3, 2, 7)),
            "a.dds:0x94: error: Expected image input size to be 6, but got 7 instead [trailing-data]\n");
  EXPECT_EQ(problem_in_dds(file(Format::R32G32B32A32_UINT, 3, 2, 7, {{16, 0xffffffff}, {12, 0xffffffff}})),
            "a.dds:0x94: error: Expected image input size to be more than 2^64, but got 7 instead [file-truncated]\n");
  // R8G8B8: with and without the padding, and no size between them.
  EXPECT_EQ(levels(file(Format::R8G8B8_SINT, 2, 2, 16)), "2x2 at 148 + 16; ");
  EXPECT_EQ(levels(file(Format::R8G8B8_SINT, 2, 2, 12)), "2x2 at 148 + 12; ");
  EXPECT_EQ(problem_in_dds(file(Format::R8G8B8_SINT, 2, 2, 13)),
            "a.dds:0x94: error: Expected image input size to be 16, but got 13 instead [trailing-data]\n");
  EXPECT_EQ(problem_in_dds(file(Format::B8G8R8_UNORM, 2, 2, 12)),
            "a.dds:0x94: error: Expected image input size to be 16, but got 12 instead [file-truncated]\n");
}

TEST(Dds, MipLevels) {
  EXPECT_EQ(levels(file(Format::R8_UNORM, 5, 2, 13, {{28, 3}})), "5x2 at 148 + 10; 2x1 at 158 + 2; 1x1 at 160 + 1; ");
  EXPECT_EQ(levels(file(Format::R8_UNORM, 5, 2, 12, {{28, 3}}), 2), "5x2 at 148 + 10; 2x1 at 158 + 2; ");
  EXPECT_EQ(levels(file(Format::R8_UNORM, 5, 2, 12, {{28, 3}}), 0), "5x2 at 148 + 10; ");
  EXPECT_EQ(levels(file(Format::R8_UNORM, 5, 2, 99, {{28, 3}}), 1), "5x2 at 148 + 10; ");
  EXPECT_EQ(problem_in_dds(file(Format::R8_UNORM, 5, 2, 12, {{28, 3}})),
            "a.dds:0x94: error: Expected image input size to be 13, but got 12 instead [file-truncated]\n");
  EXPECT_EQ(levels(file(Format::BC1_RGBA_UNORM_BLOCK, 6, 5, 64, {{28, 3}})),
            "6x5 at 148 + 32; 3x2 at 180 + 8; 1x1 at 188 + 8; ");
  EXPECT_EQ(parse_dds(file(Format::R8_UNORM, 5, 2, 13, {{28, 3}}), "a.dds", 1)->level_count, 3u);
}

TEST(Dds, TheExtentMustAgree) {
  const auto bytes = file(Format::R8_UNORM, 3, 2, 6);
  const auto view = parse_dds(bytes, "a.dds");
  EXPECT_TRUE(check_dds_extent(*view, "a.dds", 3, 2));
  EXPECT_EQ(format_diagnostics(check_dds_extent(*view, "a.dds", 4, 5).error()),
            "a.dds:0xc: error: DDS image height does not match that in the scenario file: 2 vs 5 [file-mismatch]\n"
            "a.dds:0x10: error: DDS image width does not match that in the scenario file: 3 vs 4 [file-mismatch]\n");
}

}  // namespace
}  // namespace slipway::tensor
