// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tensor/dds.hpp"
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
      dds_header(*find_format(writable ? format : Format::R8_UNORM), width, height, SourceLocation::nowhere());
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
    text += formatted("{}x{} at {} + {}; ", level.width, level.height, level.bytes.data() - bytes.data(),
                      level.bytes.size());
  }
  return text;
}

TEST(Dds, TheHeaderIsExactToTheByte) {
  const auto header = dds_header(*find_format(Format::R16G16B16A16_SFLOAT), 3, 2, SourceLocation::nowhere());
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
    const auto header = dds_header(info, 3, 2, location);
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
    EXPECT_EQ(view->width, 3u);
    EXPECT_EQ(view->height, 2u);
    std::vector<std::byte> back(device.size());
    from_file_layout(info, view->levels.at(0).bytes, back);
    EXPECT_EQ(back, device) << vk::name_of(info.format);
  }
  EXPECT_EQ(format_diagnostics(
                dds_header(*find_format(Format::R32_UINT), 1u << 30, 1, SourceLocation::in_file("s.json")).error()),
            "s.json: error: a row of 4294967296 bytes is too long for a DDS file [out-of-range]\n");
}

TEST(Dds, EveryCheckOfTheHeader) {
  const auto with = [](Field change) { return problem_in_dds(file(Format::R8_UNORM, 2, 2, 4, {change})); };
  EXPECT_EQ(with({0, 1}), "a.dds:0x0: error: Invalid DDS magic word [file-format]\n");
  EXPECT_EQ(with({4, 123}), "a.dds:0x4: error: Invalid DDS header size (Must be 124) [file-format]\n");
  EXPECT_EQ(with({8, 0x1003}), "a.dds:0x8: error: Required DDS header height/width flags not set [file-format]\n");
  EXPECT_EQ(with({76, 24}), "a.dds:0x4c: error: Invalid DDS pixel format header size (Must be 32) [file-format]\n");
  EXPECT_EQ(with({108, 8}), "a.dds:0x6c: error: Required DDS header caps flag not set [file-format]\n");
  EXPECT_EQ(with({84, 0x32545844}), "a.dds:0x54: error: Non-DX10 DDS files not supported [file-format]\n");
  EXPECT_EQ(with({132, 4}), "a.dds:0x84: error: Only 2D DDS textures are supported [file-format]\n");
  EXPECT_EQ(with({136, 4}), "a.dds:0x88: error: Cube-map DDS textures are not supported [file-format]\n");
  EXPECT_EQ(with({140, 2}),
            "a.dds:0x8c: error: the file has an array of 2 textures, but only one is supported [file-format]\n");
  EXPECT_EQ(with({128, 1}), "a.dds:0x80: error: Unknown DXGI format: 1 [file-format]\n");
  EXPECT_EQ(with({16, 0}), "a.dds:0x10: error: the width is 0 [out-of-range]\n");
  EXPECT_EQ(with({12, 0}), "a.dds:0xc: error: the height is 0 [out-of-range]\n");
  EXPECT_EQ(with({28, 3}),
            "a.dds:0x1c: error: the file claims 3 mip levels, but 2 x 2 texels have at most 2 [out-of-range]\n");
  // Other flags are ignored, and so is an array size of 0.
  EXPECT_EQ(with({8, 0xffffffff}), "parsed");
  EXPECT_EQ(with({140, 0}), "parsed");
}

// Without a DX10 header.
TEST(Dds, LegacyHeaders) {
  std::size_t written = 0;
  for (const FormatInfo& info : known_formats()) {
    const auto header = dds_header(info, 3, 2, SourceLocation::in_file("s.json"), DdsHeader::Legacy);
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
    EXPECT_EQ(view->format, &info);
    EXPECT_EQ(view->header_bytes, kLegacyDdsHeaderBytes);
    std::vector<std::byte> again(device.size());
    from_file_layout(info, view->levels[0].bytes, again);
    EXPECT_EQ(again, device);
  }
  EXPECT_EQ(written, 13u);
  EXPECT_EQ(format_diagnostics(dds_header(*find_format(Format::R8G8B8A8_SRGB), 1, 1, SourceLocation::in_file("s.json"),
                                          DdsHeader::Legacy)
                                   .error()),
            "s.json: error: `VK_FORMAT_R8G8B8A8_SRGB` has no DDS header of programs before Direct3D 10; write one with "
            "a DX10 header [out-of-range]\n");

  // As other programs write them: a compressed one with two levels, and luminance with its mask three times.
  const auto with = [](std::initializer_list<Field> changes, std::size_t payload) {
    auto bytes = *dds_header(*find_format(Format::R8_UNORM), 4, 4, SourceLocation::nowhere(), DdsHeader::Legacy);
    for (const Field& change : changes) store(bytes.data() + change.offset, change.value);
    bytes.resize(bytes.size() + payload);
    return bytes;
  };
  const auto dxt5 = with({{80, 4}, {84, 0x35545844}, {88, 0}, {28, 2}}, 32);
  EXPECT_EQ(levels(dxt5), "4x4 at 128 + 16; 2x2 at 144 + 16; ");
  EXPECT_EQ(parse_dds(dxt5, "a.dds")->format->format, Format::BC3_UNORM_BLOCK);
  EXPECT_EQ(levels(with({{96, 0xff}, {100, 0xff}}, 16)), "4x4 at 128 + 16; ");
  EXPECT_EQ(problem_in_dds(with({{112, 0x200}}, 16)),
            "a.dds:0x70: error: Cube-map DDS textures are not supported [file-format]\n");
  EXPECT_EQ(problem_in_dds(with({{112, 0x200000}}, 16)),
            "a.dds:0x70: error: Only 2D DDS textures are supported [file-format]\n");
  EXPECT_EQ(problem_in_dds(with({{88, 24}}, 48)),
            "a.dds:0x54: error: Non-DX10 DDS files not supported [file-format]\n");
}

TEST(Dds, AllProblemsAreReportedTogether) {
  EXPECT_EQ(problem_in_dds(file(Format::R8_UNORM, 2, 2, 4, {{4, 0}, {108, 0}, {132, 2}, {128, 999}})),
            "a.dds:0x4: error: Invalid DDS header size (Must be 124) [file-format]\n"
            "a.dds:0x6c: error: Required DDS header caps flag not set [file-format]\n"
            "a.dds:0x84: error: Only 2D DDS textures are supported [file-format]\n"
            "a.dds:0x80: error: Unknown DXGI format: 999 [file-format]\n");
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
