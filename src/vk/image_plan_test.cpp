// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vk/image_plan.hpp"
#include "base/format.hpp"

#include <gtest/gtest.h>

#include "testing/gpu_fixture.hpp"

namespace slipway::vk {
namespace {

using slipway::testing::text_of;

Snapshot device_with(Format format, std::uint64_t linear, std::uint64_t optimal) {
  Snapshot s;
  s.limits.max_image_2d = 64;
  s.limits.max_image_3d = 16;
  s.formats[format] = {linear, optimal};
  return s;
}

constexpr std::uint64_t kAll = ~std::uint64_t{0};

ImageInfo image(std::uint32_t width, std::uint32_t height, ImageUses uses = {.sampled = true}) {
  return {.format = Format::R8_UINT, .width = width, .height = height, .uses = uses, .name = "i"};
}

std::string plan_text(const Snapshot& snapshot, const ImageInfo& info) {
  const Result<ImagePlan> plan = plan_image(snapshot, info);
  if (!plan) return text_of(plan.error());
  return plan->tiling == Tiling::Linear ? "linear" : "optimal";
}

TEST(ImagePlan, ChoosesTheTiling) {
  const Snapshot both = device_with(Format::R8_UINT, kAll, kAll);
  const Snapshot linear = device_with(Format::R8_UINT, kAll, 0);
  const Snapshot optimal = device_with(Format::R8_UINT, 0, kAll);
  ImageInfo info = image(4, 4);
  EXPECT_EQ(plan_text(both, info), "optimal");
  EXPECT_EQ(plan_text(linear, info), "linear");
  EXPECT_EQ(plan_text(optimal, info), "optimal");
  info.shares_memory = true;
  EXPECT_EQ(plan_text(both, info), "linear");
  EXPECT_EQ(plan_text(optimal, info), "optimal");
  info.tiling = Tiling::Optimal;
  EXPECT_EQ(plan_text(both, info), "optimal");
}

TEST(ImagePlan, ReportsWhichTilingIsMissing) {
  ImageInfo info = image(4, 4);
  info.tiling = Tiling::Linear;
  EXPECT_EQ(plan_text(device_with(Format::R8_UINT, 0, kAll), info),
            "Tiling type: LINEAR is not supported for this format type: `VK_FORMAT_R8_UINT`, which the device does not "
            "have with this tiling (image `i`) [device-lacks]\n");
  info.tiling = Tiling::Optimal;
  EXPECT_EQ(plan_text(device_with(Format::R8_UINT, kAll, 0), info),
            "Tiling type: OPTIMAL is not supported for this formatType: `VK_FORMAT_R8_UINT`, which the device does not "
            "have with this tiling (image `i`) [device-lacks]\n");
  info.tiling.reset();
  EXPECT_EQ(plan_text(device_with(Format::R8_SINT, kAll, kAll), info),
            "No supported tiling for this data type: `VK_FORMAT_R8_UINT`, which the device does not have with this "
            "tiling (image `i`) [device-lacks]\n");
}

TEST(ImagePlan, EachUseNeedsItsFeatures) {
  const auto fits = [](std::uint64_t features, ImageUses uses, std::uint32_t mips = 1) {
    ImageInfo info = image(4, 4, uses);
    info.mips = mips;
    return plan_image(device_with(Format::R8_UINT, 0, features), info).has_value();
  };
  using namespace format_feature;
  EXPECT_TRUE(fits(kSampledImage, {.sampled = true}));
  EXPECT_FALSE(fits(kStorageImage, {.sampled = true}));
  EXPECT_FALSE(fits(kSampledImage, {.sampled = true, .uploaded = true}));
  EXPECT_TRUE(fits(kSampledImage | kTransferDestination, {.sampled = true, .uploaded = true}));
  EXPECT_FALSE(fits(kStorageImage, {.storage = true}));
  EXPECT_TRUE(fits(kStorageImage | kTransferSource, {.storage = true}));
  EXPECT_FALSE(fits(kSampledImage, {.color_attachment = true}));
  EXPECT_TRUE(fits(kColorAttachment, {.color_attachment = true}));
  EXPECT_TRUE(fits(kSampledImage, {.sampled = true}, 2));
  EXPECT_FALSE(fits(kSampledImage | kBlitSource, {.sampled = true, .makes_mips = true}, 2));
  EXPECT_TRUE(fits(kSampledImage | kBlitSource | kBlitDestination, {.sampled = true, .makes_mips = true}, 2));
}

TEST(ImagePlan, NamesTheMissingFeatures) {
  ImageInfo info = image(4, 4, {.sampled = true, .uploaded = true, .makes_mips = true});
  info.mips = 3;
  using namespace format_feature;
  EXPECT_EQ(plan_text(device_with(Format::R8_UINT, 0, kSampledImage | kTransferDestination), info),
            "No supported tiling for this data type: `VK_FORMAT_R8_UINT`, which lacks VK_FORMAT_FEATURE_BLIT_SRC_BIT, "
            "VK_FORMAT_FEATURE_BLIT_DST_BIT, to make levels that the source does not have (image `i`) "
            "[device-lacks]\n");
  info.tiling = Tiling::Linear;
  EXPECT_EQ(plan_text(device_with(Format::R8_UINT, kSampledImage | kBlitSource | kBlitDestination, kAll), info),
            "Tiling type: LINEAR is not supported for this format type: `VK_FORMAT_R8_UINT`, which lacks "
            "VK_FORMAT_FEATURE_TRANSFER_DST_BIT (image `i`) [device-lacks]\n");
}

TEST(ImagePlan, LinesHaveOneRow) {
  const Snapshot all = device_with(Format::R8_UINT, kAll, kAll);
  ImageInfo info = image(16, 1);
  info.line = true;
  info.layers = 3;
  EXPECT_EQ(plan_text(all, info), "optimal");
  for (const auto& change : std::initializer_list<void (*)(ImageInfo&)>{
           [](ImageInfo& i) { i.height = 2; }, [](ImageInfo& i) { i.uses.color_attachment = true; },
           [](ImageInfo& i) { i.uses.depth_attachment = true; }}) {
    ImageInfo other = info;
    change(other);
    EXPECT_EQ(plan_text(all, other),
              "a 1D image has one row, and is neither an attachment nor a cube (image `i`) [out-of-range]\n");
  }
  info.width = 5000;
  EXPECT_EQ(plan_text(all, info),
            "5000x1x1 texels are more than the device allows: 4096 (`maxImageDimension1D`) (image `i`) "
            "[device-lacks]\n");
}

TEST(ImagePlan, GivesTheUsage) {
  const Snapshot all = device_with(Format::R8_UINT, kAll, kAll);
  EXPECT_EQ(plan_image(all, image(1, 1, {}))->usage, 0x3u);
  EXPECT_EQ(plan_image(all, image(1, 1, {.sampled = true, .storage = true, .color_attachment = true}))->usage, 0x1fu);
}

TEST(ImagePlan, GivesTheAspects) {
  const auto aspects = [](Format format) {
    ImageInfo info = image(1, 1);
    info.format = format;
    const ImagePlan plan = *plan_image(device_with(format, kAll, kAll), info);
    return std::pair(plan.aspects, plan.data_aspect);
  };
  EXPECT_EQ(aspects(Format::R8_UINT), std::pair(1u, 1u));
  EXPECT_EQ(aspects(Format::D32_SFLOAT), std::pair(2u, 2u));
  EXPECT_EQ(aspects(Format::D24_UNORM_S8_UINT), std::pair(6u, 2u));
  EXPECT_EQ(aspects(Format::S8_UINT), std::pair(4u, 4u));
}

TEST(ImagePlan, ReportsEverythingThatIsWrongTogether) {
  const Snapshot s = device_with(Format::R8_UINT, 0, 0);
  ImageInfo info = image(65, 4);
  info.mips = 8;
  info.shares_memory = true;
  EXPECT_EQ(plan_text(s, info),
            "The mip level provided is not supported for i: 8 levels of an image that can have at most 7 "
            "[device-lacks]\n"
            "65x4x1 texels are more than the device allows: 64 (`maxImageDimension2D`) (image `i`) [device-lacks]\n"
            "Number of mips exceeds maximum number allowed for the image size: 8 where 7 are possible (image `i`) "
            "[out-of-range]\n"
            "A mipped image cannot be aliased (image `i`) [conflicting-keys]\n"
            "No supported tiling for this data type: `VK_FORMAT_R8_UINT`, which the device does not have with this "
            "tiling (image `i`) [device-lacks]\n");
  info = image(17, 4);
  info.depth = 2;
  info.mips = 0;
  EXPECT_EQ(plan_text(device_with(Format::R8_UINT, kAll, kAll), info),
            "17x4x2 texels are more than the device allows: 16 (`maxImageDimension3D`) (image `i`) [device-lacks]\n"
            "Number of mips cannot be 0 (image `i`) [out-of-range]\n");
  info = image(65, 4);
  info.mips = 2;
  info.tiling = Tiling::Linear;
  EXPECT_EQ(plan_text(device_with(Format::R8_UINT, kAll, kAll), info),
            "The mip level provided is not supported for i: 2 levels of a linear image [device-lacks]\n"
            "65x4x1 texels are more than the device allows: 64 (`maxImageDimension2D`) (image `i`) [device-lacks]\n");
  EXPECT_EQ(plan_text(device_with(Format::R8_UINT, kAll, kAll), image(0, 4)),
            "an image needs at least one texel in each direction (image `i`) [out-of-range]\n");
}

TEST(ImagePlan, KeepsToWhatTheDriverAllows) {
  ImageInfo info = image(8, 4);
  info.mips = 3;
  EXPECT_TRUE(check_image_limits(info, {.extent = {8, 8, 1}, .levels = 3}));
  EXPECT_EQ(text_of(check_image_limits(info, {.extent = {8, 3, 1}, .levels = 1}).error()),
            "The mip level provided is not supported for i: 3 levels where the device has 1 [device-lacks]\n"
            "8x4x1 texels are more than the device allows for `VK_FORMAT_R8_UINT`: 8x3x1 (image `i`) [device-lacks]\n");
}

TEST(ImagePlan, CountsMips) {
  EXPECT_EQ(max_mips(1, 1), 1u);
  EXPECT_EQ(max_mips(2, 1), 2u);
  EXPECT_EQ(max_mips(3, 3), 2u);
  EXPECT_EQ(max_mips(4, 1), 3u);
  EXPECT_EQ(max_mips(5, 256), 9u);
  EXPECT_EQ(max_mips(2, 2, 8), 4u);
}

TEST(TexelBlock, KnowsTheFormats) {
  const auto text = [](Format format) {
    const std::optional<TexelBlock> block = texel_block(format);
    return block ? formatted("{} {}x{}", block->bytes, block->width, block->height) : "none";
  };
  EXPECT_EQ(text(Format::R8_UNORM), "1 1x1");
  EXPECT_EQ(text(Format::R8G8B8_UNORM), "3 1x1");
  EXPECT_EQ(text(Format::R4G4_UNORM_PACK8), "1 1x1");
  EXPECT_EQ(text(Format::R5G6B5_UNORM_PACK16), "2 1x1");
  EXPECT_EQ(text(Format::A2B10G10R10_UNORM_PACK32), "4 1x1");
  EXPECT_EQ(text(Format::B10G11R11_UFLOAT_PACK32), "4 1x1");
  EXPECT_EQ(text(Format::E5B9G9R9_UFLOAT_PACK32), "4 1x1");
  EXPECT_EQ(text(Format::R16G16B16A16_SFLOAT), "8 1x1");
  EXPECT_EQ(text(Format::R64G64B64A64_SFLOAT), "32 1x1");
  EXPECT_EQ(text(Format::D16_UNORM), "2 1x1");
  EXPECT_EQ(text(Format::X8_D24_UNORM_PACK32), "4 1x1");
  EXPECT_EQ(text(Format::D32_SFLOAT), "4 1x1");
  EXPECT_EQ(text(Format::S8_UINT), "1 1x1");
  EXPECT_EQ(text(Format::D16_UNORM_S8_UINT), "2 1x1");
  EXPECT_EQ(text(Format::D24_UNORM_S8_UINT), "4 1x1");
  EXPECT_EQ(text(Format::D32_SFLOAT_S8_UINT), "4 1x1");
  EXPECT_EQ(text(Format::BC1_RGBA_UNORM_BLOCK), "8 4x4");
  EXPECT_EQ(text(Format::BC4_SNORM_BLOCK), "8 4x4");
  EXPECT_EQ(text(Format::BC6H_UFLOAT_BLOCK), "16 4x4");
  EXPECT_EQ(text(Format::BC7_SRGB_BLOCK), "16 4x4");
  EXPECT_EQ(text(Format::ETC2_R8G8B8_UNORM_BLOCK), "8 4x4");
  EXPECT_EQ(text(Format::ETC2_R8G8B8A8_UNORM_BLOCK), "16 4x4");
  EXPECT_EQ(text(Format::EAC_R11G11_SNORM_BLOCK), "16 4x4");
  EXPECT_EQ(text(Format::ASTC_12x10_SRGB_BLOCK), "16 12x10");
  EXPECT_EQ(text(Format::G8_B8R8_2PLANE_420_UNORM), "none");
  EXPECT_EQ(text(Format::G8B8G8R8_422_UNORM), "none");
  EXPECT_EQ(text(Format::R10X6_UNORM_PACK16), "2 1x1");
  EXPECT_EQ(text(Format::UNDEFINED), "none");
}

TEST(TexelBlock, KnowsDepthAndStencil) {
  EXPECT_TRUE(has_depth(Format::D32_SFLOAT));
  EXPECT_TRUE(has_depth(Format::X8_D24_UNORM_PACK32));
  EXPECT_FALSE(has_depth(Format::R32_SFLOAT));
  EXPECT_TRUE(has_stencil(Format::D24_UNORM_S8_UINT));
  EXPECT_TRUE(has_stencil(Format::S8_UINT));
  EXPECT_FALSE(has_stencil(Format::D32_SFLOAT));
}

}  // namespace
}  // namespace slipway::vk
