// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gpu/commands/submit.hpp"

#include <gtest/gtest.h>

#include "gpu/device/device_functions.hpp"
#include "platform/process.hpp"
#include "testing/gpu_fixture.hpp"
#include "vk/device_failure.hpp"

namespace slipway::gpu {
namespace {

using slipway::testing::must;
using slipway::testing::text_of;

class SubmitTest : public slipway::testing::GpuTest {
 protected:
  void use_functions(void (*hook)(DeviceFunctions&)) {
    must(make_device(must(vk::plan_device(snapshot(), {})), {.hook = hook}));
  }
};

TEST_F(SubmitTest, RunsSeveralListsInOrder) {
  const Buffer a = make_buffer(std::vector<std::uint32_t>(1, 1));
  const Buffer b = make_buffer(std::vector<std::uint32_t>(1, 2));
  CommandList first = must(create_command_list(device(), "first"));
  CommandList second = must(create_command_list(device(), "second"));
  must(first.begin());
  first.fill(a, 0, 4, 9);
  must(first.end());
  must(second.begin());
  second.copy(a, 0, b, 0, 4);
  must(second.end());
  const std::array<const CommandList*, 2> lists = {&first, &second};
  for (int i = 0; i < 2; ++i) {
    Submission submission = must(submit(device(), lists));
    EXPECT_EQ(must(submission.wait(std::chrono::seconds(60))), WaitStatus::Done);
    EXPECT_EQ(must(submission.wait()), WaitStatus::Done);
  }
  EXPECT_EQ(contents<std::uint32_t>(b)[0], 9u);
}

TEST_F(SubmitTest, MayBeEmpty) {
  Submission submission = must(submit(device(), {}));
  EXPECT_EQ(must(submission.wait()), WaitStatus::Done);
}

TEST_F(SubmitTest, IsWaitedForWhenItIsDropped) {
  const Buffer a = make_buffer(std::vector<std::uint32_t>(1 << 16));
  CommandList list = must(create_command_list(device()));
  must(list.begin());
  list.fill(a, 0, 0, 9);
  must(list.end());
  const CommandList* const all = &list;
  {
    const Submission submission = must(submit(device(), {&all, 1}));
  }
  EXPECT_EQ(contents<std::uint32_t>(a).back(), 9u);
}

// A driver that never gets to the work, until the test says how far it is.
std::uint64_t reached_value = 0;

void never_run(DeviceFunctions& functions) {
  reached_value = 0;
  functions.vkQueueSubmit2 = [](VkQueue, std::uint32_t, const VkSubmitInfo2*, VkFence) { return VK_SUCCESS; };
  functions.vkGetSemaphoreCounterValue = [](VkDevice, VkSemaphore, std::uint64_t* value) {
    *value = reached_value;
    return VK_SUCCESS;
  };
}

TEST_F(SubmitTest, ReportsThatTheTimeIsUp) {
  use_functions(never_run);
  Submission submission = must(submit(device(), {}));
  EXPECT_EQ(must(submission.wait(std::chrono::nanoseconds(0))), WaitStatus::TimedOut);
  EXPECT_EQ(must(submission.wait(std::chrono::milliseconds(2))), WaitStatus::TimedOut);
  EXPECT_EQ(must(submission.wait(std::chrono::nanoseconds(-5))), WaitStatus::TimedOut);
  reached_value = 1;
  EXPECT_EQ(must(submission.wait()), WaitStatus::Done);
  EXPECT_FALSE(device().is_lost());
}

// The objects of a lost device are leaked, so that this is a process of its own.
TEST_F(SubmitTest, WorkGivenUpLosesTheDevice) {
  const auto give_up = [&] {
    use_functions(never_run);
    Submission other = must(submit(device(), {}));
    {
      Submission submission = must(submit(device(), {}));
      must(submission.wait(std::chrono::nanoseconds(0)));
    }
    const Result<WaitStatus> waited = other.wait();
    const Result<Submission> again = submit(device(), {});
    const bool as_expected =
        device().is_lost() && !waited && !again && text_of(again.error()) == text_of(waited.error());
    if (!again) std::fputs(again.error().front().message.c_str(), stderr);
    drop_device();
    static_cast<void>(make_buffer(std::vector<int>{1}));  // of a new device
    platform::end_now(as_expected ? 0 : 1);
  };
  EXPECT_EXIT(give_up(), ::testing::ExitedWithCode(0), "the device is lost");
}

// The driver has one queue; the numbers share it, the waiting is real.
TEST_F(SubmitTest, QueuesWaitForEachOther) {
  must(make_device(must(vk::plan_device(snapshot(), {})), {.queues = 3}));
  ASSERT_EQ(device().plan().queues, 3u);
  const Buffer a = make_buffer(std::vector<std::uint32_t>(1, 1));
  const Buffer b = make_buffer(std::vector<std::uint32_t>(1, 2));
  CommandList fill = must(create_command_list(device(), "fill"));
  CommandList copy = must(create_command_list(device(), "copy"));
  must(fill.begin());
  fill.fill(a, 0, 4, 9);
  must(fill.end());
  must(copy.begin());
  copy.copy(a, 0, b, 0, 4);
  must(copy.end());
  const CommandList* const fills[] = {&fill};
  const CommandList* const copies[] = {&copy};
  for (std::uint64_t i = 1; i <= 3; ++i) {
    const std::array<Batch, 2> first = {Batch{}, Batch{.lists = fills}};
    Submission filling = must(submit(device(), 2, first));
    EXPECT_EQ(filling.end(), (vk::QueuePoint{2, i}));
    const vk::QueuePoint after[] = {filling.end()};
    const std::array<Batch, 2> second = {Batch{.lists = copies, .after = after}, Batch{}};
    Submission copying = must(submit(device(), 1, second));
    EXPECT_EQ(copying.end(), (vk::QueuePoint{1, i}));
    must(copying.wait());
    EXPECT_EQ(contents<std::uint32_t>(b)[0], 9u);
    must(filling.wait());
  }
}

// The end of a submission is that of all before it on the queue, whether or not they were waited for.
TEST_F(SubmitTest, SubmissionsAreCounted) {
  for (std::uint64_t i = 0; i < 5; ++i) {
    Submission waited = must(submit(device(), {}));
    Submission dropped = must(submit(device(), {}));
    EXPECT_EQ(waited.end(), (vk::QueuePoint{0, 2 * i + 1}));
    EXPECT_EQ(dropped.end(), (vk::QueuePoint{0, 2 * i + 2}));
    EXPECT_EQ(must(waited.wait()), WaitStatus::Done);
    const Submission moved = std::move(dropped);
    EXPECT_EQ(moved.end(), (vk::QueuePoint{0, 2 * i + 2}));
  }
}

TEST_F(SubmitTest, ReportsALostDevice) {
  use_functions([](DeviceFunctions& functions) {
    functions.vkGetSemaphoreCounterValue = [](VkDevice, VkSemaphore, std::uint64_t*) { return VK_ERROR_DEVICE_LOST; };
  });
  Submission submission = must(submit(device(), {}));
  const Result<WaitStatus> status = submission.wait();
  ASSERT_FALSE(status);
  EXPECT_TRUE(vk::is_device_lost(status.error()));
  EXPECT_EQ(text_of(status.error()),
            "`vkGetSemaphoreCounterValue` failed with `VK_ERROR_DEVICE_LOST` (submission) [device-failed]\n");
}

// The frame boundary of the last submission. The software driver does not have the extension, so it is recorded here
// and not passed on.
struct SeenBoundary {
  std::uint64_t frame_id = 0;
  std::uint32_t images = 0, buffers = 0;
  VkFrameBoundaryFlagsEXT flags = 0;
  bool there = false;
};
SeenBoundary seen;
PFN_vkQueueSubmit2 real_submit = nullptr;

VKAPI_ATTR VkResult VKAPI_CALL look_at_boundary(VkQueue queue, std::uint32_t count, const VkSubmitInfo2* infos,
                                                VkFence fence) {
  VkSubmitInfo2 info = infos[0];
  seen = {};
  if (info.pNext) {
    const auto& boundary = *static_cast<const VkFrameBoundaryEXT*>(info.pNext);
    seen = {boundary.frameID, boundary.imageCount, boundary.bufferCount, boundary.flags,
            boundary.sType == VK_STRUCTURE_TYPE_FRAME_BOUNDARY_EXT};
  }
  info.pNext = nullptr;
  return real_submit(queue, count, &info, fence);
}

TEST_F(SubmitTest, PassesFrameBoundariesWithTheExtension) {
  for (const bool has_extension : {true, false}) {
    vk::DevicePlan plan = must(vk::plan_device(snapshot(), {}));
    if (has_extension) plan.features.insert("frameBoundary");
    must(make_device(plan, {.hook = [](DeviceFunctions& functions) {
                       real_submit = functions.vkQueueSubmit2;
                       functions.vkQueueSubmit2 = look_at_boundary;
                     }}));
    const Buffer buffer = make_buffer(std::vector<std::uint32_t>(1));
    const Image image = must(create_image(device(), {.format = vk::Format::R8_UINT, .uses = {.sampled = true}}));
    const Buffer* const buffers = &buffer;
    const std::array<const Image*, 2> images = {&image, &image};
    const FrameBoundary boundary{.frame_id = 41, .images = images, .buffers = {&buffers, 1}};
    Submission submission = must(submit(device(), {}, &boundary));
    must(submission.wait());
    EXPECT_EQ(seen.there, has_extension);
    if (!has_extension) continue;
    EXPECT_EQ(seen.frame_id, 41u);
    EXPECT_EQ(seen.images, 2u);
    EXPECT_EQ(seen.buffers, 1u);
    EXPECT_EQ(seen.flags, VK_FRAME_BOUNDARY_FRAME_END_BIT_EXT);
  }
}

}  // namespace
}  // namespace slipway::gpu
