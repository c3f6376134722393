// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Secondary command buffers of the layer with graphs. They live as long as their session: a command buffer of the
// application that executes one is invalid without its session anyway.
#include <algorithm>

#include "layer/graphs/graphs.hpp"

namespace slipway::layer {
namespace {

// Sets of tensors for which a session has command buffers.
constexpr std::size_t kMaxRecorded = 16;

}  // namespace

RecordedGraphs::~RecordedGraphs() {
  for (const auto& [family, pool] : pools_) device_.next.vkDestroyCommandPool(device_.handle, pool, nullptr);
}

// Null for tensors that are met for the first time, or for which there is no place.
RecordedGraphs::Entry* RecordedGraphs::entry_of(std::uint32_t family, const std::vector<VkDeviceAddress>& addresses) {
  const auto found = std::ranges::find_if(
      entries_, [&](const Entry& entry) { return entry.family == family && entry.addresses == addresses; });
  if (found != entries_.end()) return &*found;
  if (entries_.size() == kMaxRecorded) {
    // Those with a command buffer may still be in use.
    const auto idle = std::ranges::find(entries_, VkCommandBuffer{nullptr}, &Entry::commands);
    if (idle == entries_.end()) return nullptr;
    entries_.erase(idle);
  }
  entries_.push_back({.family = family, .addresses = addresses});
  return nullptr;
}

VkCommandBuffer RecordedGraphs::begin(std::uint32_t family) {
  VkCommandPool& pool = pools_[family];
  if (pool == VK_NULL_HANDLE) {
    const VkCommandPoolCreateInfo create{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                         .queueFamilyIndex = family};
    if (device_.next.vkCreateCommandPool(device_.handle, &create, nullptr, &pool) != VK_SUCCESS) {
      pool = VK_NULL_HANDLE;
      return nullptr;
    }
  }
  const VkCommandBufferAllocateInfo allocate{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                             .commandPool = pool,
                                             .level = VK_COMMAND_BUFFER_LEVEL_SECONDARY,
                                             .commandBufferCount = 1};
  VkCommandBuffer commands = nullptr;
  if (device_.next.vkAllocateCommandBuffers(device_.handle, &allocate, &commands) != VK_SUCCESS) return nullptr;
  // The loader knows only what the application has allocated.
  const VkCommandBufferInheritanceInfo inheritance{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
  const VkCommandBufferBeginInfo info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                      .flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT,
                                      .pInheritanceInfo = &inheritance};
  if (device_.set_loader_data(device_.handle, commands) == VK_SUCCESS &&
      device_.next.vkBeginCommandBuffer(commands, &info) == VK_SUCCESS)
    return commands;
  device_.next.vkFreeCommandBuffers(device_.handle, pool, 1, &commands);
  return nullptr;
}

VkCommandBuffer RecordedGraphs::end(std::uint32_t family, VkCommandBuffer commands) {
  if (device_.next.vkEndCommandBuffer(commands) == VK_SUCCESS) return commands;
  device_.next.vkFreeCommandBuffers(device_.handle, pools_[family], 1, &commands);
  return nullptr;
}

}  // namespace slipway::layer
