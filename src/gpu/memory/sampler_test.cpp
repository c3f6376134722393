// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gpu/memory/sampler.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "gpu/pipeline/pipeline.hpp"
#include "testing/device_shaders.hpp"
#include "testing/gpu_fixture.hpp"
#include "testing/spirv_text.hpp"

namespace slipway::gpu {
namespace {

using slipway::testing::must;
using slipway::testing::text_of;
using vk::AddressMode;
using vk::BorderColor;
using vk::Filter;

class SamplerTest : public slipway::testing::GpuTest {
 protected:
  // The value that a shader reads at (u, v) of a 2x1 image whose texels have the red values 0 and 1.
  std::array<float, 4> sample(const vk::SamplerInfo& info, float u, float v, float lod = 0) {
    const PipelineLayout layout = must(create_pipeline_layout(
        device(), {.sets = {{{.binding = 0, .type = vk::DescriptorType::COMBINED_IMAGE_SAMPLER}, {.binding = 1}}},
                   .push_constants_size = 12}));
    const std::vector<std::uint32_t> words = slipway::testing::assemble(slipway::testing::kSample);
    const Pipeline pipeline = must(create_compute_pipeline(device(), {.shader = {.words = words}, .layout = &layout}));
    const Image image = make_image({.format = vk::Format::R32G32B32A32_SFLOAT,
                                    .width = 2,
                                    .height = 1,
                                    .uses = {.sampled = true, .uploaded = true}},
                                   std::vector<float>{0, 0, 0, 1, 1, 0, 0, 1});
    const Owned<VkImageView_T> view = must(create_image_view(device(), image));
    const Owned<VkSampler_T> sampler = must(create_sampler(device(), info));
    const Buffer result = make_buffer(std::vector<float>(4));
    const DescriptorSetInfo set_info{
        .layout = &layout,
        .writes = {{.binding = 0, .view = view.get(), .sampler = sampler.get()}, {.binding = 1, .buffer = &result}}};
    const DescriptorSets sets = must(create_descriptor_sets(device(), {&set_info, 1}));
    const std::array<float, 3> push = {u, v, lod};
    run([&](CommandList& list) {
      VkDescriptorSet_T* const set = sets[0];
      list.bind(pipeline);
      list.bind_sets(pipeline, 0, {&set, 1});
      list.push_constants(pipeline, std::as_bytes(std::span(push)));
      list.dispatch(1, 1, 1);
    });
    std::array<float, 4> seen;
    std::ranges::copy(contents<float>(result), seen.begin());
    return seen;
  }
};

vk::SamplerInfo with_border(BorderColor color) {
  return {.address_modes = {AddressMode::CLAMP_TO_BORDER, AddressMode::CLAMP_TO_BORDER, AddressMode::CLAMP_TO_BORDER},
          .border_color = color,
          .custom_float = {0.25f, 0.5f, 0.75f, 2},
          .format = vk::Format::R32G32B32A32_SFLOAT};
}

using Color = std::array<float, 4>;

TEST_F(SamplerTest, Filters) {
  EXPECT_EQ(sample({}, 0.5f, 0.5f), (Color{1, 0, 0, 1}));  // nearest
  EXPECT_EQ(sample({.min_filter = Filter::LINEAR, .mag_filter = Filter::LINEAR}, 0.5f, 0.5f), (Color{0.5f, 0, 0, 1}));
}

TEST_F(SamplerTest, Addresses) {
  EXPECT_EQ(sample({}, 1.75f, 0.5f)[0], 1);  // clamped to the edge
  const auto at = [&](AddressMode mode, float u) { return sample({.address_modes = {mode, mode, mode}}, u, 0.5f)[0]; };
  EXPECT_EQ(at(AddressMode::REPEAT, 1.25f), 0);
  EXPECT_EQ(at(AddressMode::REPEAT, 1.75f), 1);
  EXPECT_EQ(at(AddressMode::MIRRORED_REPEAT, 1.25f), 1);
  EXPECT_EQ(at(AddressMode::MIRRORED_REPEAT, 1.75f), 0);
}

TEST_F(SamplerTest, HasBorderColours) {
  EXPECT_EQ(sample(with_border(BorderColor::FLOAT_TRANSPARENT_BLACK), 2, 2), (Color{0, 0, 0, 0}));
  EXPECT_EQ(sample(with_border(BorderColor::FLOAT_OPAQUE_BLACK), 2, 2), (Color{0, 0, 0, 1}));
  EXPECT_EQ(sample(with_border(BorderColor::FLOAT_OPAQUE_WHITE), 2, 2), (Color{1, 1, 1, 1}));
}

TEST_F(SamplerTest, HasCustomBorderColours) {
  if (!snapshot().has_feature("customBorderColors")) GTEST_SKIP() << "no custom border colours here";
  EXPECT_EQ(sample(with_border(BorderColor::FLOAT_CUSTOM_EXT), 2, 2), (Color{0.25f, 0.5f, 0.75f, 2}));
}

TEST_F(SamplerTest, CustomColoursNeedTheExtensionOnlyWhenTheyCanBeSeen) {
  must(make_device(must(vk::plan_device(snapshot(), {.disabled_extensions = {"VK_EXT_custom_border_color"}}))));
  vk::SamplerInfo info = with_border(BorderColor::FLOAT_CUSTOM_EXT);
  EXPECT_EQ(text_of(create_sampler(device(), info).error()),
            "Error sampler custom border color extension is unsupported on this device/driver [device-lacks]\n");
  info.border_color = BorderColor::INT_CUSTOM_EXT;
  EXPECT_FALSE(create_sampler(device(), info));
  info.address_modes = {AddressMode::REPEAT, AddressMode::CLAMP_TO_EDGE, AddressMode::REPEAT};
  EXPECT_TRUE(create_sampler(device(), info));
  info.border_color = BorderColor::FLOAT_CUSTOM_EXT;
  EXPECT_EQ(sample(info, 0.25f, 0.5f)[0], 0);
}

TEST(UsesBorder, LooksAtAllThreeDirections) {
  EXPECT_FALSE(vk::uses_border({}));
  EXPECT_TRUE(vk::uses_border(with_border(BorderColor::FLOAT_OPAQUE_BLACK)));
  EXPECT_TRUE(vk::uses_border(
      {.address_modes = {AddressMode::REPEAT, AddressMode::CLAMP_TO_EDGE, AddressMode::CLAMP_TO_BORDER}}));
}

}  // namespace
}  // namespace slipway::gpu
