// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layer/graphs/graph_profile.hpp"

#include "launch/report/graph_profile.hpp"
#include "layer/device.hpp"

namespace slipway::layer {

GraphProfile::~GraphProfile() {
  for (const Recording& one : recordings_) device_.next.vkDestroyQueryPool(device_.handle, one.pool, nullptr);
}

VkQueryPool GraphProfile::begin(VkCommandBuffer commands, std::uint32_t family) {
  constexpr std::uint32_t all_bits = 64;
  const auto& families = device_.physical->snapshot.queue_families;
  const std::uint32_t bits = family < families.size() ? families[family].timestamp_bits : 0;
  if (bits == 0) return VK_NULL_HANDLE;
  const auto count = static_cast<std::uint32_t>(operators_.size() + 1);
  Recording made{.mask = bits >= all_bits ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1};
  {
    const std::scoped_lock lock(mutex_);
    if (recordings_.size() >= kMaxRecordings) return VK_NULL_HANDLE;
    const VkQueryPoolCreateInfo info{
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = VK_QUERY_TYPE_TIMESTAMP, .queryCount = count};
    recordings_.reserve(recordings_.size() + 1);
    if (device_.next.vkCreateQueryPool(device_.handle, &info, nullptr, &made.pool) != VK_SUCCESS) return VK_NULL_HANDLE;
    recordings_.push_back(made);
  }
  device_.next.vkCmdResetQueryPool(commands, made.pool, 0, count);
  return made.pool;
}

void GraphProfile::mark(VkCommandBuffer commands, VkQueryPool pool, std::uint32_t count) const {
  device_.next.vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, pool, count);
}

std::string GraphProfile::text() const {
  std::vector<launch::OperatorTime> samples;
  const std::scoped_lock lock(mutex_);
  for (std::size_t i = 0; i < recordings_.size(); ++i) {
    const auto& [pool, mask] = recordings_[i];
    std::vector<std::uint64_t> ticks(operators_.size() + 1);
    // Without waiting: a recording that was not executed has no times.
    if (device_.next.vkGetQueryPoolResults(device_.handle, pool, 0, static_cast<std::uint32_t>(ticks.size()),
                                           ticks.size() * sizeof ticks[0], ticks.data(), sizeof ticks[0],
                                           VK_QUERY_RESULT_64_BIT) != VK_SUCCESS)
      continue;
    for (std::size_t k = 0; k < operators_.size(); ++k) {
      const std::uint64_t before = ticks[k] & mask, taken = (ticks[k + 1] - ticks[k]) & mask;
      samples.push_back({.graph = 0,
                         .operation = k,
                         .name = operators_[k],
                         .before = before,
                         .after = before + taken,
                         .iteration = static_cast<std::uint32_t>(i + 1)});
    }
  }
  return launch::graph_profile_text(samples, static_cast<float>(device_.physical->snapshot.timestamp_period));
}

}  // namespace slipway::layer
