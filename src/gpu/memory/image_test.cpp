// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gpu/memory/image.hpp"

#include <gmock/gmock.h>

#include <numeric>

#include "gpu/commands/transfer.hpp"
#include "testing/gpu_fixture.hpp"
#include "vk/view_shape.hpp"

namespace slipway::gpu {
namespace {

using slipway::testing::must;
using slipway::testing::text_of;
using ::testing::Each;
using vk::Format;

using ImageTest = slipway::testing::GpuTest;

std::vector<std::uint8_t> some_bytes(std::size_t count) {
  std::vector<std::uint8_t> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::uint8_t>(i * 7 + i / 256);
  return bytes;
}

vk::ImageInfo info_of(Format format, std::uint32_t width, std::uint32_t height, std::uint32_t depth = 1) {
  return {.format = format,
          .width = width,
          .height = height,
          .depth = depth,
          .uses = {.sampled = true, .uploaded = true},
          .name = "i"};
}

TEST_F(ImageTest, KeepsItsContents) {
  const std::vector<vk::ImageInfo> infos = {info_of(Format::R8_UINT, 1, 1),
                                            info_of(Format::R8_UINT, 7, 5),
                                            info_of(Format::R8G8B8A8_SRGB, 33, 17),
                                            info_of(Format::R16G16B16A16_SINT, 5, 9),
                                            info_of(Format::B10G11R11_UFLOAT_PACK32, 6, 4),
                                            info_of(Format::R32G32B32A32_UINT, 3, 3, 4),
                                            info_of(Format::BC1_RGBA_UNORM_BLOCK, 10, 6)};
  for (const vk::ImageInfo& info : infos) {
    SCOPED_TRACE(vk::name_of(info.format));
    const Image probe = must(create_image(device(), info));
    const std::vector<std::uint8_t> bytes = some_bytes(probe.packed_size(0));
    const Image image = make_image(info, bytes);
    EXPECT_EQ(texels<std::uint8_t>(image), bytes);
  }
}

TEST_F(ImageTest, KeepsTheContentsOfLayers) {
  vk::ImageInfo info = info_of(Format::R8G8B8A8_UINT, 5, 5);
  info.layers = 12;
  info.uses.cube = true;
  const std::vector<std::uint8_t> bytes = some_bytes(std::size_t{5 * 5 * 4} * 12);
  const Image image = make_image(info, bytes);
  EXPECT_EQ(image.packed_size(0), bytes.size());
  EXPECT_EQ(texels<std::uint8_t>(image), bytes);
  for (const vk::ViewShape shape : {vk::ViewShape::Plain, vk::ViewShape::Array, vk::ViewShape::CubeArray}) {
    must(create_image_view(device(), image, 0, 1, shape));
  }
  // Staging memory of two rows: each layer is copied in parts.
  Transfer parts = must(create_transfer(device(), 40));
  std::vector<std::uint8_t> read(bytes.size());
  must(parts.upload(image, 0, std::as_bytes(std::span(bytes))));
  must(parts.finish());
  must(parts.download(image, 0, std::as_writable_bytes(std::span(read))));
  must(parts.finish());
  EXPECT_EQ(read, bytes);
  must(parts.zero(image));
  must(parts.finish());
  EXPECT_THAT(texels<std::uint8_t>(image), Each(0));
}

TEST_F(ImageTest, RefusesImpossibleLayers) {
  vk::ImageInfo info = info_of(Format::R8_UINT, 4, 4, 2);
  info.layers = 2;
  EXPECT_EQ(text_of(create_image(device(), info).error()), "a 3D image has one layer (image `i`) [out-of-range]\n");
  info = info_of(Format::R8_UINT, 4, 4);
  info.layers = 0;
  EXPECT_EQ(text_of(create_image(device(), info).error()),
            "an image needs at least one layer (image `i`) [out-of-range]\n");
  info.layers = 6;
  info.uses.cube = true;
  info.width = 5;
  EXPECT_EQ(text_of(create_image(device(), info).error()),
            "a cube has six layers with equal width and height (image `i`) [out-of-range]\n");
  info = info_of(Format::R8_UINT, 4, 4);
  info.layers = 1u << 31;
  EXPECT_THAT(text_of(create_image(device(), info).error()),
              ::testing::StartsWith("2147483648 layers are more than the device allows for `VK_FORMAT_R8_UINT`: "));
}

TEST_F(ImageTest, KeepsDepth) {
  std::vector<float> depths(12);
  std::iota(depths.begin(), depths.end(), 0.0f);
  for (float& depth : depths) depth /= 16;
  EXPECT_EQ(texels<float>(make_image(info_of(Format::D32_SFLOAT, 4, 3), depths)), depths);
}

TEST_F(ImageTest, LinearImagesHaveARowPitch) {
  vk::ImageInfo info = info_of(Format::R8_UINT, 5, 3);
  info.tiling = vk::Tiling::Linear;
  const std::vector<std::uint8_t> bytes = some_bytes(15);
  const Image image = make_image(info, bytes);
  EXPECT_EQ(image.tiling(), vk::Tiling::Linear);
  EXPECT_GE(image.linear_layout().row_pitch, 5u);
  EXPECT_EQ(texels<std::uint8_t>(image), bytes);
}

TEST_F(ImageTest, HasLevels) {
  vk::ImageInfo info = info_of(Format::R8_UINT, 9, 4);
  info.mips = 4;
  const Image image = must(create_image(device(), info));
  EXPECT_EQ(image.extent(0), (std::array{9u, 4u, 1u}));
  EXPECT_EQ(image.extent(1), (std::array{4u, 2u, 1u}));
  EXPECT_EQ(image.extent(3), (std::array{1u, 1u, 1u}));
  EXPECT_EQ(image.extent(40), (std::array{1u, 1u, 1u}));
  EXPECT_EQ(image.packed_size(1), 8u);
  Transfer batch = must(create_transfer(device()));
  must(batch.prepare(image));
  for (std::uint32_t level = 0; level < 4; ++level) {
    const std::vector<std::uint8_t> bytes(image.packed_size(level), static_cast<std::uint8_t>(level + 1));
    must(batch.upload(image, level, std::as_bytes(std::span(bytes))));
  }
  must(batch.finish());
  for (std::uint32_t level = 0; level < 4; ++level) EXPECT_THAT(texels<std::uint8_t>(image, level), Each(level + 1));
}

TEST_F(ImageTest, IsTransferredInRowsWhenItIsLargerThanTheStaging) {
  for (const vk::ImageInfo& info : {info_of(Format::R32_UINT, 50, 30), info_of(Format::R32_UINT, 50, 7, 3),
                                    info_of(Format::BC1_RGBA_UNORM_BLOCK, 100, 30)}) {
    SCOPED_TRACE(vk::name_of(info.format));
    const Image image = must(create_image(device(), info));
    const std::vector<std::uint8_t> bytes = some_bytes(image.packed_size(0));
    std::vector<std::uint8_t> back(bytes.size());
    Transfer batch = must(create_transfer(device(), 1000));
    must(batch.prepare(image));
    must(batch.upload(image, 0, std::as_bytes(std::span(bytes))));
    must(batch.finish());
    must(batch.download(image, 0, std::as_writable_bytes(std::span(back))));
    must(batch.finish());
    EXPECT_EQ(back, bytes);
  }
}

TEST_F(ImageTest, IsZeroed) {
  for (const Format format : {Format::R8G8B8A8_UNORM, Format::D32_SFLOAT, Format::D32_SFLOAT_S8_UINT, Format::S8_UINT,
                              Format::BC1_RGBA_UNORM_BLOCK}) {
    SCOPED_TRACE(vk::name_of(format));
    const vk::ImageInfo info = info_of(format, 8, 8);
    const Image probe = must(create_image(device(), info));
    const Image image = make_image(info, std::vector<std::uint8_t>(probe.packed_size(0), 0x3f));
    Transfer batch = must(create_transfer(device()));
    must(batch.zero(image));
    must(batch.finish());
    EXPECT_THAT(texels<std::uint8_t>(image), Each(0));
  }
}

TEST_F(ImageTest, IsCleared) {
  const Image image = make_image(info_of(Format::R16G16_UINT, 2, 2), std::vector<std::uint16_t>(8, 9));
  run([&](CommandList& list) { list.clear(image, {{3, 4}}); });
  EXPECT_EQ(texels<std::uint16_t>(image), (std::vector<std::uint16_t>{3, 4, 3, 4, 3, 4, 3, 4}));
}

TEST_F(ImageTest, ReportsWhatThePlanDoes) {
  vk::ImageInfo info = info_of(Format::R8_UINT, 4, 4);
  info.mips = 9;
  EXPECT_EQ(text_of(create_image(device(), info).error()),
            "Number of mips exceeds maximum number allowed for the image size: 9 where 3 are possible (image `i`) "
            "[out-of-range]\n");
}

TEST_F(ImageTest, ReportsFormatsWithoutASimpleLayout) {
  const vk::Snapshot& s = snapshot();
  if (s.format_features(Format::G8_B8R8_2PLANE_420_UNORM).optimal == 0) GTEST_SKIP() << "no such format here";
  EXPECT_EQ(text_of(create_image(device(), info_of(Format::G8_B8R8_2PLANE_420_UNORM, 4, 4)).error()),
            "images of `VK_FORMAT_G8_B8R8_2PLANE_420_UNORM` are not supported (image `i`) [unsupported]\n");
}

TEST_F(ImageTest, ViewsNameTheLevelsThatAreNotThere) {
  vk::ImageInfo info = info_of(Format::R8_UINT, 4, 4);
  info.mips = 2;
  const Image image = must(create_image(device(), info));
  EXPECT_TRUE(create_image_view(device(), image));
  EXPECT_TRUE(create_image_view(device(), image, 1, 1));
  EXPECT_EQ(text_of(create_image_view(device(), image, 2, 1).error()),
            "Requested level of details for the Image is greater than configured mipmaps: levels 2 to 2 of 2 (image "
            "`i`) [out-of-range]\n");
  EXPECT_EQ(text_of(create_image_view(device(), image, 1, 2).error()),
            "Requested level of details for the Image is greater than configured mipmaps: levels 1 to 2 of 2 (image "
            "`i`) [out-of-range]\n");
}

}  // namespace
}  // namespace slipway::gpu
