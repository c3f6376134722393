// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tensor/files/exr.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "base/format.hpp"
#include "base/print_diagnostic.hpp"
#include "base/system/files.hpp"
#include "tensor/files/deflate.hpp"
#include "tensor/float16.hpp"
#include "testing/source_directory.hpp"

namespace slipway::tensor {
namespace {

using vk::Format;

const FormatInfo& exr_format(Format format) { return *find_format(format); }

// The samples of the files below: small numbers that every type has.
double sample_at(std::size_t channel, std::uint32_t x, std::uint32_t y) {
  return static_cast<double>(channel * 64 + x + 3 * y);
}

// A file, written in another way than by encode_exr.
struct ExrRecipe {
  std::uint32_t width = 5, height = 3;
  std::int32_t left = 0, top = 0;  // of the data window
  std::uint8_t compression = 0;
  std::vector<ExrChannel> channels = {{"R", ExrType::Float}};
  std::uint32_t tile_width = 0, tile_height = 0;  // 0: lines
  bool decreasing = false;                        // order of the chunks in the file
  std::uint32_t version = 2;
  std::vector<std::string> omitted;  // attributes
};

void put_name(ByteWriter& to, std::string_view text) { to.append(text).write('\0'); }

// Lines of one chunk: planes of bytes for PXR24, otherwise samples.
std::vector<std::byte> sample_lines(const ExrRecipe& picture, std::uint32_t x, std::uint32_t y, std::uint32_t width,
                                    std::uint32_t height) {
  ByteWriter out;
  for (std::uint32_t line = y; line < y + height; ++line) {
    for (std::size_t c = 0; c < picture.channels.size(); ++c) {
      for (std::uint32_t column = x; column < x + width; ++column) {
        const double value = sample_at(c, column, line);
        switch (picture.channels[c].type) {
          case ExrType::Uint:
            out.write(static_cast<std::uint32_t>(value));
            break;
          case ExrType::Half:
            out.write(static_cast<Float16>(value));
            break;
          case ExrType::Float:
            out.write(static_cast<float>(value));
            break;
        }
      }
    }
  }
  return out.release();
}

std::vector<std::byte> sample_planes(const ExrRecipe& picture, Bytes lines, std::uint32_t width, std::uint32_t height) {
  ByteReader in(lines);
  std::vector<std::byte> planes;
  for (std::uint32_t line = 0; line < height; ++line) {
    for (const ExrChannel& channel : picture.channels) {
      std::vector<std::uint32_t> differences;
      std::uint32_t previous = 0;
      for (std::uint32_t x = 0; x < width; ++x) {
        std::uint32_t sample = channel.type == ExrType::Half ? in.read<std::uint16_t>() : in.read<std::uint32_t>();
        if (channel.type == ExrType::Float) sample >>= 8;
        differences.push_back(sample - previous);
        previous = sample;
      }
      const int count = channel.type == ExrType::Half ? 2 : channel.type == ExrType::Float ? 3 : 4;
      for (int plane = count; plane-- > 0;) {
        for (const std::uint32_t difference : differences)
          planes.push_back(static_cast<std::byte>(difference >> 8 * plane));
      }
    }
  }
  return planes;
}

// Even bytes, then odd ones; each less the one before.
std::vector<std::byte> predicted(Bytes bytes) {
  std::vector<std::byte> sorted;
  for (const std::size_t first : {0, 1}) {
    for (std::size_t i = first; i < bytes.size(); i += 2) sorted.push_back(bytes[i]);
  }
  std::vector<std::byte> made;
  int previous = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const int byte = std::to_integer<int>(sorted[i]);
    made.push_back(static_cast<std::byte>(i == 0 ? byte : byte - previous + 128));
    previous = byte;
  }
  return made;
}

std::vector<std::byte> run_lengths(Bytes bytes) {
  std::vector<std::byte> made;
  for (std::size_t i = 0; i < bytes.size();) {
    std::size_t same = 1;
    while (i + same < bytes.size() && bytes[i + same] == bytes[i] && same < 128) ++same;
    if (same > 1) {
      made.push_back(static_cast<std::byte>(same - 1));
    } else {
      made.push_back(static_cast<std::byte>(-1));
    }
    made.push_back(bytes[i]);
    i += same;
  }
  return made;
}

std::vector<std::byte> exr_chunk(const ExrRecipe& picture, const std::vector<std::byte>& lines, std::uint32_t width,
                                 std::uint32_t height) {
  std::optional<std::vector<std::byte>> made;
  if (picture.compression == 1) made = run_lengths(predicted(lines));
  if (picture.compression == 2 || picture.compression == 3) made = deflated(predicted(lines), DeflateForm::Zlib);
  if (picture.compression == 5) made = deflated(sample_planes(picture, lines, width, height), DeflateForm::Zlib);
  return made && made->size() < lines.size() ? *made : lines;
}

std::vector<std::byte> exr_file(const ExrRecipe& picture) {
  ByteWriter out;
  out.write(std::uint32_t{0x01312f76});
  out.write(picture.version | (picture.tile_width != 0 ? 0x200u : 0u));
  const auto attribute = [&](std::string_view name, std::string_view type, const ByteWriter& value) {
    if (std::ranges::contains(picture.omitted, name)) return;
    put_name(out, name);
    put_name(out, type);
    out.write(static_cast<std::uint32_t>(value.size())).append(value.bytes());
  };
  ByteWriter channels;
  for (const ExrChannel& channel : picture.channels) {
    put_name(channels, channel.name);
    channels.write(static_cast<std::uint32_t>(channel.type)).write(0).write(1).write(1);
  }
  channels.write('\0');
  attribute("owner", "string", ByteWriter().append("person"));
  attribute("channels", "chlist", channels);
  attribute("compression", "compression", ByteWriter().write(picture.compression));
  attribute("dataWindow", "box2i",
            ByteWriter()
                .write(picture.left)
                .write(picture.top)
                .write(static_cast<std::int32_t>(picture.left + picture.width - 1))
                .write(static_cast<std::int32_t>(picture.top + picture.height - 1)));
  const bool tiled = picture.tile_width != 0;
  if (tiled)
    attribute("tiles", "tiledesc",
              ByteWriter().write(picture.tile_width).write(picture.tile_height).write(std::uint8_t{0}));
  out.write('\0');

  constexpr std::uint32_t kLines[] = {1, 1, 1, 16, 32, 16};
  const std::uint32_t step_x = tiled ? picture.tile_width : picture.width,
                      step_y = tiled ? picture.tile_height : kLines[picture.compression % 6];
  std::vector<std::vector<std::byte>> chunks;
  for (std::uint32_t y = 0; y < picture.height; y += step_y) {
    for (std::uint32_t x = 0; x < picture.width; x += step_x) {
      const std::uint32_t width = std::min(step_x, picture.width - x), height = std::min(step_y, picture.height - y);
      const auto data = exr_chunk(picture, sample_lines(picture, x, y, width, height), width, height);
      ByteWriter chunk;
      if (tiled)
        chunk.write(x / step_x).write(y / step_y).write(0).write(0);
      else
        chunk.write(static_cast<std::int32_t>(picture.top + y));
      chunk.write(static_cast<std::uint32_t>(data.size())).append(data);
      chunks.push_back(chunk.release());
    }
  }
  std::vector<std::byte> bytes = out.release();
  const std::size_t table = bytes.size();
  bytes.resize(table + 8 * chunks.size());
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const std::size_t index = picture.decreasing ? chunks.size() - 1 - i : i;
    store(&bytes[table + 8 * index], std::uint64_t{bytes.size()});
    bytes.append_range(chunks[index]);
  }
  return bytes;
}

std::string exr_problems(Bytes bytes) {
  const auto picture = parse_exr(bytes, "a.exr");
  return picture ? "parsed" : format_diagnostics(picture.error());
}
std::string exr_problems(const ExrRecipe& picture) { return exr_problems(exr_file(picture)); }

template <class T>
Result<std::vector<T>> decoded_exr(Bytes bytes, Format format) {
  SLIPWAY_TRY(const ExrView picture, parse_exr(bytes, "a.exr"));
  std::vector<std::byte> texels(*level_bytes(exr_format(format), picture.width, picture.height));
  SLIPWAY_TRY_VOID(decode_exr(picture, "a.exr", exr_format(format), texels));
  std::vector<T> values(texels.size() / sizeof(T));
  std::memcpy(values.data(), texels.data(), texels.size());
  return values;
}

// `channels[i]` is the index of the channel that component i has, or -1 for 1.
template <class T>
std::vector<T> expected_samples(const ExrRecipe& picture, std::vector<int> channels) {
  std::vector<T> values;
  for (std::uint32_t y = 0; y < picture.height; ++y) {
    for (std::uint32_t x = 0; x < picture.width; ++x) {
      for (const int c : channels)
        values.push_back(static_cast<T>(c < 0 ? 1 : sample_at(static_cast<std::size_t>(c), x, y)));
    }
  }
  return values;
}

TEST(Exr, EveryCompressionInLinesAndTiles) {
  const std::vector<ExrChannel> mixed = {
      {"A", ExrType::Half}, {"B", ExrType::Float}, {"G", ExrType::Half}, {"R", ExrType::Half}, {"id", ExrType::Uint}};
  for (const std::uint8_t compression : {0, 1, 2, 3, 5}) {
    for (const auto& [width, height] : {std::pair{1u, 1u}, {5u, 3u}, {37u, 35u}}) {
      for (const std::uint32_t tile : {0u, 16u}) {
        for (const bool decreasing : {false, true}) {
          SCOPED_TRACE(formatted("compression {}, {} x {}, tiles of {}", compression, width, height, tile));
          const ExrRecipe picture{.width = width,
                                  .height = height,
                                  .left = -7,
                                  .top = 2,
                                  .compression = compression,
                                  .channels = mixed,
                                  .tile_width = tile,
                                  .tile_height = tile / 2,
                                  .decreasing = decreasing};
          const auto bytes = exr_file(picture);
          const auto rgba = decoded_exr<float>(bytes, Format::R32G32B32A32_SFLOAT);
          ASSERT_TRUE(rgba) << format_diagnostics(rgba.error());
          EXPECT_EQ(*rgba, expected_samples<float>(picture, {3, 2, 1, 0}));
        }
      }
    }
  }
}

// Files of OpenEXR's own programs (tests/data/exr/make.py).
TEST(Exr, FilesOfOpenExr) {
  const Path directory = testing::source_directory() / "tests/data/exr";
  std::vector<float> plain;
  for (std::uint32_t y = 0; y < 41; ++y) {
    for (std::uint32_t x = 0; x < 37; ++x)
      plain.insert(plain.end(), {static_cast<float>(x) / 8 - 2, static_cast<float>((x * 7 + y * 13) % 32) / 4,
                                 static_cast<float>(x * y / 3.0), static_cast<float>((x + y) % 2)});
  }
  for (const std::string name : {"none", "rle", "zips", "zip", "piz", "pxr24", "tiled_piz", "tiled_zip"}) {
    const auto mapped = map_file(directory / (name + ".exr"));
    ASSERT_TRUE(mapped) << name;
    const auto values = decoded_exr<float>(mapped->bytes(), Format::R32G32B32A32_SFLOAT);
    ASSERT_TRUE(values) << name << format_diagnostics(values.error());
    ASSERT_EQ(values->size(), plain.size());
    // The floats of PXR24 have no lowest byte.
    const float tolerance = name == "pxr24" ? 0x1p-15f : 0;
    for (std::size_t i = 0; i < plain.size(); ++i)
      ASSERT_NEAR((*values)[i], plain[i], std::abs(plain[i]) * tolerance) << name << " " << i;
  }
  const auto mapped = map_file(directory / "ids_piz.exr");
  ASSERT_TRUE(mapped);
  const auto ids = decoded_exr<std::uint32_t>(mapped->bytes(), Format::R32_UINT);
  ASSERT_TRUE(ids) << format_diagnostics(ids.error());
  ASSERT_EQ(ids->size(), 600u * 40);
  for (std::uint32_t i = 0; i < ids->size(); ++i) ASSERT_EQ((*ids)[i], i);
}

TEST(Exr, ChannelsForComponents) {
  const auto with = [](std::vector<ExrChannel> channels) {
    return exr_file({.width = 2, .height = 1, .channels = std::move(channels)});
  };
  const ExrRecipe two{.width = 2, .height = 1};
  using Floats = std::vector<float>;
  const auto floats = [&](const std::vector<std::byte>& bytes, Format format) {
    const auto values = decoded_exr<float>(bytes, format);
    EXPECT_TRUE(values) << format_diagnostics(values.error());
    return values.value_or(Floats{});
  };
  const auto grey = with({{"A", ExrType::Half}, {"Y", ExrType::Half}});
  EXPECT_EQ(floats(grey, Format::R32G32B32A32_SFLOAT), expected_samples<float>(two, {1, 1, 1, 0}));
  EXPECT_EQ(floats(grey, Format::R32_SFLOAT), expected_samples<float>(two, {1}));
  const auto rgb = with({{"B", ExrType::Half}, {"G", ExrType::Float}, {"R", ExrType::Half}, {"Z", ExrType::Float}});
  EXPECT_EQ(floats(rgb, Format::R32G32B32A32_SFLOAT), expected_samples<float>(two, {2, 1, 0, -1}));
  EXPECT_EQ(floats(rgb, Format::R32G32B32_SFLOAT), expected_samples<float>(two, {2, 1, 0}));
  EXPECT_EQ(floats(rgb, Format::R32_SFLOAT), expected_samples<float>(two, {2}));
  EXPECT_EQ(floats(rgb, Format::D32_SFLOAT), expected_samples<float>(two, {3}));
  EXPECT_EQ(floats(with({{"depth.V", ExrType::Float}}), Format::R32_SFLOAT), expected_samples<float>(two, {0}));

  const auto refused = [&](const std::vector<std::byte>& bytes, Format format) {
    const auto values = decoded_exr<float>(bytes, format);
    return values ? "decoded" : format_diagnostics(values.error());
  };
  EXPECT_EQ(refused(with({{"left.R", ExrType::Half}, {"left.Y", ExrType::Half}}), Format::R32G32_SFLOAT),
            "a.exr:0x33: error: the file has no channel `R`; its channels are `left.R`, `left.Y` [file-mismatch]\n"
            "a.exr:0x33: error: the file has no channel `G`; its channels are `left.R`, `left.Y` [file-mismatch]\n");
  EXPECT_EQ(refused(with({{"R", ExrType::Uint}}), Format::R32_SFLOAT),
            "a.exr:0x33: error: channel `R` has integers, but VK_FORMAT_R32_SFLOAT has floats [file-mismatch]\n");
  EXPECT_EQ(refused(with({{"R", ExrType::Half}}), Format::R32_UINT),
            "a.exr:0x33: error: channel `R` has floats, but VK_FORMAT_R32_UINT has integers [file-mismatch]\n");
  EXPECT_EQ(refused(exr_file({.width = 300, .height = 1, .channels = {{"R", ExrType::Uint}}}), Format::R8_UINT),
            "a.exr:0x99: error: texel 256, 0: `256` is out of range for component R of `VK_FORMAT_R8_UINT` (0 to 255) "
            "[out-of-range]\n");
}

// Bits of floats and integers, through our writer and reader.
TEST(Exr, EveryFormatGoesThroughAFile) {
  std::size_t count = 0;
  for (const FormatInfo& format : known_formats()) {
    if (!has_exr_form(format)) continue;
    ++count;
    for (const auto& [width, height] : {std::pair{1u, 1u}, {3u, 5u}, {19u, 33u}}) {
      std::vector<std::byte> texels(*level_bytes(format, width, height));
      // No NaNs, which are other NaNs in another type: the highest bits of each byte are 0.
      for (std::size_t i = 0; i < texels.size(); ++i) texels[i] = static_cast<std::byte>(i * 37 % 61);
      const auto bytes = encode_exr(format, width, height, texels);
      const auto picture = parse_exr(bytes, "a.exr");
      ASSERT_TRUE(picture) << format_diagnostics(picture.error());
      EXPECT_EQ(picture->width, width);
      EXPECT_EQ(picture->height, height);
      std::vector<std::byte> back(texels.size());
      const auto made = decode_exr(*picture, "a.exr", format, back);
      ASSERT_TRUE(made) << format_diagnostics(made.error());
      EXPECT_TRUE(back == texels) << vk::name_of(format.format);
    }
  }
  EXPECT_GT(count, 25u);
  EXPECT_FALSE(has_exr_form(exr_format(Format::R8G8B8A8_UNORM)));
  EXPECT_FALSE(has_exr_form(exr_format(Format::R32_SINT)));
  EXPECT_FALSE(has_exr_form(exr_format(Format::R64_UINT)));
  EXPECT_FALSE(has_exr_form(exr_format(Format::R64_SFLOAT)));
  EXPECT_FALSE(has_exr_form(exr_format(Format::BC6H_SFLOAT_BLOCK)));
  EXPECT_FALSE(has_exr_form(exr_format(Format::R8_BOOL_ARM)));
}

TEST(Exr, SpecialValues) {
  const float nan = std::nanf(""), inf = HUGE_VALF;
  const std::vector<float> values = {inf, -inf, nan, -0.0f, 65520.0f, 1e-30f, 3.4e38f, -1.5f};
  const auto bytes = encode_exr(exr_format(Format::R32_SFLOAT), 8, 1, std::as_bytes(std::span(values)));
  const auto same = decoded_exr<std::uint32_t>(bytes, Format::R32_SFLOAT);
  ASSERT_TRUE(same);
  EXPECT_EQ(std::memcmp(same->data(), values.data(), sizeof(float) * values.size()), 0);
  const auto halfs = decoded_exr<std::uint16_t>(bytes, Format::R16_SFLOAT);
  ASSERT_TRUE(halfs);
  EXPECT_EQ((*halfs)[0], 0x7c00);
  EXPECT_EQ((*halfs)[1], 0xfc00);
  EXPECT_GT((*halfs)[2] & 0x7fff, 0x7c00);
  EXPECT_EQ(std::vector(halfs->begin() + 3, halfs->end()),
            (std::vector<std::uint16_t>{0x8000, 0x7c00, 0, 0x7c00, 0xbe00}));
}

// What a written file has, by the field.
TEST(Exr, TheFileThatIsWritten) {
  const std::vector<std::uint16_t> halfs = {0x3c00, 0x4000, 0x4200, 0x4400};
  const auto bytes = encode_exr(exr_format(Format::R16G16B16A16_SFLOAT), 1, 1, std::as_bytes(std::span(halfs)));
  std::string text;
  for (const std::byte byte : bytes) {
    const char c = std::to_integer<char>(byte);
    text += c >= ' ' && c <= '~' ? std::string(1, c) : formatted("\\{:x}", std::to_integer<unsigned>(byte));
  }
  EXPECT_EQ(
      text,
      "v/1\\1\\2\\0\\0\\0"
      "channels\\0chlist\\0I\\0\\0\\0A\\0\\1\\0\\0\\0\\0\\0\\0\\0\\1\\0\\0\\0\\1\\0\\0\\0B\\0\\1\\0\\0\\0\\0\\0\\0\\0\\"
      "1\\0\\0\\0\\1\\0\\0\\0"
      "G\\0\\1\\0\\0\\0\\0\\0\\0\\0\\1\\0\\0\\0\\1\\0\\0\\0R\\0\\1\\0\\0\\0\\0\\0\\0\\0\\1\\0\\0\\0\\1\\0\\0\\0\\0"
      "compression\\0compression\\0\\1\\0\\0\\0\\3"
      "dataWindow\\0box2i\\0\\10\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0"
      "displayWindow\\0box2i\\0\\10\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0"
      "lineOrder\\0lineOrder\\0\\1\\0\\0\\0\\0"
      "pixelAspectRatio\\0float\\0\\4\\0\\0\\0\\0\\0\\80?"
      "screenWindowCenter\\0v2f\\0\\8\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0"
      "screenWindowWidth\\0float\\0\\4\\0\\0\\0\\0\\0\\80?\\0"
      "S\\1\\0\\0\\0\\0\\0\\0"
      "\\0\\0\\0\\0\\8\\0\\0\\0\\0D\\0B\\0@\\0<");
}

TEST(Exr, EveryCheckOfTheHeader) {
  EXPECT_EQ(exr_problems(Bytes{}), "a.exr:0x0: error: not an OpenEXR file [file-format]\n");
  EXPECT_EQ(exr_problems(bytes_of("DDS ....")), "a.exr:0x0: error: not an OpenEXR file [file-format]\n");
  EXPECT_EQ(exr_problems({.version = 3}),
            "a.exr:0x4: error: the version of the format is 3, but only 2 exists [unsupported]\n");
  EXPECT_EQ(
      exr_problems({.version = 2 | 0x1000}),
      "a.exr:0x4: error: the file has several parts; `exrmultipart -separate -i FILE -o PART` writes a file of each "
      "[unsupported]\n");
  EXPECT_EQ(exr_problems({.version = 2 | 0x800 | 0x10000}),
            "a.exr:0x4: error: the file has deep samples; `oiiotool FILE --flatten -o FLAT.exr` writes one with flat "
            "texels [unsupported]\n"
            "a.exr:0x4: error: the version has unknown flags, 0x10000 [unsupported]\n");
  EXPECT_EQ(exr_problems({.omitted = {"channels", "compression", "dataWindow"}}),
            "a.exr:0x8: error: the header has no attribute `channels` [file-format]\n"
            "a.exr:0x8: error: the header has no attribute `compression` [file-format]\n"
            "a.exr:0x8: error: the header has no attribute `dataWindow` [file-format]\n");
  EXPECT_EQ(exr_problems({.tile_width = 4, .tile_height = 4, .omitted = {"tiles"}}),
            "a.exr:0x8: error: the header has no attribute `tiles` [file-format]\n");
  EXPECT_EQ(
      exr_problems({.compression = 6, .channels = {}}),
      "a.exr:0x33: error: the list of channels is empty [file-format]\n"
      "a.exr:0x50: error: the file has the compression B44, but only none, RLE, ZIPS, ZIP, PIZ and PXR24 are read; "
      "`oiiotool FILE --compression zip -o ZIP.exr` writes another [unsupported]\n");
  EXPECT_EQ(exr_problems({.compression = 77}), "a.exr:0x62: error: the compression 77 is unknown [unsupported]\n");
  EXPECT_EQ(exr_problems({.channels = {{"R", static_cast<ExrType>(3)}}}),
            "a.exr:0x33: error: channel `R` has the unknown type 3; known are 0 to 2 [file-format]\n");
  EXPECT_EQ(exr_problems({.width = 0}),
            "a.exr:0x78: error: the data window from 0, 0 to -1, 2 has 0 x 3 texels [out-of-range]\n");
  EXPECT_EQ(exr_problems({.tile_width = 4, .tile_height = 0x80000000}), "parsed");

  // Fields of a valid file, changed.
  const auto with = [](std::size_t at, auto value, const ExrRecipe& picture = {}) {
    auto bytes = exr_file(picture);
    store(&bytes[at], value);
    return exr_problems(bytes);
  };
  EXPECT_EQ(with(0x3d, 2),
            "a.exr:0x33: error: channel `R` has a sample for every 2 x 1 texels only; `magick FILE FULL.exr` writes "
            "one with samples for all [unsupported]\n");
  EXPECT_EQ(with(0x34, 'x'), "a.exr:0x33: error: the list of channels ends within channel `Rx\\x02` [file-format]\n");
  EXPECT_EQ(with(0x45, 'x'), "a.exr:0x45: error: the list of channels has no end [file-format]\n");
  EXPECT_EQ(with(0x2f, 200), "a.exr:0xf5: error: the file ends within the attribute `channels` [file-truncated]\n");
  EXPECT_EQ(with(0x28, 'x'),
            "a.exr:0x1f: error: the attribute `channels` has 19 bytes of type `xhlist`, not `chlist` [file-format]\n");
  EXPECT_EQ(with(0x6f, 'x'),
            "a.exr:0x63: error: the attribute `dataWindow` has 16 bytes of type `bxx2i`, not 16 of type `box2i` "
            "[file-format]\n");
  const ExrRecipe tiled{.tile_width = 4, .tile_height = 4};
  EXPECT_EQ(with(0x9b, 0, tiled), "a.exr:0x9b: error: tiles have 0 x 4 texels [out-of-range]\n");
  EXPECT_EQ(with(0x80, 30000000, {.compression = 3}),
            "a.exr:0x78: error: a block of lines has more than 256 MiB [unsupported]\n");
  EXPECT_EQ(
      with(0x80, 0x7fffffff, {.left = -5}),
      "a.exr:0x78: error: the data window from -5, 0 to 2147483647, 2 has 2147483653 x 3 texels [out-of-range]\n");
}

TEST(Exr, EveryCheckOfChunks) {
  const auto with = [](std::size_t at, auto value, const ExrRecipe& picture = {}) {
    auto bytes = exr_file(picture);
    store(&bytes[at], value);
    return exr_problems(bytes);
  };
  EXPECT_EQ(with(0x89, std::uint64_t{0}),
            "a.exr:0x89: error: line 0 is missing: the file was not written to its end [file-truncated]\n");
  const ExrRecipe zip{.height = 20, .top = -3, .compression = 3};
  EXPECT_EQ(
      with(0x89, std::uint64_t{0}, zip),
      "a.exr:0x89: error: the lines -3 to 12 are missing: the file was not written to its end [file-truncated]\n");
  EXPECT_EQ(with(0x91, std::uint64_t{1} << 63),
            "a.exr:0x91: error: line 1 begins past the end of the file [file-truncated]\n");
  EXPECT_EQ(with(0x91, std::uint64_t{0xf0}), "a.exr:0xf0: error: the file ends within line 1 [file-truncated]\n");
  EXPECT_EQ(with(0x91, std::uint64_t{0xa1}),
            "a.exr:0xa1: error: the chunk is not line 1, as the table says [file-format]\n");
  EXPECT_EQ(with(0xa5, 0x7fffffff), "a.exr:0xa1: error: the file ends within line 0 [file-truncated]\n");
  const ExrRecipe tiled{.tile_width = 4, .tile_height = 4};
  EXPECT_EQ(with(0xb5, 7, tiled),
            "a.exr:0xb5: error: the chunk is not the tile 0, 0, as the table says [file-format]\n");
  EXPECT_EQ(with(0xad, std::uint64_t{0}, tiled),
            "a.exr:0xad: error: the tile 1, 0 is missing: the file was not written to its end [file-truncated]\n");
  // All are reported.
  auto bytes = exr_file({});
  store(&bytes[0x89], std::uint64_t{0});
  store(&bytes[0x99], std::uint64_t{0});
  EXPECT_EQ(exr_problems(bytes),
            "a.exr:0x89: error: line 0 is missing: the file was not written to its end [file-truncated]\n"
            "a.exr:0x99: error: line 2 is missing: the file was not written to its end [file-truncated]\n");
}

// A file that ends anywhere is refused, and never read past its end.
TEST(Exr, ShortFiles) {
  for (const std::uint8_t compression : {0, 3, 5}) {
    const auto bytes = exr_file({.width = 40, .height = 20, .compression = compression});
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      const std::vector<std::byte> part(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
      EXPECT_NE(exr_problems(part), "parsed") << size;
    }
    EXPECT_EQ(exr_problems(bytes), "parsed");
  }
}

TEST(Exr, DamagedTexels) {
  for (const std::uint8_t compression : {0, 1, 2, 3, 4, 5}) {
    const ExrRecipe picture{.width = 40, .height = 1, .compression = compression};
    auto bytes = exr_file(picture);
    const auto view = parse_exr(bytes, "a.exr");
    ASSERT_TRUE(view);
    const ExrChunk& chunk = view->chunks.at(0);
    // One byte less than there is.
    store(&bytes[chunk.offset - 4], static_cast<std::uint32_t>(chunk.bytes.size() - 1));
    const auto values = decoded_exr<float>(bytes, Format::R32_SFLOAT);
    ASSERT_FALSE(values) << int{compression};
    EXPECT_EQ(format_diagnostics(values.error()),
              formatted("a.exr:0x{:x}: error: the compressed texels are damaged [file-format]\n", chunk.offset));
  }
}

}  // namespace
}  // namespace slipway::tensor
