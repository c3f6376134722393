// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tensor/files/ktx2.hpp"

#include <gtest/gtest.h>

#include "base/format.hpp"
#include "base/print_diagnostic.hpp"
#include "tensor/files/deflate.hpp"

namespace slipway::tensor {
namespace {

using vk::Format;

// A file, written in another way than by ktx2_header: levels after the descriptor, the smallest first.
struct Ktx2Recipe {
  Format format = Format::R8_UNORM;
  std::uint32_t width = 4, height = 2, depth = 0, layers = 0, faces = 1, levels = 1;
  bool deflated = false;
};

// Byte i of a level.
std::byte level_byte(std::uint32_t level, std::size_t i) { return static_cast<std::byte>(i + 64 * level); }

std::vector<std::byte> level_of(const Ktx2Recipe& recipe, std::uint32_t level) {
  const auto edge = [&](std::uint32_t size) { return std::max(size >> level, 1u); };
  std::vector<std::byte> bytes(*level_bytes(*find_format(recipe.format), edge(recipe.width), edge(recipe.height),
                                            edge(std::max(recipe.depth, 1u))) *
                               std::max(recipe.layers, 1u) * recipe.faces);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = level_byte(level, i);
  return bytes;
}

std::vector<std::byte> ktx2_file(const Ktx2Recipe& recipe) {
  const FormatInfo& format = *find_format(recipe.format);
  const std::vector<std::byte> descriptor = data_format_descriptor(format);
  const std::uint32_t count = std::max(recipe.levels, 1u);
  const std::uint32_t index = 80 + 24 * count;
  ByteWriter out;
  out.append("\xabKTX 20\xbb\r\n\x1a\n");
  out.write(format.format).write(format.is_block() ? 1u : size_of(format.stored));
  out.write(recipe.width).write(recipe.height).write(recipe.depth).write(recipe.layers).write(recipe.faces);
  out.write(recipe.levels).write(recipe.deflated ? 3u : 0u);
  out.write(index).write(static_cast<std::uint32_t>(descriptor.size())).write(0u).write(0u);
  out.write(std::uint64_t{0}).write(std::uint64_t{0});
  std::vector<std::byte> bytes = out.release();
  bytes.resize(index);
  bytes.append_range(descriptor);
  for (std::uint32_t level = count; level-- > 0;) {
    const auto plain = level_of(recipe, level);
    auto data = plain;
    if (recipe.deflated) {
      // Small levels do not become smaller, so they are stored as deflate stores them.
      data = deflated(plain, DeflateForm::Zlib).value_or(std::vector<std::byte>{});
    }
    store(&bytes[80 + 24 * level], std::uint64_t{bytes.size()});
    store(&bytes[88 + 24 * level], std::uint64_t{data.size()});
    store(&bytes[96 + 24 * level], std::uint64_t{plain.size()});
    bytes.append_range(data);
  }
  return bytes;
}

std::string ktx2_problems(Bytes bytes, std::uint32_t levels = 32) {
  const auto texture = parse_ktx2(bytes, "a.ktx2", levels);
  return texture ? "parsed" : format_diagnostics(texture.error());
}

std::string with_field(std::size_t at, auto value, const Ktx2Recipe& recipe = {}) {
  auto bytes = ktx2_file(recipe);
  store(&bytes[at], value);
  return ktx2_problems(bytes);
}

TEST(Ktx2, LevelsLayersFacesAndDepth) {
  for (const Ktx2Recipe& recipe :
       {Ktx2Recipe{}, Ktx2Recipe{.levels = 0}, Ktx2Recipe{.levels = 3}, Ktx2Recipe{.layers = 3, .levels = 2},
        Ktx2Recipe{.width = 4, .height = 4, .faces = 6, .levels = 3},
        Ktx2Recipe{.width = 4, .height = 4, .layers = 2, .faces = 6}, Ktx2Recipe{.depth = 5, .levels = 3},
        Ktx2Recipe{.format = Format::R32G32B32_SFLOAT, .width = 5, .height = 3},
        Ktx2Recipe{.format = Format::BC1_RGBA_SRGB_BLOCK, .width = 9, .height = 5, .levels = 4},
        Ktx2Recipe{.width = 64, .height = 64, .deflated = true},
        Ktx2Recipe{.width = 64, .height = 64, .layers = 4, .levels = 2, .deflated = true}}) {
    SCOPED_TRACE(formatted("{}x{}x{}, {} layers, {} faces, {} levels", recipe.width, recipe.height, recipe.depth,
                           recipe.layers, recipe.faces, recipe.levels));
    const auto bytes = ktx2_file(recipe);
    const auto texture = parse_ktx2(bytes, "a.ktx2");
    ASSERT_TRUE(texture) << format_diagnostics(texture.error());
    EXPECT_EQ(texture->format->format, recipe.format);
    EXPECT_EQ(texture->extent, (std::array<std::uint32_t, 3>{recipe.width, recipe.height, std::max(recipe.depth, 1u)}));
    EXPECT_EQ(texture->layers, std::max(recipe.layers, 1u) * recipe.faces);
    EXPECT_EQ(texture->level_count, std::max(recipe.levels, 1u));
    ASSERT_EQ(texture->levels.size(), texture->level_count);
    for (std::uint32_t level = 0; level < texture->level_count; ++level) {
      std::vector<std::byte> device(texture->levels[level].size);
      ASSERT_TRUE(read_ktx2_level(*texture, "a.ktx2", level, device));
      EXPECT_TRUE(device == level_of(recipe, level)) << level;
    }
    EXPECT_EQ(parse_ktx2(bytes, "a.ktx2", 1)->levels.size(), 1u);
  }
}

TEST(Ktx2, EveryFormatGoesThroughAFile) {
  std::size_t count = 0;
  for (const FormatInfo& format : known_formats()) {
    if (!has_ktx2_form(format) || format.is_block()) continue;
    ++count;
    for (const std::uint32_t layers : {1u, 3u}) {
      std::vector<std::byte> device(*level_bytes(format, 5, 3) * layers);
      for (std::size_t i = 0; i < device.size(); ++i) device[i] = static_cast<std::byte>(i + 1);
      auto bytes = ktx2_header(format, {5, 3, 1}, layers);
      // Texels begin at a multiple of their size and of 4.
      EXPECT_EQ(bytes.size() % format.texel_bytes, 0u);
      EXPECT_EQ(bytes.size() % 4, 0u);
      bytes.append_range(device);
      const auto texture = parse_ktx2(bytes, "a.ktx2");
      ASSERT_TRUE(texture) << format_diagnostics(texture.error());
      EXPECT_EQ(texture->format, &format);
      EXPECT_EQ(texture->layers, layers);
      std::vector<std::byte> back(device.size());
      ASSERT_TRUE(read_ktx2_level(*texture, "a.ktx2", 0, back));
      EXPECT_TRUE(back == device) << vk::name_of(format.format);
    }
  }
  EXPECT_GT(count, 90u);
  EXPECT_FALSE(has_ktx2_form(*find_format(Format::D24_UNORM_S8_UINT)));
  EXPECT_FALSE(has_ktx2_form(*find_format(Format::R8_BOOL_ARM)));
  const auto volume = ktx2_header(*find_format(Format::R8_UNORM), {4, 4, 4}, 1);
  EXPECT_EQ(load<std::uint32_t>(&volume[28]), 4u);
  EXPECT_EQ(load<std::uint32_t>(&volume[32]), 0u);
}

// Words of a written file, without those that are 0. The values of the descriptor are those of the example "B10G11R11"
// and of the tables of the Khronos Data Format Specification.
TEST(Ktx2, TheHeaderIsExactToTheByte) {
  const auto words = [](Format format) {
    const auto bytes = ktx2_header(*find_format(format), {3, 2, 1}, 1);
    std::string text;
    for (std::size_t at = 0; at < bytes.size(); at += 4) {
      if (const auto value = load<std::uint32_t>(&bytes[at]); value != 0) text += formatted("{}:{:x} ", at, value);
    }
    return text;
  };
  EXPECT_EQ(words(Format::R8G8_SRGB),
            "0:58544bab 4:bb303220 8:a1a0a0d 12:16 16:1 20:3 24:2 36:1 40:1 48:68 52:3c 56:a4 60:18 80:bc 88:c "
            "96:c 104:3c 112:380002 116:20101 124:2 132:70000 144:ff 148:1070008 160:ff 164:12 168:7758544b "
            "172:65746972 176:6c530072 180:61777069 184:79 ");
  EXPECT_EQ(words(Format::R16G16B16A16_SFLOAT),
            "0:58544bab 4:bb303220 8:a1a0a0d 12:61 16:2 20:3 24:2 36:1 40:1 48:68 52:5c 56:c4 60:18 80:e0 88:30 "
            "96:30 104:5c 112:580002 116:10101 124:8 132:c00f0000 140:bf800000 144:3f800000 148:c10f0010 "
            "156:bf800000 160:3f800000 164:c20f0020 172:bf800000 176:3f800000 180:cf0f0030 188:bf800000 "
            "192:3f800000 196:12 200:7758544b 204:65746972 208:6c530072 212:61777069 216:79 ");
  EXPECT_EQ(words(Format::B10G11R11_UFLOAT_PACK32),
            "0:58544bab 4:bb303220 8:a1a0a0d 12:7a 16:4 20:3 24:2 36:1 40:1 48:68 52:4c 56:b4 60:18 80:cc 88:18 "
            "96:18 104:4c 112:480002 116:10101 124:4 132:800a0000 144:3f800000 148:810a000b 160:3f800000 "
            "164:82090016 176:3f800000 180:12 184:7758544b 188:65746972 192:6c530072 196:61777069 200:79 ");
}

TEST(Ktx2, EveryCheckOfTheHeader) {
  EXPECT_EQ(ktx2_problems(Bytes{}), "a.ktx2:0x0: error: not a KTX2 file [file-format]\n");
  EXPECT_EQ(with_field(5, '1'), "a.ktx2:0x0: error: not a KTX2 file [file-format]\n");
  EXPECT_EQ(with_field(12, 0),
            "a.ktx2:0xc: error: the file has texels of Basis Universal; `ktx transcode --target rgba8 FILE "
            "OUT.ktx2` writes texels of VK_FORMAT_R8G8B8A8 [unsupported]\n");
  EXPECT_EQ(with_field(12, 147),
            "a.ktx2:0xc: error: texels of VK_FORMAT_ETC2_R8G8B8_UNORM_BLOCK are not read from KTX2 files; `ktx "
            "extract --level 0 FILE OUT.png` writes a PNG file of some formats [unsupported]\n");
  EXPECT_EQ(with_field(12, 129),
            "a.ktx2:0xc: error: texels of VK_FORMAT_D24_UNORM_S8_UINT are not read from KTX2 files; `ktx extract "
            "--level 0 FILE OUT.png` writes a PNG file of some formats [unsupported]\n");
  EXPECT_EQ(with_field(16, 2),
            "a.ktx2:0x10: error: the size of the data type is 2, but for VK_FORMAT_R8_UNORM it is 1 "
            "[file-format]\n");
  EXPECT_EQ(with_field(20, 0), "a.ktx2:0x14: error: the width is 0 [out-of-range]\n");
  EXPECT_EQ(with_field(24, 0, {.depth = 2}), "a.ktx2:0x18: error: the height of a 3D texture is 0 [unsupported]\n");
  EXPECT_EQ(with_field(28, 2, {.layers = 2}),
            "a.ktx2:0x1c: error: the file has an array of 3D textures; only one is read [unsupported]\n");
  EXPECT_EQ(with_field(32, 0xffffffff, {.width = 2, .height = 2, .faces = 6}),
            "a.ktx2:0x20: error: there are 4294967295 layers [out-of-range]\n");
  EXPECT_EQ(with_field(36, 2),
            "a.ktx2:0x24: error: there are 2 faces; a texture has 1 and a cube map 6 [out-of-range]\n");
  EXPECT_EQ(with_field(36, 6),
            "a.ktx2:0x14: error: the faces of a cube map have 4 x 2 texels, which is not a square [file-format]\n");
  EXPECT_EQ(with_field(40, 4),
            "a.ktx2:0x28: error: the file claims 4 mip levels, but 4 x 2 x 1 texels have at most 3 "
            "[out-of-range]\n");
  EXPECT_EQ(with_field(40, 3),
            "a.ktx2:0x68: error: level 1 has 282578785927170 bytes at 0x2c, but the file has 156 "
            "[file-truncated]\n"
            "a.ktx2:0x80: error: level 2 has 0 bytes at 0x7000000000000, but the file has 156 [file-truncated]\n");
  EXPECT_EQ(with_field(44, 1),
            "a.ktx2:0xc: error: the file has texels of Basis Universal; `ktx transcode --target rgba8 FILE "
            "OUT.ktx2` writes texels of VK_FORMAT_R8G8B8A8 [unsupported]\n");
  EXPECT_EQ(with_field(44, 2),
            "a.ktx2:0x2c: error: the file is supercompressed with Zstandard; `ktx deflate --zlib 9 FILE "
            "OUT.ktx2` uses zlib instead [unsupported]\n");
  EXPECT_EQ(with_field(44, 4),
            "a.ktx2:0x2c: error: the supercompression scheme 4 is unknown; known are 0 (none) and 3 (zlib) "
            "[unsupported]\n");
  EXPECT_EQ(with_field(48, 0x7fffffff),
            "a.ktx2:0x30: error: the data format descriptor has 44 bytes at 0x7fffffff, but the file has 156 "
            "[file-truncated]\n");
  EXPECT_EQ(with_field(52, 20),
            "a.ktx2:0x68: error: the data format descriptor has 20 bytes, fewer than 28 [file-format]\n");
  EXPECT_EQ(with_field(56, 0x7fffffff),
            "a.ktx2:0x38: error: the table of keys and values has 0 bytes at 0x7fffffff, but the file has 156 "
            "[file-truncated]\n");
  EXPECT_EQ(with_field(72, std::uint64_t{1}),
            "a.ktx2:0x40: error: there are global data of a supercompression that has none [file-format]\n");
  EXPECT_EQ(with_field(80, std::uint64_t{1} << 63),
            "a.ktx2:0x50: error: level 0 has 8 bytes at 0x8000000000000000, but the file has 156 "
            "[file-truncated]\n");
  EXPECT_EQ(with_field(88, std::uint64_t{9}),
            "a.ktx2:0x50: error: level 0 has 9 bytes at 0x94, but the file has 156 [file-truncated]\n");
  EXPECT_EQ(with_field(88, std::uint64_t{7}),
            "a.ktx2:0x50: error: level 0 has 7 bytes, but 4 x 2 x 1 texels of VK_FORMAT_R8_UNORM have 8 "
            "[file-format]\n");
  EXPECT_EQ(with_field(96, std::uint64_t{7}),
            "a.ktx2:0x60: error: level 0 has 8 bytes, but 7 without supercompression, which it does not have "
            "[file-format]\n");
  EXPECT_EQ(with_field(96, std::uint64_t{7}, {.width = 64, .height = 64, .deflated = true}),
            "a.ktx2:0x50: error: level 0 has 7 bytes, but 64 x 64 x 1 texels of VK_FORMAT_R8_UNORM have 4096 "
            "[file-format]\n");
  EXPECT_EQ(with_field(20, 0x7fffffff, {.format = Format::R32G32B32A32_SFLOAT}),
            "a.ktx2:0x50: error: level 0 has 128 bytes, but 2147483647 x 2 x 1 texels of "
            "VK_FORMAT_R32G32B32A32_SFLOAT have 68719476704 [file-format]\n");
}

TEST(Ktx2, TheDescriptorMustAgree) {
  constexpr std::size_t kAt = 104;
  EXPECT_EQ(with_field(kAt, 99),
            "a.ktx2:0x68: error: the data format descriptor has the total size 99, but for VK_FORMAT_R8_UNORM it "
            "is 44 [file-format]\n");
  EXPECT_EQ(with_field(kAt + 4, 1),
            "a.ktx2:0x6c: error: the data format descriptor has the vendor and type 1, but for "
            "VK_FORMAT_R8_UNORM it is 0 [file-format]\n");
  EXPECT_EQ(with_field(kAt + 8, std::uint16_t{1}),
            "a.ktx2:0x70: error: the data format descriptor has the version 1, but for VK_FORMAT_R8_UNORM it is "
            "2 [file-format]\n");
  EXPECT_EQ(with_field(kAt + 10, std::uint16_t{24}),
            "a.ktx2:0x72: error: the data format descriptor has the own size 24, but for VK_FORMAT_R8_UNORM it "
            "is 40 [file-format]\n");
  EXPECT_EQ(with_field(kAt + 12, std::uint8_t{128}),
            "a.ktx2:0x74: error: the data format descriptor has the colour model 128, but for VK_FORMAT_R8_UNORM "
            "it is 1 [file-format]\n");
  EXPECT_EQ(with_field(kAt + 14, std::uint8_t{2}),
            "a.ktx2:0x76: error: the data format descriptor has the transfer function 2, but for "
            "VK_FORMAT_R8_UNORM it is 1 [file-format]\n");
  EXPECT_EQ(with_field(kAt + 14, std::uint8_t{1}, {.format = Format::R8_SRGB}),
            "a.ktx2:0x76: error: the data format descriptor has the transfer function 1, but for "
            "VK_FORMAT_R8_SRGB it is 2 [file-format]\n");
  EXPECT_EQ(with_field(kAt + 16, 0x0303),
            "a.ktx2:0x78: error: the data format descriptor has the texel block 771, but for VK_FORMAT_R8_UNORM "
            "it is 0 [file-format]\n");
  EXPECT_EQ(with_field(kAt + 20, std::uint8_t{2}),
            "a.ktx2:0x7c: error: the data format descriptor has the block size in bytes 2, but for "
            "VK_FORMAT_R8_UNORM it is 1 [file-format]\n");
  EXPECT_EQ(with_field(kAt + 28, std::uint16_t{8}),
            "a.ktx2:0x84: error: sample 0 of the data format descriptor has 8 bits at bit 8 and the channel type "
            "0x0, but for VK_FORMAT_R8_UNORM it has 8 bits at bit 0 and 0x0 [file-format]\n");
  EXPECT_EQ(with_field(kAt + 30, std::uint8_t{15}),
            "a.ktx2:0x84: error: sample 0 of the data format descriptor has 16 bits at bit 0 and the channel "
            "type 0x0, but for VK_FORMAT_R8_UNORM it has 8 bits at bit 0 and 0x0 [file-format]\n");
  EXPECT_EQ(with_field(kAt + 31, std::uint8_t{1}),
            "a.ktx2:0x84: error: sample 0 of the data format descriptor has 8 bits at bit 0 and the channel type "
            "0x1, but for VK_FORMAT_R8_UNORM it has 8 bits at bit 0 and 0x0 [file-format]\n");
  EXPECT_EQ(with_field(kAt + 31, std::uint8_t{0x40}),
            "a.ktx2:0x84: error: sample 0 of the data format descriptor has 8 bits at bit 0 and the channel type "
            "0x40, but for VK_FORMAT_R8_UNORM it has 8 bits at bit 0 and 0x0 [file-format]\n");
  // Primaries, other transfer functions, flags, a linear sample and its limits are not compared.
  EXPECT_EQ(with_field(kAt + 13, std::uint8_t{4}), "parsed");
  EXPECT_EQ(with_field(kAt + 14, std::uint8_t{0}), "parsed");
  EXPECT_EQ(with_field(kAt + 15, std::uint8_t{1}), "parsed");
  EXPECT_EQ(with_field(kAt + 31, std::uint8_t{0x10}), "parsed");
  EXPECT_EQ(with_field(kAt + 40, 1), "parsed");
  EXPECT_EQ(with_field(kAt + 20, std::uint8_t{0}, {.width = 64, .height = 64, .deflated = true}), "parsed");
}

TEST(Ktx2, AllProblemsAreReportedTogether) {
  auto bytes = ktx2_file({});
  store(&bytes[16], 9);
  store(&bytes[40], 7);
  store(&bytes[56], 0x7fffffff);
  EXPECT_EQ(ktx2_problems(bytes),
            "a.ktx2:0x10: error: the size of the data type is 9, but for VK_FORMAT_R8_UNORM it is 1 "
            "[file-format]\n"
            "a.ktx2:0x28: error: the file claims 7 mip levels, but 4 x 2 x 1 texels have at most 3 "
            "[out-of-range]\n"
            "a.ktx2:0x38: error: the table of keys and values has 0 bytes at 0x7fffffff, but the file has 156 "
            "[file-truncated]\n");
}

TEST(Ktx2, ShortAndDamagedFiles) {
  for (const bool deflated : {false, true}) {
    const auto bytes = ktx2_file({.width = 64, .height = 64, .levels = 2, .deflated = deflated});
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      const std::vector<std::byte> part(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
      EXPECT_NE(ktx2_problems(part), "parsed") << size;
    }
    EXPECT_EQ(ktx2_problems(bytes), "parsed");
  }
  const auto bytes = ktx2_file({});
  EXPECT_EQ(ktx2_problems(Bytes(bytes).first(79)),
            "a.ktx2:0x0: error: the file has 79 bytes, fewer than the 80 of a KTX2 header [file-truncated]\n");
  EXPECT_EQ(ktx2_problems(Bytes(bytes).first(100)),
            "a.ktx2:0x30: error: the data format descriptor has 44 bytes at 0x68, but the file has 100 "
            "[file-truncated]\n");
  // Only the levels that are used must be there.
  auto levels = ktx2_file({.levels = 3});
  store(&levels[80 + 24], std::uint64_t{1} << 40);
  EXPECT_EQ(ktx2_problems(levels, 1), "parsed");
  EXPECT_EQ(ktx2_problems(levels, 2),
            "a.ktx2:0x68: error: level 1 has 2 bytes at 0x10000000000, but the file has 207 [file-truncated]\n");

  auto damaged = ktx2_file({.width = 64, .height = 64, .deflated = true});
  const auto texture = parse_ktx2(damaged, "a.ktx2");
  ASSERT_TRUE(texture);
  damaged.back() ^= std::byte{1};  // the checksum
  std::vector<std::byte> device(64 * 64);
  const auto made = read_ktx2_level(*texture, "a.ktx2", 0, device);
  ASSERT_FALSE(made);
  EXPECT_EQ(format_diagnostics(made.error()), "a.ktx2:0x94: error: the compressed level 0 is damaged [file-format]\n");
}

}  // namespace
}  // namespace slipway::tensor
