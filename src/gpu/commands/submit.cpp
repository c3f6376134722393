// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gpu/commands/submit.hpp"

#include <algorithm>
#include <thread>
#include <vector>

#include "gpu/device/device.hpp"
#include "gpu/device/device_core.hpp"

namespace slipway::gpu {
namespace {

using Clock = std::chrono::steady_clock;

// Being woken takes some 30 microseconds, asking over and over does not. Long enough for that not to count; a software
// driver needs the core itself.
constexpr std::chrono::microseconds kPolling{5000}, kPollingSoftware{100};

// VkFrameBoundaryEXT with the handles that it points to.
struct BoundaryInfo {
  explicit BoundaryInfo(const FrameBoundary& boundary) {
    for (const Image* image : boundary.images) images.push_back(image->handle());
    for (const Buffer* buffer : boundary.buffers) buffers.push_back(buffer->handle());
    info.frameID = boundary.frame_id;
    info.imageCount = static_cast<std::uint32_t>(images.size());
    info.pImages = images.data();
    info.bufferCount = static_cast<std::uint32_t>(buffers.size());
    info.pBuffers = buffers.data();
  }
  BoundaryInfo(const BoundaryInfo&) = delete;

  std::vector<VkImage> images;
  std::vector<VkBuffer> buffers;
  VkFrameBoundaryEXT info{.sType = VK_STRUCTURE_TYPE_FRAME_BOUNDARY_EXT, .flags = VK_FRAME_BOUNDARY_FRAME_END_BIT_EXT};
};

std::unexpected<Failure> device_lost() {
  return fail(DiagnosticKind::DeviceFailed, SourceLocation::nowhere(),
              "the device is lost: work that was submitted to it did not end in the given time");
}

// A fence of the pool, not signalled; or a new one.
Result<Owned<VkFence_T>> take_fence(const DeviceCore& core) {
  VkFence fence = nullptr;
  {
    const std::scoped_lock lock(core.fences.mutex);
    if (!core.fences.idle.empty()) {
      fence = core.fences.idle.back();
      core.fences.idle.pop_back();
    }
  }
  if (fence) {
    Owned<VkFence_T> owned(core, fence);
    const VkResult result = core.functions.vkResetFences(core.device, 1, &fence);
    if (result != VK_SUCCESS) return vulkan_failed("vkResetFences", result, "submission");
    return owned;
  }
  const VkFenceCreateInfo create{.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  const VkResult result = core.functions.vkCreateFence(core.device, &create, nullptr, &fence);
  if (result != VK_SUCCESS) return vulkan_failed("vkCreateFence", result, "submission");
  return Owned<VkFence_T>(core, fence);
}

void give_back(Owned<VkFence_T>& fence) {
  const DeviceCore& core = fence.core();
  const std::scoped_lock lock(core.fences.mutex);
  core.fences.idle.push_back(fence.release());
}

// VkSubmitInfo2 of all batches, with what they point to: built before any pointer is taken.
struct SubmitInfos {
  std::vector<VkCommandBufferSubmitInfo> buffers;
  std::vector<VkSemaphoreSubmitInfo> semaphores;
  std::vector<VkSubmitInfo2> infos;
};

VkSemaphoreSubmitInfo semaphore_info(VkSemaphore semaphore, std::uint64_t value) {
  return {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
          .semaphore = semaphore,
          .value = value,
          .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT};
}

SubmitInfos infos_of(const DeviceCore& core, const QueueCore& queue, std::span<const Batch> batches,
                     std::span<const QueuePoint> ends) {
  SubmitInfos all;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    for (const CommandList* list : batches[i].lists) {
      all.buffers.push_back({.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, .commandBuffer = list->handle()});
    }
    for (const QueuePoint& point : batches[i].after)
      all.semaphores.push_back(semaphore_info(core.queues[point.queue].timeline, point.value));
    if (ends[i].value != 0) all.semaphores.push_back(semaphore_info(queue.timeline, ends[i].value));
  }
  const VkCommandBufferSubmitInfo* buffer = all.buffers.data();
  const VkSemaphoreSubmitInfo* semaphore = all.semaphores.data();
  for (std::size_t i = 0; i < batches.size(); ++i) {
    VkSubmitInfo2& info = all.infos.emplace_back(VkSubmitInfo2{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2});
    info.waitSemaphoreInfoCount = static_cast<std::uint32_t>(batches[i].after.size());
    info.pWaitSemaphoreInfos = semaphore;
    semaphore += batches[i].after.size();
    info.commandBufferInfoCount = static_cast<std::uint32_t>(batches[i].lists.size());
    info.pCommandBufferInfos = buffer;
    buffer += batches[i].lists.size();
    info.signalSemaphoreInfoCount = ends[i].value != 0 ? 1 : 0;
    info.pSignalSemaphoreInfos = semaphore;
    semaphore += info.signalSemaphoreInfoCount;
  }
  return all;
}

}  // namespace

Submission::~Submission() {
  if (!fence_.get() || status_ == WaitStatus::Done) return;
  const DeviceCore& core = fence_.core();
  if (core.lost) return;
  if (status_ == WaitStatus::TimedOut && core.functions.vkGetFenceStatus(core.device, fence_.get()) == VK_NOT_READY) {
    core.lost = true;
    return;
  }
  const VkFence fence = fence_.get();
  if (core.functions.vkWaitForFences(core.device, 1, &fence, VK_TRUE, UINT64_MAX) == VK_SUCCESS) give_back(fence_);
}

Result<WaitStatus> Submission::wait(std::optional<std::chrono::nanoseconds> time_out) {
  if (status_ == WaitStatus::Done) return WaitStatus::Done;
  const DeviceCore& core = fence_.core();
  if (core.lost) return device_lost();
  const VkFence fence = fence_.get();
  const Clock::time_point start = Clock::now();
  const std::chrono::nanoseconds limit = std::max(time_out.value_or(std::chrono::nanoseconds::max()), {});
  const bool is_software = core.snapshot.type == DeviceType::Cpu;
  const auto polling = std::min<std::chrono::nanoseconds>(limit, is_software ? kPollingSoftware : kPolling);
  VkResult result = core.functions.vkGetFenceStatus(core.device, fence);
  while (result == VK_NOT_READY && Clock::now() - start < polling) {
    std::this_thread::yield();
    result = core.functions.vkGetFenceStatus(core.device, fence);
  }
  if (result != VK_SUCCESS && result != VK_NOT_READY) return vulkan_failed("vkGetFenceStatus", result, "submission");
  if (result == VK_NOT_READY) {
    const std::uint64_t nanoseconds =
        time_out
            ? static_cast<std::uint64_t>(std::max<std::chrono::nanoseconds>(limit - (Clock::now() - start), {}).count())
            : UINT64_MAX;
    result = core.functions.vkWaitForFences(core.device, 1, &fence, VK_TRUE, nanoseconds);
    if (result != VK_SUCCESS && result != VK_TIMEOUT) return vulkan_failed("vkWaitForFences", result, "submission");
  }
  status_ = result == VK_TIMEOUT ? WaitStatus::TimedOut : WaitStatus::Done;
  if (status_ == WaitStatus::Done) give_back(fence_);
  return *status_;
}

Result<Submission> submit_batches(const Device& device, std::uint32_t index, std::span<const Batch> batches,
                                  const FrameBoundary* boundary) {
  const DeviceCore& core = device.core();
  if (core.lost) return device_lost();
  QueueCore& queue = core.queues[index];
  Result<Owned<VkFence_T>> fence = take_fence(core);
  if (!fence) return fail(std::move(fence.error()));
  Submission submission(std::move(*fence));
  submission.status_ = WaitStatus::Done;  // nothing is in flight yet
  std::uint64_t value = queue.value;
  for (const Batch& batch : batches) {
    const bool marked = batch.has_end && queue.timeline;
    submission.ends_.push_back({index, marked ? ++value : 0});
  }
  SubmitInfos submit = infos_of(core, queue, batches, submission.ends_);
  std::optional<BoundaryInfo> boundary_info;
  if (boundary && core.plan.has_feature("frameBoundary")) {
    boundary_info.emplace(*boundary);
    submit.infos.back().pNext = &boundary_info->info;
  }
  const VkResult result = core.functions.vkQueueSubmit2(queue.queue, static_cast<std::uint32_t>(submit.infos.size()),
                                                        submit.infos.data(), submission.fence_.get());
  if (result != VK_SUCCESS) return vulkan_failed("vkQueueSubmit2", result, "submission");
  queue.value = value;
  submission.status_.reset();
  return submission;
}

Result<Submission> submit(const Device& device, std::span<const CommandList* const> lists,
                          const FrameBoundary* boundary) {
  const Batch batch{.lists = lists};
  return submit_batches(device, 0, {&batch, 1}, boundary);
}

Result<Submission> submit(const Device& device, std::uint32_t queue, std::span<const Batch> batches) {
  return submit_batches(device, queue, batches, nullptr);
}

}  // namespace slipway::gpu
