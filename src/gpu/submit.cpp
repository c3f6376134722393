#include "gpu/submit.hpp"

#include <algorithm>
#include <thread>
#include <vector>

#include "gpu/device_core.hpp"

namespace slipway::gpu {
namespace {

using Clock = std::chrono::steady_clock;

// Long enough for a short submission to end, short enough not to take a core from a software driver for long.
constexpr std::chrono::microseconds kPolling{100};

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

}  // namespace

Submission::~Submission() {
  // Nothing can be done about a device that is lost; and a shader that never ends would be waited for for ever.
  if (fence_.get() && !status_) {
    static_cast<void>(fence_.core().functions.vkDeviceWaitIdle(fence_.core().device));
  }
}

Result<WaitStatus> Submission::wait(std::optional<std::chrono::nanoseconds> time_out) {
  if (status_ == WaitStatus::Done) return WaitStatus::Done;
  const DeviceCore& core = fence_.core();
  const VkFence fence = fence_.get();
  const Clock::time_point start = Clock::now();
  const std::chrono::nanoseconds limit = std::max(time_out.value_or(std::chrono::nanoseconds::max()), {});
  const std::chrono::nanoseconds polling = std::min<std::chrono::nanoseconds>(limit, kPolling);
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
  return *status_;
}

Result<Submission> submit(const Device& device, std::span<const CommandList* const> lists,
                          const FrameBoundary* boundary) {
  const DeviceCore& core = device.core();
  const VkFenceCreateInfo create{.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  VkFence handle = nullptr;
  VkResult result = core.functions.vkCreateFence(core.device, &create, nullptr, &handle);
  if (result != VK_SUCCESS) return vulkan_failed("vkCreateFence", result, "submission");
  Owned<VkFence_T> fence(core, handle);

  std::vector<VkCommandBufferSubmitInfo> buffers;
  for (const CommandList* list : lists) {
    buffers.push_back({.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, .commandBuffer = list->handle()});
  }
  VkSubmitInfo2 info{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
                     .commandBufferInfoCount = static_cast<std::uint32_t>(buffers.size()),
                     .pCommandBufferInfos = buffers.data()};
  std::optional<BoundaryInfo> boundary_info;
  if (boundary && core.plan.has_feature("frameBoundary")) {
    boundary_info.emplace(*boundary);
    info.pNext = &boundary_info->info;
  }
  result = core.functions.vkQueueSubmit2(core.queue, 1, &info, handle);
  if (result != VK_SUCCESS) return vulkan_failed("vkQueueSubmit2", result, "submission");
  return Submission(std::move(fence));
}

}  // namespace slipway::gpu
