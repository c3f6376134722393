// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gpu/pipeline/pipeline.hpp"
#include "base/format.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <thread>

#include "gpu/commands/submit.hpp"
#include "gpu/memory/sampler.hpp"
#include "testing/device_shaders.hpp"
#include "testing/gpu_fixture.hpp"
#include "testing/spirv_text.hpp"

namespace slipway::gpu {
namespace {

using slipway::testing::assemble;
using slipway::testing::kCoordinatesFragment;
using slipway::testing::kFullScreenVertex;
using slipway::testing::kMultiplyAdd;
using slipway::testing::must;
using slipway::testing::text_of;

const vk::PipelineLayoutInfo kMultiplyAddLayout = {
    .sets = {{{.binding = 0}, {.binding = 1}}}, .push_constants_size = 4, .name = "multiply_add"};

class PipelineTest : public slipway::testing::GpuTest {
 protected:
  // b = a * factor + add through a pipeline.
  std::vector<std::uint32_t> multiply_add(const Pipeline& pipeline, const std::vector<std::uint32_t>& a,
                                          std::uint32_t add) {
    const Buffer in = make_buffer(a, "a");
    const Buffer out = make_buffer(std::vector<std::uint32_t>(a.size()), "b");
    const DescriptorSetInfo info{.layout = &pipeline.layout(),
                                 .set = 0,
                                 .writes = {{.binding = 1, .buffer = &out}, {.binding = 0, .buffer = &in}}};
    const DescriptorSets sets = must(create_descriptor_sets(device(), {&info, 1}));
    run([&](CommandList& list) {
      VkDescriptorSet_T* const set = sets[0];
      list.bind(pipeline);
      list.bind_sets(pipeline, 0, {&set, 1});
      list.push_constants(pipeline, std::as_bytes(std::span(&add, 1)));
      list.dispatch(static_cast<std::uint32_t>(a.size() / 16), 1, 1);
    });
    return contents<std::uint32_t>(out);
  }

  std::vector<std::uint32_t> words_ = assemble(kMultiplyAdd);
};

std::vector<std::uint32_t> expected(const std::vector<std::uint32_t>& a, std::uint32_t factor, std::uint32_t add) {
  std::vector<std::uint32_t> result = a;
  for (std::uint32_t& value : result) value = value * factor + add;
  return result;
}

std::vector<std::uint32_t> numbers_from_zero(std::size_t count) {
  std::vector<std::uint32_t> values(count);
  std::iota(values.begin(), values.end(), 0u);
  return values;
}

TEST_F(PipelineTest, Computes) {
  const PipelineLayout layout = must(create_pipeline_layout(device(), kMultiplyAddLayout));
  const Pipeline pipeline = must(
      create_compute_pipeline(device(), {.shader = {.words = words_}, .layout = &layout, .options = {.name = "p"}}));
  EXPECT_EQ(pipeline.name(), "p");
  EXPECT_EQ(pipeline.kind(), PipelineKind::Compute);
  EXPECT_EQ(multiply_add(pipeline, numbers_from_zero(64), 5), expected(numbers_from_zero(64), 1, 5));
}

TEST_F(PipelineTest, TakesSpecializationConstants) {
  const PipelineLayout layout = must(create_pipeline_layout(device(), kMultiplyAddLayout));
  const std::array<std::uint32_t, 2> data = {99, 7};
  const SpecializationEntry factor{.id = 3, .offset = 4, .size = 4};
  const Pipeline pipeline =
      must(create_compute_pipeline(device(), {.shader = {.words = words_,
                                                         .specialization = {&factor, 1},
                                                         .specialization_data = std::as_bytes(std::span(data))},
                                              .layout = &layout}));
  EXPECT_EQ(multiply_add(pipeline, numbers_from_zero(32), 1), expected(numbers_from_zero(32), 7, 1));
}

TEST_F(PipelineTest, BindsPartsOfBuffers) {
  const PipelineLayout layout = must(create_pipeline_layout(device(), kMultiplyAddLayout));
  const Pipeline pipeline = must(create_compute_pipeline(device(), {.shader = {.words = words_}, .layout = &layout}));
  const std::uint64_t align = snapshot().limits.min_storage_buffer_offset_alignment;
  const std::vector<std::uint32_t> values = numbers_from_zero((align + 64) / 4);
  const Buffer in = make_buffer(values);
  const Buffer out = make_buffer(std::vector<std::uint32_t>(16));
  const DescriptorSetInfo info{
      .layout = &layout,
      .writes = {{.binding = 0, .buffer = &in, .offset = align, .size = 64}, {.binding = 1, .buffer = &out}}};
  const DescriptorSets sets = must(create_descriptor_sets(device(), {&info, 1}));
  run([&](CommandList& list) {
    VkDescriptorSet_T* const set = sets[0];
    const std::uint32_t add = 0;
    list.bind(pipeline);
    list.bind_sets(pipeline, 0, {&set, 1});
    list.push_constants(pipeline, std::as_bytes(std::span(&add, 1)));
    list.dispatch(1, 1, 1);
  });
  EXPECT_EQ(contents<std::uint32_t>(out), std::vector<std::uint32_t>(values.end() - 16, values.end()));
}

TEST_F(PipelineTest, MoreDescriptorsThanAStageMaySeeAreRefused) {
  const Result<PipelineLayout> layout =
      create_pipeline_layout(device(), {.sets = {{{.type = vk::DescriptorType::SAMPLED_IMAGE, .count = 2'000'000'000}},
                                                 {{.type = vk::DescriptorType::SAMPLED_IMAGE, .count = 2'000'000'000}}},
                                        .name = "big"});
  ASSERT_FALSE(layout);
  const std::string text = text_of(layout.error());
  EXPECT_TRUE(
      text.starts_with("`big` needs 4000000000 descriptors of VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, but the device"))
      << text;
  EXPECT_TRUE(text.contains("(`maxPerStageDescriptorSampledImages`) [device-lacks]")) << text;
}

TEST_F(PipelineTest, AreMadeOnSeveralThreadsWithOneCache) {
  const PipelineLayout layout = must(create_pipeline_layout(device(), kMultiplyAddLayout));
  const PipelineCache cache = must(create_pipeline_cache(device()));
  std::array<std::optional<Result<Pipeline>>, 4> made;
  const std::array<std::uint32_t, 4> factors = {1, 2, 3, 4};
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < made.size(); ++i) {
      threads.emplace_back([&, i] {
        const SpecializationEntry factor{.id = 3, .offset = static_cast<std::uint32_t>(i * 4), .size = 4};
        made[i] =
            create_compute_pipeline(device(), {.shader = {.words = words_,
                                                          .specialization = {&factor, 1},
                                                          .specialization_data = std::as_bytes(std::span(factors))},
                                               .layout = &layout,
                                               .options = {.cache = &cache}});
      });
    }
  }
  for (std::size_t i = 0; i < made.size(); ++i) {
    EXPECT_EQ(multiply_add(must(std::move(*made[i])), numbers_from_zero(16), 0),
              expected(numbers_from_zero(16), factors[i], 0));
  }
}

TEST_F(PipelineTest, ReportsAMissInTheCache) {
  const PipelineLayout layout = must(create_pipeline_layout(device(), kMultiplyAddLayout));
  const PipelineCache cache = must(create_pipeline_cache(device()));
  const ComputePipelineInfo info{.shader = {.words = words_},
                                 .layout = &layout,
                                 .options = {.cache = &cache, .fail_on_cache_miss = true, .name = "blur"}};
  EXPECT_EQ(text_of(create_compute_pipeline(device(), info).error()),
            "Pipeline cache miss for pipeline: blur [device-failed]\n");
}

TEST_F(PipelineTest, ReportsAMissThatTheDriverReportsAfterwards) {
  vk::DevicePlan plan = must(vk::plan_device(snapshot(), {}));
  plan.features.erase("pipelineCreationCacheControl");
  must(make_device(plan));
  const PipelineLayout layout = must(create_pipeline_layout(device(), kMultiplyAddLayout));
  const PipelineCache cache = must(create_pipeline_cache(device()));
  ComputePipelineInfo info{.shader = {.words = words_},
                           .layout = &layout,
                           .options = {.cache = &cache, .fail_on_cache_miss = true, .name = "blur"}};
  EXPECT_EQ(text_of(create_compute_pipeline(device(), info).error()),
            "Pipeline cache miss for pipeline: blur [device-failed]\n");
  const PipelineCache empty = must(create_pipeline_cache(device()));  // the other one may have it by now
  info.options = {.cache = &empty, .name = "blur"};
  EXPECT_FALSE(must(create_compute_pipeline(device(), info)).cache_hit());
}

TEST_F(PipelineTest, WorksWithRobustness) {
  must(make_device(must(vk::plan_device(snapshot(), {.robustness = true}))));
  const PipelineLayout layout = must(create_pipeline_layout(device(), kMultiplyAddLayout));
  const Pipeline pipeline = must(create_compute_pipeline(device(), {.shader = {.words = words_}, .layout = &layout}));
  EXPECT_EQ(multiply_add(pipeline, numbers_from_zero(16), 2), expected(numbers_from_zero(16), 1, 2));
}

TEST_F(PipelineTest, ChecksTheSubgroupSize) {
  const PipelineLayout layout = must(create_pipeline_layout(device(), kMultiplyAddLayout));
  ComputePipelineInfo info{
      .shader = {.words = words_}, .layout = &layout, .subgroup_size = 1024, .options = {.name = "p"}};
  const vk::SubgroupFacts& facts = snapshot().subgroup;
  EXPECT_EQ(text_of(create_compute_pipeline(device(), info).error()),
            formatted("pipeline `p` needs subgroups of 1024, but the device has {} to {} [device-lacks]\n",
                      facts.min_size, facts.max_size));
  info.subgroup_size = facts.size;
  if ((facts.required_size_stages & vk::shader_stage::kCompute) == 0)
    GTEST_SKIP() << "no choice of subgroup sizes here";
  EXPECT_EQ(multiply_add(must(create_compute_pipeline(device(), info)), numbers_from_zero(16), 2),
            expected(numbers_from_zero(16), 1, 2));
}

TEST_F(PipelineTest, LayoutsKeepToTheLimits) {
  const vk::Limits& limits = snapshot().limits;
  vk::PipelineLayoutInfo info{.name = "big"};
  info.sets.resize(limits.max_bound_descriptor_sets + 1);
  info.push_constants_size = limits.max_push_constants_size + 4;
  EXPECT_EQ(
      text_of(create_pipeline_layout(device(), info).error()),
      formatted(
          "`big` needs {} descriptor sets, but the device has {} (`maxBoundDescriptorSets`) [device-lacks]\n"
          "`big` needs {} bytes of push constants, but the device has {} (`maxPushConstantsSize`) [device-lacks]\n",
          info.sets.size(), limits.max_bound_descriptor_sets, info.push_constants_size,
          limits.max_push_constants_size));
}

TEST_F(PipelineTest, LayoutsHaveEmptySetsBetween) {
  const PipelineLayout layout = must(create_pipeline_layout(
      device(), {.sets = {{}, {}, {{.binding = 4, .type = vk::DescriptorType::UNIFORM_BUFFER}}}}));
  EXPECT_EQ(layout.info().sets.size(), 3u);
  const Buffer buffer = must(create_buffer(device(), {.size = 64, .uniform = true}));
  const DescriptorSetInfo info{.layout = &layout, .set = 2, .writes = {{.binding = 4, .buffer = &buffer}}};
  EXPECT_EQ(must(create_descriptor_sets(device(), {&info, 1})).size(), 1u);
  EXPECT_EQ(must(create_descriptor_sets(device(), {})).size(), 0u);
}

TEST_F(PipelineTest, Draws) {
  const std::vector<std::uint32_t> vertex = assemble(kFullScreenVertex);
  const std::vector<std::uint32_t> fragment = assemble(kCoordinatesFragment);
  const PipelineLayout layout = must(create_pipeline_layout(
      device(),
      {.push_constants_size = 4, .push_constants_stages = vk::shader_stage::kVertex | vk::shader_stage::kFragment}));
  const Pipeline pipeline = must(create_graphics_pipeline(device(), {.vertex = {.words = vertex},
                                                                     .fragment = {.words = fragment},
                                                                     .layout = &layout,
                                                                     .color_formats = {vk::Format::R8G8B8A8_UNORM}}));
  EXPECT_EQ(pipeline.kind(), PipelineKind::Graphics);
  vk::ImageInfo info{.format = vk::Format::R8G8B8A8_UNORM,
                     .width = 20,
                     .height = 10,
                     .mips = 2,
                     .uses = {.color_attachment = true, .uploaded = true},
                     .name = "target"};
  const Image target = make_image(info, std::vector<std::uint32_t>(200, 0x01020304));
  const Owned<VkImageView_T> whole = must(create_image_view(device(), target, 0, 1));
  const Owned<VkImageView_T> half = must(create_image_view(device(), target, 1, 1));
  const float blue = 1;
  run([&](CommandList& list) {
    list.bind(pipeline);
    list.push_constants(pipeline, std::as_bytes(std::span(&blue, 1)));
    const ColorAttachment first{.view = whole.get()};
    const ColorAttachment second{.view = half.get()};
    list.begin_rendering({.extent = {20, 10}, .colors = {&first, 1}});
    list.draw({});
    list.end_rendering();
    list.full_barrier();
    list.begin_rendering({.extent = {10, 5}, .colors = {&second, 1}});
    list.draw({});
    list.end_rendering();
  });
  for (const std::uint32_t level : {0u, 1u}) {
    const std::vector<std::uint32_t> seen = texels<std::uint32_t>(target, level);
    const std::uint32_t width = 20u >> level;
    for (std::uint32_t i = 0; i < seen.size(); ++i) {
      EXPECT_EQ(seen[i], 0xffff0000u | ((i / width) << 8) | (i % width)) << level << " " << i;
    }
  }
}

}  // namespace
}  // namespace slipway::gpu
