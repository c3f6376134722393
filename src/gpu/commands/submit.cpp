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

VkSemaphoreSubmitInfo semaphore_info(const DeviceCore& core, const vk::QueuePoint& point) {
  return {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
          .semaphore = core.queues[point.queue].timeline,
          .value = point.value,
          .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT};
}

// What describes all batches, in the queue's memory; everything is added before a pointer is taken.
std::span<VkSubmitInfo2> describe(const DeviceCore& core, SubmitInfos& all, std::span<const Batch> batches,
                                  const vk::QueuePoint& end) {
  all.buffers.clear();
  all.semaphores.clear();
  all.infos.clear();
  for (const Batch& batch : batches) {
    for (const CommandList* list : batch.lists) {
      all.buffers.push_back({.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, .commandBuffer = list->handle()});
    }
    for (const vk::QueuePoint& point : batch.after) all.semaphores.push_back(semaphore_info(core, point));
  }
  all.semaphores.push_back(semaphore_info(core, end));
  const VkCommandBufferSubmitInfo* buffer = all.buffers.data();
  const VkSemaphoreSubmitInfo* semaphore = all.semaphores.data();
  for (const Batch& batch : batches) {
    VkSubmitInfo2& info = all.infos.emplace_back(VkSubmitInfo2{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2});
    info.waitSemaphoreInfoCount = static_cast<std::uint32_t>(batch.after.size());
    info.pWaitSemaphoreInfos = semaphore;
    semaphore += batch.after.size();
    info.commandBufferInfoCount = static_cast<std::uint32_t>(batch.lists.size());
    info.pCommandBufferInfos = buffer;
    buffer += batch.lists.size();
  }
  all.infos.back().signalSemaphoreInfoCount = 1;
  all.infos.back().pSignalSemaphoreInfos = semaphore;
  return all.infos;
}

// Whether the work of a queue has come to a point: VK_SUCCESS, VK_NOT_READY, or an error.
VkResult status_of(const DeviceCore& core, const vk::QueuePoint& point) {
  std::uint64_t reached = 0;
  const VkResult result =
      core.functions.vkGetSemaphoreCounterValue(core.device, core.queues[point.queue].timeline, &reached);
  return result == VK_SUCCESS && reached < point.value ? VK_NOT_READY : result;
}

VkResult wait_for(const DeviceCore& core, const vk::QueuePoint& point, std::uint64_t nanoseconds) {
  const VkSemaphoreWaitInfo info{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                 .semaphoreCount = 1,
                                 .pSemaphores = &core.queues[point.queue].timeline,
                                 .pValues = &point.value};
  return core.functions.vkWaitSemaphores(core.device, &info, nanoseconds);
}

}  // namespace

Submission::~Submission() {
  if (!core_ || core_->lost || status_ == WaitStatus::Done) return;
  if (status_ == WaitStatus::TimedOut && status_of(*core_, end_) == VK_NOT_READY) {
    core_->lost = true;
    return;
  }
  static_cast<void>(wait_for(*core_, end_, UINT64_MAX));
}

Result<WaitStatus> Submission::wait(std::optional<std::chrono::nanoseconds> time_out) {
  if (status_ == WaitStatus::Done) return WaitStatus::Done;
  const DeviceCore& core = *core_;
  if (core.lost) return device_lost();
  const Clock::time_point start = Clock::now();
  const std::chrono::nanoseconds limit = std::max(time_out.value_or(std::chrono::nanoseconds::max()), {});
  const bool is_software = core.snapshot.type == vk::DeviceType::Cpu;
  const auto polling = std::min<std::chrono::nanoseconds>(limit, is_software ? kPollingSoftware : kPolling);
  VkResult result = status_of(core, end_);
  while (result == VK_NOT_READY && Clock::now() - start < polling) {
    std::this_thread::yield();
    result = status_of(core, end_);
  }
  if (result != VK_SUCCESS && result != VK_NOT_READY)
    return vulkan_failed("vkGetSemaphoreCounterValue", result, "submission");
  if (result == VK_NOT_READY) {
    const std::uint64_t nanoseconds =
        time_out
            ? static_cast<std::uint64_t>(std::max<std::chrono::nanoseconds>(limit - (Clock::now() - start), {}).count())
            : UINT64_MAX;
    result = wait_for(core, end_, nanoseconds);
    if (result != VK_SUCCESS && result != VK_TIMEOUT) return vulkan_failed("vkWaitSemaphores", result, "submission");
  }
  status_ = result == VK_TIMEOUT ? WaitStatus::TimedOut : WaitStatus::Done;
  return *status_;
}

Result<Submission> submit_batches(const Device& device, std::uint32_t index, std::span<const Batch> batches,
                                  const FrameBoundary* boundary) {
  const DeviceCore& core = device.core();
  if (core.lost) return device_lost();
  QueueCore& queue = core.queues[index];
  const vk::QueuePoint end{index, queue.value + 1};
  const std::span<VkSubmitInfo2> infos = describe(core, queue.infos, batches, end);
  std::optional<BoundaryInfo> boundary_info;
  if (boundary && core.plan.has_feature("frameBoundary")) {
    boundary_info.emplace(*boundary);
    infos.back().pNext = &boundary_info->info;
  }
  const VkResult result =
      core.functions.vkQueueSubmit2(queue.queue, static_cast<std::uint32_t>(infos.size()), infos.data(), nullptr);
  if (result != VK_SUCCESS) return vulkan_failed("vkQueueSubmit2", result, "submission");
  queue.value = end.value;
  return Submission(core, end);
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
