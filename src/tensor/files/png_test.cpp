// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tensor/files/png.hpp"
#include "base/format.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spng.h>
#include <zlib.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "base/print_diagnostic.hpp"

namespace slipway::tensor {
namespace {

// A PNG file of any colour type and depth from raw samples, encoded by the library that also reads.
struct Recipe {
  std::uint32_t width = 1;
  std::uint32_t height = 1;
  spng_color_type colour = SPNG_COLOR_TYPE_GRAYSCALE;
  std::uint8_t depth = 8;
  std::string samples;
  std::string palette;       // three bytes an entry
  std::string transparency;  // alpha of palette entries, or big-endian samples
};

std::uint16_t sample(const std::string& bytes, std::size_t index) {
  return static_cast<std::uint16_t>(static_cast<unsigned char>(bytes[2 * index]) << 8 |
                                    static_cast<unsigned char>(bytes[2 * index + 1]));
}

std::vector<std::byte> make(const Recipe& recipe) {
  spng_ctx* context = spng_ctx_new(SPNG_CTX_ENCODER);
  spng_set_option(context, SPNG_ENCODE_TO_BUFFER, 1);
  spng_ihdr header{.width = recipe.width,
                   .height = recipe.height,
                   .bit_depth = recipe.depth,
                   .color_type = static_cast<std::uint8_t>(recipe.colour)};
  EXPECT_EQ(spng_set_ihdr(context, &header), 0);
  if (!recipe.palette.empty()) {
    spng_plte palette{.n_entries = static_cast<std::uint32_t>(recipe.palette.size() / 3)};
    for (std::uint32_t i = 0; i < palette.n_entries; ++i) {
      const auto byte = [&](std::size_t c) { return static_cast<std::uint8_t>(recipe.palette[3 * i + c]); };
      palette.entries[i] = {byte(0), byte(1), byte(2), 255};
    }
    EXPECT_EQ(spng_set_plte(context, &palette), 0);
  }
  if (!recipe.transparency.empty()) {
    spng_trns transparency{};
    if (recipe.colour == SPNG_COLOR_TYPE_INDEXED) {
      transparency.n_type3_entries = static_cast<std::uint32_t>(recipe.transparency.size());
      std::ranges::copy(recipe.transparency, transparency.type3_alpha);
    } else if (recipe.colour == SPNG_COLOR_TYPE_GRAYSCALE) {
      transparency.gray = sample(recipe.transparency, 0);
    } else {
      transparency.red = sample(recipe.transparency, 0);
      transparency.green = sample(recipe.transparency, 1);
      transparency.blue = sample(recipe.transparency, 2);
    }
    EXPECT_EQ(spng_set_trns(context, &transparency), 0);
  }
  EXPECT_EQ(
      spng_encode_image(context, recipe.samples.data(), recipe.samples.size(), SPNG_FMT_RAW, SPNG_ENCODE_FINALIZE), 0);
  std::size_t size = 0;
  int error = 0;
  auto* bytes = static_cast<std::byte*>(spng_get_png_buffer(context, &size, &error));
  std::vector<std::byte> file(bytes, bytes + size);
  std::free(bytes);
  spng_ctx_free(context);
  return file;
}

std::string texels(const Recipe& recipe) {
  const auto image = decode_png(make(recipe), "a.png");
  if (!image) return format_diagnostics(image.error());
  std::string text;
  for (std::size_t i = 0; i < image->texels.size(); ++i) {
    text += formatted("{}{:02x}", i && i % 4 == 0 ? " " : "", std::to_integer<int>(image->texels[i]));
  }
  return text;
}

std::string problem_in_png(Bytes file) {
  const auto image = decode_png(file, "a.png");
  const auto extent = png_extent(file, "a.png");
  const std::string text = image ? "decoded" : format_diagnostics(image.error());
  return text + (extent ? formatted("{}x{}", extent->width, extent->height) : "");
}

TEST(Png, EveryColourTypeBecomesRgba) {
  EXPECT_EQ(texels({.width = 2, .samples = {'\x00', '\x80'}}), "000000ff 808080ff");
  EXPECT_EQ(texels({.width = 8, .depth = 1, .samples = "\xa0"}),
            "ffffffff 000000ff ffffffff 000000ff 000000ff 000000ff 000000ff 000000ff");
  EXPECT_EQ(texels({.width = 4, .depth = 2, .samples = "\x1b"}), "000000ff 555555ff aaaaaaff ffffffff");
  EXPECT_EQ(texels({.width = 2, .depth = 4, .samples = "\x3f"}), "333333ff ffffffff");
  EXPECT_EQ(texels({.depth = 16, .samples = "\x12\xff"}), "121212ff");
  EXPECT_EQ(texels({.colour = SPNG_COLOR_TYPE_TRUECOLOR, .samples = "\x01\x02\x03"}), "010203ff");
  EXPECT_EQ(texels({.colour = SPNG_COLOR_TYPE_TRUECOLOR, .depth = 16, .samples = "\x01\xff\x02\xff\x03\xff"}),
            "010203ff");
  EXPECT_EQ(texels({.width = 2, .colour = SPNG_COLOR_TYPE_INDEXED, .samples = {'\x01', '\x00'}, .palette = "abcdef"}),
            "646566ff 616263ff");
  EXPECT_EQ(texels({.width = 2, .colour = SPNG_COLOR_TYPE_INDEXED, .depth = 4, .samples = "\x10", .palette = "abcdef"}),
            "646566ff 616263ff");
  EXPECT_EQ(texels({.colour = SPNG_COLOR_TYPE_GRAYSCALE_ALPHA, .samples = "\x10\x20"}), "10101020");
  EXPECT_EQ(texels({.colour = SPNG_COLOR_TYPE_GRAYSCALE_ALPHA, .depth = 16, .samples = "\x10\xff\x20\xff"}),
            "10101020");
  EXPECT_EQ(texels({.colour = SPNG_COLOR_TYPE_TRUECOLOR_ALPHA, .samples = "\x01\x02\x03\x04"}), "01020304");
  EXPECT_EQ(
      texels({.colour = SPNG_COLOR_TYPE_TRUECOLOR_ALPHA, .depth = 16, .samples = "\x01\xff\x02\xff\x03\xff\x04\xff"}),
      "01020304");
}

TEST(Png, TransparencyBecomesAlpha) {
  EXPECT_EQ(texels({.width = 2, .samples = "\x10\x20", .transparency = {'\0', '\x20'}}), "101010ff 20202000");
  EXPECT_EQ(texels({.width = 2, .depth = 4, .samples = "\x3f", .transparency = {'\0', '\x3'}}), "33333300 ffffffff");
  EXPECT_EQ(texels({.width = 2, .depth = 16, .samples = "\x12\x34\x12\x35", .transparency = "\x12\x34"}),
            "12121200 121212ff");
  EXPECT_EQ(
      texels({.colour = SPNG_COLOR_TYPE_TRUECOLOR, .samples = "\x01\x02\x03", .transparency = {0, 1, 0, 2, 0, 3}}),
      "01020300");
  EXPECT_EQ(texels({.width = 2,
                    .colour = SPNG_COLOR_TYPE_INDEXED,
                    .samples = {'\x01', '\x00'},
                    .palette = "abcdef",
                    .transparency = "\x40"}),
            "646566ff 61626340");
}

// Made by another encoder: Adam7, 3 x 3 grey, sample = 16 * (3 * row + column).
TEST(Png, Interlaced) {
  const unsigned char file[] = {
      0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52,
      0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00, 0x03, 0x08, 0x00, 0x00, 0x00, 0x01, 0x04, 0x44, 0xda,
      0xf5, 0x00, 0x00, 0x00, 0x17, 0x49, 0x44, 0x41, 0x54, 0x78, 0xda, 0x63, 0x60, 0x60, 0x50, 0x60,
      0x48, 0x68, 0x60, 0x10, 0x60, 0x28, 0x60, 0x30, 0x70, 0x08, 0x00, 0x00, 0x0d, 0xcf, 0x02, 0x41,
      0x15, 0x49, 0xf3, 0xef, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82,
  };
  const auto image = decode_png(std::as_bytes(std::span(file)), "a.png");
  ASSERT_TRUE(image) << format_diagnostics(image.error());
  ASSERT_EQ(image->texels.size(), 36u);
  for (std::size_t i = 0; i < 9; ++i) {
    EXPECT_EQ(std::to_integer<int>(image->texels[4 * i]), static_cast<int>(16 * i));
    EXPECT_EQ(std::to_integer<int>(image->texels[4 * i + 3]), 255);
  }
}

TEST(Png, WrittenFilesAreReadBack) {
  std::vector<std::byte> texels(3 * 5 * 4);
  for (std::size_t i = 0; i < texels.size(); ++i) texels[i] = static_cast<std::byte>(i * 37);
  const auto file = encode_png(3, 5, texels);
  ASSERT_TRUE(file);
  EXPECT_EQ(png_extent(*file, "a.png"), (PngExtent{3, 5}));
  const auto image = decode_png(*file, "a.png");
  ASSERT_TRUE(image);
  EXPECT_EQ(image->width, 3u);
  EXPECT_EQ(image->height, 5u);
  EXPECT_EQ(image->texels, texels);
  // IHDR: 8 bits, truecolour with alpha.
  EXPECT_EQ((*file)[24], std::byte{8});
  EXPECT_EQ((*file)[25], std::byte{6});
}

// The samples of a file, as the library reads them without conversion.
std::string samples(const std::vector<std::byte>& file) {
  spng_ctx* context = spng_ctx_new(0);
  spng_set_png_buffer(context, file.data(), file.size());
  spng_ihdr header{};
  EXPECT_EQ(spng_get_ihdr(context, &header), 0);
  std::size_t size = 0;
  EXPECT_EQ(spng_decoded_image_size(context, SPNG_FMT_PNG, &size), 0);
  std::vector<std::byte> image(size);
  EXPECT_EQ(spng_decode_image(context, image.data(), size, SPNG_FMT_PNG, 0), 0);
  double gamma = 0;
  const bool has_gamma = spng_get_gama(context, &gamma) == 0;
  spng_ctx_free(context);
  std::string text = formatted("{}x{}", header.color_type, header.bit_depth);
  if (has_gamma) text += formatted(" gamma {}", gamma);
  for (std::size_t i = 0; i < size; i += header.bit_depth / 8) {
    text += header.bit_depth == 8 ? formatted(" {}", std::to_integer<int>(image[i]))
                                  : formatted(" {}", load<std::uint16_t>(&image[i]));
  }
  return text;
}

template <class T>
std::string written(vk::Format format, std::uint32_t width, std::vector<T> texels) {
  const auto file = encode_png(*find_format(format), width, 1, std::as_bytes(std::span(texels)));
  return file ? samples(*file) : format_diagnostics(file.error());
}

TEST(Png, FormatsAreWrittenWithTheirDepth) {
  using vk::Format;
  EXPECT_EQ(written<std::uint8_t>(Format::R8_UNORM, 3, {0, 7, 255}), "0x8 0 7 255");
  EXPECT_EQ(written<std::uint8_t>(Format::R8_UINT, 2, {3, 200}), "0x8 3 200");
  EXPECT_EQ(written<std::uint16_t>(Format::R16_UNORM, 2, {1, 65535}), "0x16 1 65535");
  EXPECT_EQ(written<std::uint16_t>(Format::R16_UINT, 2, {258, 3}), "0x16 258 3");
  EXPECT_EQ(written<std::uint8_t>(Format::R8G8_UNORM, 1, {9, 8}), "2x8 9 8 0");
  EXPECT_EQ(written<std::uint8_t>(Format::B8G8R8A8_SRGB, 1, {1, 2, 3, 4}), "6x8 3 2 1 4");
  EXPECT_EQ(written<std::uint16_t>(Format::R16G16B16A16_UNORM, 1, {1, 2, 3, 4}), "6x16 1 2 3 4");
  // Ten bits are scaled, two bits of alpha too.
  EXPECT_EQ(written<std::uint32_t>(Format::A2B10G10R10_UNORM_PACK32, 1, {1023u | 512u << 10 | 1u << 30}),
            "6x16 65535 32800 0 21845");
  // Floats are limited to 0..1, and the file says that they are linear.
  EXPECT_EQ(written<float>(Format::R32_SFLOAT, 6, {0, 0.5f, 1, 2, -1, std::numeric_limits<float>::quiet_NaN()}),
            "0x16 gamma 1 0 32768 65535 65535 0 0");
  EXPECT_EQ(written<std::uint16_t>(Format::R16G16B16A16_SFLOAT, 1, {0x3c00, 0x3800, 0, 0x7c00}),
            "6x16 gamma 1 65535 32768 0 65535");
  EXPECT_EQ(written<float>(Format::D32_SFLOAT, 1, {0.25f}), "0x16 gamma 1 16384");
  for (const Format format : {Format::R8_SNORM, Format::R8_SINT, Format::R32_UINT, Format::R64_SINT,
                              Format::R8_BOOL_ARM, Format::BC1_RGBA_UNORM_BLOCK, Format::D24_UNORM_S8_UINT})
    EXPECT_FALSE(png_form(*find_format(format))) << vk::name_of(format);
}

TEST(Png, EveryFormatWithAFormIsReadBack) {
  std::size_t count = 0;
  for (const FormatInfo& info : known_formats()) {
    const auto form = png_form(info);
    if (!form) continue;
    ++count;
    // Texels of 0, about a half and the whole range in each component.
    std::vector<std::byte> texels(std::size_t{3} * info.texel_bytes);
    for (std::uint32_t i = 0; i < 3; ++i) {
      for (std::uint32_t c = 0; c < info.components; ++c) {
        const Number value = info.numeric == NumericFormat::Uint
                                 ? Number{std::uint64_t{i} * ((1u << info.channel[c].bits) - 1) / 2}
                                 : Number{i / 2.0};
        ASSERT_TRUE(store_component(info, c, value, &texels[i * info.texel_bytes]));
      }
    }
    const auto file = encode_png(info, 3, 1, texels);
    ASSERT_TRUE(file) << vk::name_of(info.format);
    std::vector<std::byte> again(texels.size());
    ASSERT_TRUE(decode_png(*file, "a.png", info, again)) << vk::name_of(info.format);
    for (std::uint32_t i = 0; i < 3; ++i) {
      const auto at = [&](const std::vector<std::byte>& list) {
        return std::vector(list.begin() + i * info.texel_bytes, list.begin() + (i + 1) * info.texel_bytes);
      };
      // A half of a float is not a multiple of 1 / 65535.
      if (i == 1 && form->is_linear) continue;
      EXPECT_EQ(at(again), at(texels)) << vk::name_of(info.format) << i;
    }
  }
  EXPECT_GT(count, 30u);
}

TEST(Png, AnyFileIsReadAsAnyFormat) {
  const auto as = [](const Recipe& recipe, vk::Format format) {
    const FormatInfo& info = *find_format(format);
    std::vector<std::byte> to(std::size_t{recipe.width} * recipe.height * info.texel_bytes);
    const Result<> read = decode_png(make(recipe), "a.png", info, to);
    if (!read) return format_diagnostics(read.error());
    const std::vector<std::byte> plain = unpack(info, to);
    std::string text;
    for (std::size_t i = 0; i < plain.size(); i += size_of(info.component))
      text += (text.empty() ? "" : " ") + text_of(info.component, &plain[i]);
    return text;
  };
  using vk::Format;
  const Recipe grey16{.width = 2, .depth = 16, .samples = {'\x01', '\x02', '\xff', '\xff'}};
  EXPECT_EQ(as(grey16, Format::R16_UNORM), "258 65535");
  EXPECT_EQ(as(grey16, Format::R16_UINT), "258 65535");
  EXPECT_EQ(as(grey16, Format::R8_UINT), "1 255");
  EXPECT_EQ(as(grey16, Format::R8_UNORM), "1 255");
  EXPECT_EQ(as({.width = 2, .samples = {'\x00', '\xff'}}, Format::R32_SFLOAT), "0 1");
  const Recipe rgb{.colour = SPNG_COLOR_TYPE_TRUECOLOR, .samples = "\x33\x02\x03"};
  EXPECT_EQ(as(rgb, Format::R8_UNORM), "51");
  EXPECT_EQ(as(rgb, Format::R16G16_UNORM), "13107 514");
  EXPECT_EQ(as(rgb, Format::R16G16B16A16_SFLOAT).substr(0, 3), "0.2");
  EXPECT_EQ(as({.samples = "x"}, Format::R16G16B16A16_UNORM), "30840 30840 30840 65535");
}

TEST(Png, FailureToWrite) {
  EXPECT_EQ(format_diagnostics(encode_png(0, 1, {}).error()),
            "error: cannot encode a PNG file of 0 x 1 texels: invalid image width [file-unwritable]\n");
}

TEST(Png, BadFiles) {
  const auto good = make({.width = 2, .height = 2, .samples = "abcd"});
  EXPECT_EQ(problem_in_png(bytes_of("GIF89a, and some more bytes, as many as a header needs")),
            "a.png:0x0: error: not a readable PNG file: invalid signature [file-format]\n");
  EXPECT_EQ(problem_in_png({}), "a.png:0x0: error: the PNG file ends before its image does [file-truncated]\n");
  EXPECT_EQ(problem_in_png(Bytes(good).first(20)),
            "a.png:0x0: error: the PNG file ends before its image does [file-truncated]\n");
  EXPECT_EQ(problem_in_png(Bytes(good).first(45)),
            "a.png:0x0: error: the PNG file ends before its image does [file-truncated]\n2x2");
  auto flipped = good;
  flipped[29] ^= std::byte{1};
  EXPECT_EQ(problem_in_png(flipped),
            "a.png:0x0: error: not a readable PNG file: invalid chunk checksum [file-format]\n2x2");
}

// The checksums after the last texel, of which decoding needs nothing.
TEST(Png, DamagedEndsOfTheImageData) {
  const std::vector<std::byte> whole = make({.width = 2, .samples = {'\x00', '\x80'}});
  EXPECT_EQ(problem_in_png(whole), "decoded2x1");
  const std::size_t data = slipway::text_of(Bytes(whole)).find("IDAT") + 4;
  const auto size = std::to_integer<std::size_t>(whole[data - 5]);  // below 256
  const auto with_crc = [&](std::vector<std::byte> file, std::size_t length) {
    const auto crc = crc32(0, reinterpret_cast<const Bytef*>(&file[data - 4]), static_cast<uInt>(length + 4));
    for (std::size_t i = 0; i < 4; ++i) file[data + length + i] = static_cast<std::byte>(crc >> (24 - 8 * i));
    return file;
  };
  EXPECT_EQ(with_crc(whole, size), whole);
  std::vector<std::byte> crc = whole;
  crc[data + size] ^= std::byte{1};
  EXPECT_THAT(problem_in_png(crc), ::testing::HasSubstr("[file-format]"));
  std::vector<std::byte> checksum = whole;
  checksum[data + size - 1] ^= std::byte{1};
  EXPECT_THAT(problem_in_png(with_crc(checksum, size)), ::testing::HasSubstr("[file-format]"));
  std::vector<std::byte> missing = whole;
  missing.erase(missing.begin() + static_cast<std::ptrdiff_t>(data + size - 4),
                missing.begin() + static_cast<std::ptrdiff_t>(data + size));
  missing[data - 5] = static_cast<std::byte>(size - 4);
  EXPECT_THAT(problem_in_png(with_crc(missing, size - 4)), ::testing::HasSubstr("[file-format]"));
}

TEST(Png, TooLargeIsRefusedByTheHeaderAlone) {
  std::string rows(8193, 'x');
  EXPECT_EQ(
      problem_in_png(make({.width = 8193, .samples = rows})),
      "a.png:0x10: error: the image has 8193 x 1 texels; PNG images may have at most 8192 x 8192 [out-of-range]\n");
  EXPECT_EQ(
      problem_in_png(make({.height = 8193, .samples = rows})),
      "a.png:0x10: error: the image has 1 x 8193 texels; PNG images may have at most 8192 x 8192 [out-of-range]\n");
  EXPECT_EQ(decode_png(make({.height = 8192, .samples = rows.substr(1)}), "a.png")->height, 8192u);
}

}  // namespace
}  // namespace slipway::tensor
