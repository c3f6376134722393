// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A small run that uses everything, with each of its Vulkan calls failing in turn: an error comes out, nothing leaks
// (the layer and the leak sanitizer watch), nothing crashes.

#include <gmock/gmock.h>

#include "base/format.hpp"
#include "gpu/commands/mips.hpp"
#include "gpu/commands/submit.hpp"
#include "gpu/commands/transfer.hpp"
#include "gpu/memory/sampler.hpp"
#include "gpu/memory/shared_memory.hpp"
#include "testing/device_shaders.hpp"
#include "testing/gpu_fixture.hpp"
#include "testing/spirv_text.hpp"
#include "testing/vulkan_faults.hpp"
#include "vk/device_failure.hpp"

namespace slipway::gpu {
namespace {

using slipway::testing::FailureError;
using slipway::testing::Fault;
using slipway::testing::must;
using slipway::testing::text_of;
using slipway::testing::VulkanFaults;
using ::testing::AnyOf;

class FaultsTest : public slipway::testing::GpuTest {
 protected:
  // Names are given to everything.
  FaultsTest() { use_debug_names(); }

  // As a run goes: resources, contents, pipelines, commands, results. must() throws what fails.
  void whole_run(bool compute_mips) {
    const Device& d = device();
    const Buffer in = make_buffer(std::vector<std::uint32_t>(16, 3), "in");
    const std::vector<SharedBuffer> members = {{{.size = 64, .name = "out"}, 0}};
    const std::vector<SharedImage> shared_images = {
        {{.format = vk::Format::R8_UINT, .width = 4, .height = 4, .uses = {.sampled = true}, .name = "alias"}, 0}};
    const SharedMemory shared = must(create_shared_memory(d, members, shared_images));
    const Image image = make_image({.format = vk::Format::R32_UINT,
                                    .width = 4,
                                    .height = 4,
                                    .mips = 3,
                                    .uses = {.sampled = true, .storage = compute_mips, .uploaded = true},
                                    .name = "image"},
                                   std::vector<std::uint32_t>(16, 5));
    const Owned<VkImageView_T> view = must(create_image_view(d, image));
    const Owned<VkSampler_T> sampler = must(create_sampler(d, {.name = "sampler"}));

    const PipelineCache cache = must(create_pipeline_cache(d));
    const PipelineLayout layout = must(
        create_pipeline_layout(d, {.sets = {{{.binding = 0}, {.binding = 1}}}, .push_constants_size = 4, .name = "l"}));
    const Pipeline pipeline = must(create_compute_pipeline(
        d, {.shader = {.words = multiply_add_}, .layout = &layout, .options = {.cache = &cache, .name = "p"}}));
    const PipelineLayout draw_layout = must(create_pipeline_layout(
        d, {.push_constants_size = 4, .push_constants_stages = vk::shader_stage::kFragment, .name = "draw"}));
    const Pipeline draw = must(create_graphics_pipeline(d, {.vertex = {.words = vertex_},
                                                            .fragment = {.words = fragment_},
                                                            .layout = &draw_layout,
                                                            .state = {.samples = 4},
                                                            .color_formats = {vk::Format::R8G8B8A8_UNORM},
                                                            .depth_stencil_format = vk::Format::D32_SFLOAT,
                                                            .options = {.name = "g"}}));
    vk::ImageInfo attachment{.format = vk::Format::R8G8B8A8_UNORM,
                             .width = 4,
                             .height = 4,
                             .uses = {.color_attachment = true},
                             .name = "target"};
    const Image target = must(create_image(d, attachment));
    attachment.samples = 4;
    const Image samples = must(create_image(d, attachment));
    attachment.format = vk::Format::D32_SFLOAT;
    attachment.uses = {.depth_attachment = true};
    const Image depth = must(create_image(d, attachment));
    const Owned<VkImageView_T> target_view = must(create_attachment_view(d, target));
    const Owned<VkImageView_T> samples_view = must(create_attachment_view(d, samples));
    const Owned<VkImageView_T> depth_view = must(create_attachment_view(d, depth));
    const Buffer indices = must(create_buffer(d, {.size = 6, .indices = true, .name = "indices"}));
    must(save_pipeline_cache(d, cache));
    const DescriptorSetInfo info{
        .layout = &layout, .writes = {{.binding = 0, .buffer = &in}, {.binding = 1, .buffer = &shared.buffers[0]}}};
    const DescriptorSets sets = must(create_descriptor_sets(d, {&info, 1}));
    const Timestamps timestamps = must(create_timestamps(d, 2));

    CommandList list = must(create_command_list(d, "list"));
    must(list.begin());
    const MipWork work = must(record_mips(d, list, image, 1));
    list.reset_timestamps(timestamps, 0, 2);
    list.write_timestamp(timestamps, 0);
    VkDescriptorSet_T* const set = sets[0];
    const std::uint32_t add = 4;
    list.bind(pipeline);
    list.bind_sets(pipeline, 0, {&set, 1});
    list.push_constants(pipeline, std::as_bytes(std::span(&add, 1)));
    list.dispatch(1, 1, 1);
    list.write_timestamp(timestamps, 1);
    if (d.plan().queue_flags & vk::queue_flag::kGraphics) {
      const std::array<ImageBarrier, 3> to_general = {
          ImageBarrier{.image = &target, .old_layout = vk::Layout::Undefined},
          ImageBarrier{.image = &samples, .old_layout = vk::Layout::Undefined},
          ImageBarrier{.image = &depth, .old_layout = vk::Layout::Undefined}};
      list.barrier({.images = to_general});
      list.fill(indices, 0, 4, 0);
      list.full_barrier();
      const ColorAttachment color{.view = samples_view.get(), .load = vk::Load::Clear, .resolve = target_view.get()};
      const DepthStencilAttachment z{.view = depth_view.get(), .depth = true, .depth_load = vk::Load::Clear};
      const float blue = 1;
      list.bind(draw);
      list.push_constants(draw, std::as_bytes(std::span(&blue, 1)));
      list.begin_rendering({.extent = {4, 4}, .colors = {&color, 1}, .depth_stencil = &z});
      list.bind_indices(indices, vk::IndexType::U16);
      list.draw_indexed({});
      list.end_rendering();
    }
    must(list.end());
    const CommandList* const all = &list;
    must(must(submit(d, {&all, 1})).wait());
    must(read_timestamps(d, timestamps));
    EXPECT_EQ(contents<std::uint32_t>(shared.buffers[0]), std::vector<std::uint32_t>(16, 7));
    EXPECT_EQ(texels<std::uint32_t>(image, 2), std::vector<std::uint32_t>(1, 5));
  }

  // The failure; empty when all went well.
  Failure run_with(VulkanFaults& faults, bool compute_mips, bool mapped) {
    try {
      vk::DevicePlan plan = must(vk::plan_device(snapshot(), {.graphics = true, .timestamps = true}));
      if (compute_mips) plan.queue_flags &= ~vk::queue_flag::kGraphics;
      must(make_device(plan, {.hook = faults.hook(), .map_device_memory = mapped}));
      whole_run(compute_mips);
    } catch (const FailureError& error) {
      drop_device();
      return error.failure;
    }
    drop_device();
    return {};
  }

 private:
  std::vector<std::uint32_t> multiply_add_ = slipway::testing::assemble(slipway::testing::kMultiplyAdd);
  std::vector<std::uint32_t> vertex_ = slipway::testing::assemble(slipway::testing::kFullScreenVertex);
  std::vector<std::uint32_t> fragment_ = slipway::testing::assemble(slipway::testing::kCoordinatesFragment);
};

TEST_F(FaultsTest, EveryFailingCallIsAnError) {
  std::uint64_t failures = 0;
  for (const Fault fault : {Fault::OutOfDeviceMemory, Fault::DeviceLost}) {
    for (const bool compute_and_staging : {false, true}) {
      for (std::uint64_t n = 1;; ++n) {
        VulkanFaults faults(n, fault);
        const Failure failure = run_with(faults, compute_and_staging, !compute_and_staging);
        if (!faults.happened()) {
          EXPECT_TRUE(failure.empty()) << text_of(failure);
          break;
        }
        ++failures;
        SCOPED_TRACE(formatted("call {}: {}", n, faults.function()));
        // A name that cannot be set is not a failure, nor is memory that the allocator gets in a second attempt.
        if (failure.empty()) {
          EXPECT_THAT(faults.function(), AnyOf("vkSetDebugUtilsObjectNameEXT", "vkAllocateMemory", "vkMapMemory"));
          continue;
        }
        const std::string message = text_of(failure);
        EXPECT_TRUE(message.contains("[device-failed]")) << message;
        EXPECT_EQ(vk::is_device_lost(failure), fault == Fault::DeviceLost) << message;
        EXPECT_EQ(vk::is_out_of_memory(failure), fault == Fault::OutOfDeviceMemory) << message;
      }
    }
  }
  EXPECT_GT(failures, 100u);  // the run is not empty
}

TEST_F(FaultsTest, NothingFailsWhenNothingIsInjected) {
  VulkanFaults faults(0);
  EXPECT_TRUE(run_with(faults, false, true).empty());
  EXPECT_FALSE(faults.happened());
  EXPECT_EQ(faults.function(), "");
  EXPECT_GT(faults.calls(), 50u);
}

}  // namespace
}  // namespace slipway::gpu
