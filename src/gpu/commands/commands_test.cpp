// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gpu/commands/commands.hpp"

#include <gtest/gtest.h>

#include "testing/allocations.hpp"
#include "testing/device_shaders.hpp"
#include "testing/gpu_fixture.hpp"
#include "testing/spirv_text.hpp"
#include "vk/choose_device.hpp"

namespace slipway::gpu {
namespace {

using slipway::testing::allocations_of_this_thread;
using slipway::testing::must;

using CommandsTest = slipway::testing::GpuTest;

TEST_F(CommandsTest, FillAndCopyBuffers) {
  const Buffer a = make_buffer(std::vector<std::uint32_t>(8, 1));
  const Buffer b = make_buffer(std::vector<std::uint32_t>(8, 2));
  run([&](CommandList& list) {
    list.fill(a, 4, 8, 0xabcd);
    list.full_barrier();
    list.copy(a, 4, b, 16, 12);
  });
  EXPECT_EQ(contents<std::uint32_t>(a), (std::vector<std::uint32_t>{1, 0xabcd, 0xabcd, 1, 1, 1, 1, 1}));
  EXPECT_EQ(contents<std::uint32_t>(b), (std::vector<std::uint32_t>{2, 2, 2, 2, 0xabcd, 0xabcd, 1, 2}));
}

TEST_F(CommandsTest, CopyBoxesOfImages) {
  const Image image =
      make_image({.format = vk::Format::R32_UINT, .width = 4, .height = 3, .uses = {.sampled = true, .uploaded = true}},
                 std::vector<std::uint32_t>{0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23});
  const Buffer buffer = make_buffer(std::vector<std::uint32_t>(8));
  run([&](CommandList& list) {
    list.copy(image, buffer, {.offset = 8, .origin = {1, 1, 0}, .extent = {2, 2, 1}});
    list.full_barrier();
    list.copy(buffer, image, {.offset = 12, .origin = {3, 0, 0}, .extent = {1, 2, 1}});
  });
  EXPECT_EQ(contents<std::uint32_t>(buffer), (std::vector<std::uint32_t>{0, 0, 11, 12, 21, 22, 0, 0}));
  EXPECT_EQ(texels<std::uint32_t>(image), (std::vector<std::uint32_t>{0, 1, 2, 12, 10, 11, 12, 21, 20, 21, 22, 23}));
}

// Synchronisation validation would speak if one of these did not reach the driver.
TEST_F(CommandsTest, BarriersOfAllKindsOrderWork) {
  const Buffer a = make_buffer(std::vector<std::uint32_t>(8, 1));
  const Buffer b = make_buffer(std::vector<std::uint32_t>(8, 2));
  const Image image = must(create_image(
      device(),
      {.format = vk::Format::R32_UINT, .width = 4, .height = 2, .uses = {.sampled = true, .uploaded = true}}));
  const BarrierScope transfers{.src_stages = vk::stage::kTransfer,
                               .src_access = vk::access::kTransferWrite,
                               .dst_stages = vk::stage::kTransfer,
                               .dst_access = vk::access::kTransferRead | vk::access::kTransferWrite};
  run([&](CommandList& list) {
    const ImageBarrier to_destination{.image = &image,
                                      .scope = transfers,
                                      .old_layout = vk::Layout::Undefined,
                                      .new_layout = vk::Layout::TransferDestination,
                                      .first_level = 0,
                                      .levels = 1};
    list.fill(a, 0, 0, 7);
    list.barrier({.memory = {&transfers, 1}, .images = {&to_destination, 1}});
    list.copy(a, image, {.layout = vk::Layout::TransferDestination});
    const ImageBarrier to_source{.image = &image,
                                 .scope = transfers,
                                 .old_layout = vk::Layout::TransferDestination,
                                 .new_layout = vk::Layout::TransferSource};
    list.fill(b, 0, 16, 8);
    const std::array<BufferBarrier, 2> buffers = {
        BufferBarrier{.buffer = &b, .scope = transfers, .offset = 0, .size = 16},
        BufferBarrier{.buffer = &a, .scope = transfers}};
    list.barrier({.buffers = buffers, .images = {&to_source, 1}});
    list.copy(b, 0, a, 0, 16);
    list.full_barrier();
    list.copy(image, b, {.layout = vk::Layout::TransferSource});
  });
  EXPECT_EQ(contents<std::uint32_t>(a), (std::vector<std::uint32_t>{8, 8, 8, 8, 7, 7, 7, 7}));
  EXPECT_EQ(contents<std::uint32_t>(b), std::vector<std::uint32_t>(8, 7));
}

TEST_F(CommandsTest, ListsCanBeRecordedAndSubmittedAgain) {
  const Buffer a = make_buffer(std::vector<std::uint32_t>(1, 1));
  CommandList list = must(create_command_list(device(), "again"));
  for (const std::uint32_t value : {5u, 6u}) {
    must(list.begin());
    list.fill(a, 0, 4, value);
    must(list.end());
    run([](CommandList&) {});
    EXPECT_NE(list.handle(), nullptr);
  }
}

TEST_F(CommandsTest, TimestampsGoForward) {
  const Timestamps timestamps = must(create_timestamps(device(), 3));
  EXPECT_EQ(timestamps.count(), 3u);
  const Buffer a = make_buffer(std::vector<std::uint32_t>(1024));
  run([&](CommandList& list) {
    list.reset_timestamps(timestamps, 0, 3);
    list.write_timestamp(timestamps, 0);
    list.fill(a, 0, 0, 1);
    list.write_timestamp(timestamps, 1);
    list.write_timestamp(timestamps, 2, vk::stage::kTransfer);
  });
  const std::vector<std::uint64_t> ticks = must(read_timestamps(device(), timestamps));
  EXPECT_GT(ticks[0], 0u);
  EXPECT_LE(ticks[0], ticks[1]);
  EXPECT_LE(ticks[1], ticks[2]);
}

TEST_F(CommandsTest, LabelsAreBalanced) {
  use_debug_names();
  const Buffer a = make_buffer(std::vector<std::uint32_t>(4), "named");
  run([&](CommandList& list) {
    list.begin_label("dispatch (x)");
    list.fill(a, 0, 0, 1);
    list.end_label();
  });
}

TEST_F(CommandsTest, LabelsAreNothingWithoutDebugNames) {
  run([&](CommandList& list) {
    list.begin_label("dispatch (x)");
    list.end_label();
  });
}

// Without validation, whose layer allocates in our name.
TEST(Recording, DoesNotAllocate) {
  const Instance instance = must(create_instance());
  const std::size_t index = must(vk::choose_device(instance.snapshots(), ""));
  const Device device = must(create_device(instance, index, must(vk::plan_device(instance.snapshots()[index], {}))));
  const PipelineLayout layout =
      must(create_pipeline_layout(device, {.sets = {{{.binding = 0}, {.binding = 1}}}, .push_constants_size = 4}));
  const std::vector<std::uint32_t> words = slipway::testing::assemble(slipway::testing::kMultiplyAdd);
  const Pipeline pipeline = must(create_compute_pipeline(device, {.shader = {.words = words}, .layout = &layout}));
  const Buffer buffer = must(create_buffer(device, {.size = 64}));
  const Image image = must(create_image(device, {.format = vk::Format::R8_UINT, .uses = {.sampled = true}}));
  const DescriptorSetInfo info{.layout = &layout,
                               .writes = {{.binding = 0, .buffer = &buffer}, {.binding = 1, .buffer = &buffer}}};
  const DescriptorSets sets = must(create_descriptor_sets(device, {&info, 1}));
  CommandList list = must(create_command_list(device));
  const auto record = [&] {
    VkDescriptorSet_T* const set = sets[0];
    const std::uint32_t add = 1;
    const BufferBarrier buffer_barrier{.buffer = &buffer};
    const ImageBarrier image_barrier{.image = &image};
    for (int i = 0; i < 1000; ++i) {
      list.bind(pipeline);
      list.bind_sets(pipeline, 0, {&set, 1});
      list.push_constants(pipeline, std::as_bytes(std::span(&add, 1)));
      list.dispatch(1, 1, 1);
      list.barrier({.buffers = {&buffer_barrier, 1}, .images = {&image_barrier, 1}});
      list.full_barrier();
    }
  };
  must(list.begin());
  record();
  must(list.end());
  must(list.begin());
  const std::size_t before = allocations_of_this_thread();
  record();
  EXPECT_EQ(allocations_of_this_thread() - before, 0u);
  must(list.end());
}

}  // namespace
}  // namespace slipway::gpu
