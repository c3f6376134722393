// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gpu/commands/timestamps.hpp"

#include "gpu/device/device.hpp"
#include "gpu/device/device_core.hpp"

namespace slipway::gpu {
namespace {

std::uint32_t timestamp_bits(const DeviceCore& core) {
  return core.snapshot.queue_families[core.plan.queue_family].timestamp_bits;
}

}  // namespace

Result<Timestamps> create_timestamps(const Device& device, std::uint32_t count) {
  const DeviceCore& core = device.core();
  if (timestamp_bits(core) == 0) {
    return fail(DiagnosticKind::DeviceLacks, SourceLocation::nowhere(), "the device's queue has no timestamps");
  }
  const VkQueryPoolCreateInfo create{
      .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = VK_QUERY_TYPE_TIMESTAMP, .queryCount = count};
  VkQueryPool pool = nullptr;
  const VkResult result = core.functions.vkCreateQueryPool(core.device, &create, nullptr, &pool);
  if (result != VK_SUCCESS) return vulkan_failed("vkCreateQueryPool", result, "timestamps");
  Timestamps timestamps;
  timestamps.pool_ = Owned<VkQueryPool_T>(core, pool);
  timestamps.count_ = count;
  return timestamps;
}

void reset_timestamps(const Device& device, const Timestamps& timestamps) {
  const DeviceCore& core = device.core();
  core.functions.vkResetQueryPool(core.device, timestamps.handle(), 0, timestamps.count());
}

Result<std::vector<std::uint64_t>> read_timestamps(const Device& device, const Timestamps& timestamps) {
  const DeviceCore& core = device.core();
  std::vector<std::uint64_t> ticks(timestamps.count());
  const VkResult result = core.functions.vkGetQueryPoolResults(core.device, timestamps.handle(), 0, timestamps.count(),
                                                               ticks.size() * sizeof(std::uint64_t), ticks.data(),
                                                               sizeof(std::uint64_t), VK_QUERY_RESULT_64_BIT);
  if (result != VK_SUCCESS) return vulkan_failed("vkGetQueryPoolResults", result, "timestamps");
  // The bits above the valid ones are undefined.
  const std::uint32_t bits = timestamp_bits(core);
  if (bits < 64) {
    for (std::uint64_t& tick : ticks) tick &= (std::uint64_t{1} << bits) - 1;
  }
  return ticks;
}

}  // namespace slipway::gpu
