// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Command buffers: pools, and stages and barriers that the driver does not know.
#include "layer/commands/commands.hpp"

#include "layer/chain.hpp"
#include "layer/device.hpp"
#include "layer/resources/images.hpp"
#include "layer/resources/tensors.hpp"

namespace slipway::layer {
namespace {

void out_of_memory(const LayerDevice& device) {
  device.instance->message(MessageLevel::Error, "out of memory while commands are recorded");
}

// --- pools and buffers -----------------------------------------------------------------------------------------------

VkResult CreateCommandPool(VkDevice handle, const VkCommandPoolCreateInfo* info, const VkAllocationCallbacks* allocator,
                           VkCommandPool* made) {
  return guarded([&] {
    LayerDevice& device = device_of(handle);
    constexpr VkStructureType removed[] = {VK_STRUCTURE_TYPE_DATA_GRAPH_PROCESSING_ENGINE_CREATE_INFO_ARM};
    ChainCopy chain;
    VkCommandPoolCreateInfo theirs = *info;
    theirs.pNext = chain.make(info->pNext, removed);
    auto pool = std::make_unique<CommandPool>(
        CommandPool{.buffers = {},
                    .family = info->queueFamilyIndex,
                    .is_protected = (info->flags & VK_COMMAND_POOL_CREATE_PROTECTED_BIT) != 0});
    const VkResult result = device.next.vkCreateCommandPool(handle, &theirs, allocator, made);
    if (result == VK_SUCCESS) device.command_pools.add(*made, std::move(pool));
    return result;
  });
}

void DestroyCommandPool(VkDevice handle, VkCommandPool pool, const VkAllocationCallbacks* allocator) {
  LayerDevice& device = device_of(handle);
  if (const auto known = device.command_pools.remove(pool)) {
    for (const VkCommandBuffer buffer : known->buffers) static_cast<void>(device.commands.remove(buffer));
  }
  device.next.vkDestroyCommandPool(handle, pool, allocator);
}

VkResult AllocateCommandBuffers(VkDevice handle, const VkCommandBufferAllocateInfo* info, VkCommandBuffer* made) {
  LayerDevice& device = device_of(handle);
  const VkResult result = device.next.vkAllocateCommandBuffers(handle, info, made);
  if (result != VK_SUCCESS) return result;
  const VkResult noted = guarded([&] {
    CommandPool* const pool = device.command_pools.find(info->commandPool);
    for (std::uint32_t i = 0; i < info->commandBufferCount; ++i) {
      auto state = std::make_unique<CommandState>();
      if (pool != nullptr) {
        pool->buffers.push_back(made[i]);
        state->is_primary = info->level == VK_COMMAND_BUFFER_LEVEL_PRIMARY;
        state->is_protected = pool->is_protected;
        state->family = pool->family;
      }
      device.commands.add(made[i], std::move(state));
    }
    return VK_SUCCESS;
  });
  if (noted == VK_SUCCESS) return result;
  device.next.vkFreeCommandBuffers(handle, info->commandPool, info->commandBufferCount, made);
  std::fill_n(made, info->commandBufferCount, VkCommandBuffer{nullptr});
  return noted;
}

void FreeCommandBuffers(VkDevice handle, VkCommandPool pool, std::uint32_t count, const VkCommandBuffer* buffers) {
  LayerDevice& device = device_of(handle);
  CommandPool* const known = device.command_pools.find(pool);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (buffers[i] == nullptr) continue;
    static_cast<void>(device.commands.remove(buffers[i]));
    if (known != nullptr) std::erase(known->buffers, buffers[i]);
  }
  device.next.vkFreeCommandBuffers(handle, pool, count, buffers);
}

VkResult BeginCommandBuffer(VkCommandBuffer commands, const VkCommandBufferBeginInfo* info) {
  LayerDevice& device = device_of(commands);
  if (CommandState* state = device.commands.find(commands)) {
    state->reset();
    state->active = 0;
    const VkCommandBufferInheritanceInfo* inherited = state->is_primary ? nullptr : info->pInheritanceInfo;
    // The mask of a device group is state, too; so is what a secondary command buffer inherits.
    state->state_lost = info->pNext != nullptr ||
                        (inherited != nullptr && (inherited->pNext != nullptr || inherited->occlusionQueryEnable != 0 ||
                                                  inherited->pipelineStatistics != 0));
    state->may_execute = device.graphs && (state->is_primary || device.nested) && !state->is_protected &&
                         !state->state_lost && device.set_loader_data != nullptr;
  }
  return device.next.vkBeginCommandBuffer(commands, info);
}

void CmdExecuteCommands(VkCommandBuffer commands, std::uint32_t count, const VkCommandBuffer* buffers) {
  LayerDevice& device = device_of(commands);
  device.next.vkCmdExecuteCommands(commands, count, buffers);
  // The state of the primary command buffer is undefined from here on.
  if (CommandState* state = device.commands.find(commands)) state->reset();
}

// --- stages and barriers ---------------------------------------------------------------------------------------------

constexpr VkPipelineStageFlags2 kGraphStages = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_2_COPY_BIT;

constexpr VkAccessFlags2 kGraphAccesses = VK_ACCESS_2_DATA_GRAPH_READ_BIT_ARM | VK_ACCESS_2_DATA_GRAPH_WRITE_BIT_ARM;

// Graphs are kernels and copies.
VkPipelineStageFlags2 stages_in_driver(VkPipelineStageFlags2 stages) {
  if ((stages & VK_PIPELINE_STAGE_2_DATA_GRAPH_BIT_ARM) == 0) return stages;
  return (stages & ~VK_PIPELINE_STAGE_2_DATA_GRAPH_BIT_ARM) | kGraphStages;
}

VkAccessFlags2 access_in_driver(VkAccessFlags2 access) {
  VkAccessFlags2 made = access & ~kGraphAccesses;
  if ((access & VK_ACCESS_2_DATA_GRAPH_READ_BIT_ARM) != 0)
    made |= VK_ACCESS_2_SHADER_READ_BIT | VK_ACCESS_2_TRANSFER_READ_BIT;
  if ((access & VK_ACCESS_2_DATA_GRAPH_WRITE_BIT_ARM) != 0)
    made |= VK_ACCESS_2_SHADER_WRITE_BIT | VK_ACCESS_2_TRANSFER_WRITE_BIT;
  return made;
}

bool has_tensor_layout(const VkImageMemoryBarrier2& barrier) {
  return barrier.oldLayout == VK_IMAGE_LAYOUT_TENSOR_ALIASING_ARM ||
         barrier.newLayout == VK_IMAGE_LAYOUT_TENSOR_ALIASING_ARM;
}

template <class Barrier>
bool needs_translation(const Barrier& barrier) {
  if constexpr (std::is_same_v<Barrier, VkImageMemoryBarrier2>) {
    if (has_tensor_layout(barrier)) return true;
  }
  // The accesses are valid with VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, too.
  return ((barrier.srcStageMask | barrier.dstStageMask) & VK_PIPELINE_STAGE_2_DATA_GRAPH_BIT_ARM) != 0 ||
         ((barrier.srcAccessMask | barrier.dstAccessMask) & kGraphAccesses) != 0;
}

template <class Barrier>
void translate(Barrier& barrier) {
  barrier.srcStageMask = stages_in_driver(barrier.srcStageMask);
  barrier.dstStageMask = stages_in_driver(barrier.dstStageMask);
  barrier.srcAccessMask = access_in_driver(barrier.srcAccessMask);
  barrier.dstAccessMask = access_in_driver(barrier.dstAccessMask);
  if constexpr (std::is_same_v<Barrier, VkImageMemoryBarrier2>) {
    barrier.oldLayout = layout_in_driver(barrier.oldLayout);
    barrier.newLayout = layout_in_driver(barrier.newLayout);
  }
}

// Barriers of Vulkan 1.0, which know no graphs, with the layouts of the driver.
std::vector<VkImageMemoryBarrier> images_in_driver(std::uint32_t count, const VkImageMemoryBarrier* barriers) {
  std::vector<VkImageMemoryBarrier> all(barriers, barriers + count);
  for (VkImageMemoryBarrier& barrier : all) {
    barrier.oldLayout = layout_in_driver(barrier.oldLayout);
    barrier.newLayout = layout_in_driver(barrier.newLayout);
  }
  return all;
}

void CmdPipelineBarrier(VkCommandBuffer commands, VkPipelineStageFlags from, VkPipelineStageFlags to,
                        VkDependencyFlags flags, std::uint32_t memory_count, const VkMemoryBarrier* memory,
                        std::uint32_t buffer_count, const VkBufferMemoryBarrier* buffers, std::uint32_t image_count,
                        const VkImageMemoryBarrier* images) {
  const LayerDevice& device = device_of(commands);
  try {
    const std::vector<VkImageMemoryBarrier> theirs = images_in_driver(image_count, images);
    device.next.vkCmdPipelineBarrier(commands, from, to, flags, memory_count, memory, buffer_count, buffers,
                                     image_count, theirs.data());
  } catch (...) {
    out_of_memory(device);
  }
}

void CmdWaitEvents(VkCommandBuffer commands, std::uint32_t count, const VkEvent* events, VkPipelineStageFlags from,
                   VkPipelineStageFlags to, std::uint32_t memory_count, const VkMemoryBarrier* memory,
                   std::uint32_t buffer_count, const VkBufferMemoryBarrier* buffers, std::uint32_t image_count,
                   const VkImageMemoryBarrier* images) {
  const LayerDevice& device = device_of(commands);
  try {
    const std::vector<VkImageMemoryBarrier> theirs = images_in_driver(image_count, images);
    device.next.vkCmdWaitEvents(commands, count, events, from, to, memory_count, memory, buffer_count, buffers,
                                image_count, theirs.data());
  } catch (...) {
    out_of_memory(device);
  }
}

// A dependency as the driver gets it: barriers of tensors are barriers of their buffers.
class Dependency {
 public:
  explicit Dependency(const VkDependencyInfo& given) : info_(given) {
    const auto* one = find_in_chain<VkTensorMemoryBarrierARM>(given.pNext, kTypes[0]);
    const auto* all = find_in_chain<VkTensorDependencyInfoARM>(given.pNext, kTypes[1]);
    const std::span memory(given.pMemoryBarriers, given.memoryBarrierCount);
    const std::span buffers(given.pBufferMemoryBarriers, given.bufferMemoryBarrierCount);
    const std::span images(given.pImageMemoryBarriers, given.imageMemoryBarrierCount);
    const bool has_graphs =
        std::ranges::any_of(memory, [](const auto& barrier) { return needs_translation(barrier); }) ||
        std::ranges::any_of(buffers, [](const auto& barrier) { return needs_translation(barrier); }) ||
        std::ranges::any_of(images, [](const auto& barrier) { return needs_translation(barrier); });
    if (one == nullptr && all == nullptr && !has_graphs) return;
    info_.pNext = chain_.make(given.pNext, kTypes);
    memory_.assign(memory.begin(), memory.end());
    buffers_.assign(buffers.begin(), buffers.end());
    images_.assign(images.begin(), images.end());
    if (one != nullptr) add(*one);
    for (std::uint32_t i = 0; all != nullptr && i < all->tensorMemoryBarrierCount; ++i)
      add(all->pTensorMemoryBarriers[i]);
    for (auto& barrier : memory_) translate(barrier);
    for (auto& barrier : buffers_) translate(barrier);
    for (auto& barrier : images_) translate(barrier);
    info_.pMemoryBarriers = memory_.data();
    info_.bufferMemoryBarrierCount = static_cast<std::uint32_t>(buffers_.size());
    info_.pBufferMemoryBarriers = buffers_.data();
    info_.pImageMemoryBarriers = images_.data();
  }
  Dependency(const Dependency&) = delete;
  const VkDependencyInfo& info() const { return info_; }

 private:
  static constexpr VkStructureType kTypes[] = {VK_STRUCTURE_TYPE_TENSOR_MEMORY_BARRIER_ARM,
                                               VK_STRUCTURE_TYPE_TENSOR_DEPENDENCY_INFO_ARM};

  void add(const VkTensorMemoryBarrierARM& barrier) {
    buffers_.push_back({.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER_2,
                        .srcStageMask = barrier.srcStageMask,
                        .srcAccessMask = barrier.srcAccessMask,
                        .dstStageMask = barrier.dstStageMask,
                        .dstAccessMask = barrier.dstAccessMask,
                        .srcQueueFamilyIndex = barrier.srcQueueFamilyIndex,
                        .dstQueueFamilyIndex = barrier.dstQueueFamilyIndex,
                        .buffer = object_of<TensorObject>(barrier.tensor)->buffer,
                        .size = VK_WHOLE_SIZE});
  }

  VkDependencyInfo info_;
  ChainCopy chain_;
  std::vector<VkMemoryBarrier2> memory_;
  std::vector<VkBufferMemoryBarrier2> buffers_;
  std::vector<VkImageMemoryBarrier2> images_;
};

void CmdPipelineBarrier2(VkCommandBuffer commands, const VkDependencyInfo* info) {
  const LayerDevice& device = device_of(commands);
  try {
    const Dependency dependency(*info);
    device.next.vkCmdPipelineBarrier2(commands, &dependency.info());
  } catch (...) {
    out_of_memory(device);
  }
}

void CmdSetEvent2(VkCommandBuffer commands, VkEvent event, const VkDependencyInfo* info) {
  const LayerDevice& device = device_of(commands);
  try {
    const Dependency dependency(*info);
    device.next.vkCmdSetEvent2(commands, event, &dependency.info());
  } catch (...) {
    out_of_memory(device);
  }
}

void CmdResetEvent2(VkCommandBuffer commands, VkEvent event, VkPipelineStageFlags2 stages) {
  device_of(commands).next.vkCmdResetEvent2(commands, event, stages_in_driver(stages));
}

void CmdWaitEvents2(VkCommandBuffer commands, std::uint32_t count, const VkEvent* events,
                    const VkDependencyInfo* infos) {
  const LayerDevice& device = device_of(commands);
  try {
    std::vector<std::unique_ptr<Dependency>> dependencies;
    std::vector<VkDependencyInfo> theirs;
    for (std::uint32_t i = 0; i < count; ++i)
      theirs.push_back(dependencies.emplace_back(std::make_unique<Dependency>(infos[i]))->info());
    device.next.vkCmdWaitEvents2(commands, count, events, theirs.data());
  } catch (...) {
    out_of_memory(device);
  }
}

void CmdWriteTimestamp2(VkCommandBuffer commands, VkPipelineStageFlags2 stage, VkQueryPool pool, std::uint32_t query) {
  // A timestamp has one stage.
  if (stage == VK_PIPELINE_STAGE_2_DATA_GRAPH_BIT_ARM) stage = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
  device_of(commands).next.vkCmdWriteTimestamp2(commands, stage, pool, query);
}

// --- submission ------------------------------------------------------------------------------------------------------

VkResult QueueSubmit2(VkQueue queue, std::uint32_t count, const VkSubmitInfo2* infos, VkFence fence) {
  const LayerDevice& device = device_of(queue);
  const auto has_graphs = [](const VkSemaphoreSubmitInfo& one) {
    return (one.stageMask & VK_PIPELINE_STAGE_2_DATA_GRAPH_BIT_ARM) != 0;
  };
  const bool concerned = std::any_of(infos, infos + count, [&](const VkSubmitInfo2& info) {
    return find_in_chain<VkBaseInStructure>(info.pNext, VK_STRUCTURE_TYPE_FRAME_BOUNDARY_TENSORS_ARM) != nullptr ||
           std::any_of(info.pWaitSemaphoreInfos, info.pWaitSemaphoreInfos + info.waitSemaphoreInfoCount, has_graphs) ||
           std::any_of(info.pSignalSemaphoreInfos, info.pSignalSemaphoreInfos + info.signalSemaphoreInfoCount,
                       has_graphs);
  });
  if (!concerned) return device.next.vkQueueSubmit2(queue, count, infos, fence);
  return guarded([&] {
    constexpr VkStructureType removed[] = {VK_STRUCTURE_TYPE_FRAME_BOUNDARY_TENSORS_ARM};
    std::vector<VkSubmitInfo2> theirs(infos, infos + count);
    std::vector<std::vector<VkSemaphoreSubmitInfo>> semaphores;
    std::vector<std::unique_ptr<ChainCopy>> chains;
    const auto translated = [&](const VkSemaphoreSubmitInfo* from, std::uint32_t number) {
      auto& all = semaphores.emplace_back(from, from + number);
      for (VkSemaphoreSubmitInfo& one : all) one.stageMask = stages_in_driver(one.stageMask);
      return all.data();
    };
    for (VkSubmitInfo2& info : theirs) {
      info.pNext = chains.emplace_back(std::make_unique<ChainCopy>())->make(info.pNext, removed);
      info.pWaitSemaphoreInfos = translated(info.pWaitSemaphoreInfos, info.waitSemaphoreInfoCount);
      info.pSignalSemaphoreInfos = translated(info.pSignalSemaphoreInfos, info.signalSemaphoreInfoCount);
    }
    return device.next.vkQueueSubmit2(queue, count, theirs.data(), fence);
  });
}

}  // namespace

std::span<const NamedFunction> command_functions() {
  static const NamedFunction table[] = {
      named("vkCreateCommandPool", CreateCommandPool),
      named("vkDestroyCommandPool", DestroyCommandPool),
      named("vkAllocateCommandBuffers", AllocateCommandBuffers),
      named("vkFreeCommandBuffers", FreeCommandBuffers),
      named("vkBeginCommandBuffer", BeginCommandBuffer),
      named("vkCmdExecuteCommands", CmdExecuteCommands),
      named("vkCmdPipelineBarrier", CmdPipelineBarrier),
      named("vkCmdWaitEvents", CmdWaitEvents),
      named("vkCmdPipelineBarrier2", CmdPipelineBarrier2),
      named("vkCmdPipelineBarrier2KHR", CmdPipelineBarrier2),
      named("vkCmdSetEvent2", CmdSetEvent2),
      named("vkCmdSetEvent2KHR", CmdSetEvent2),
      named("vkCmdResetEvent2", CmdResetEvent2),
      named("vkCmdResetEvent2KHR", CmdResetEvent2),
      named("vkCmdWaitEvents2", CmdWaitEvents2),
      named("vkCmdWaitEvents2KHR", CmdWaitEvents2),
      named("vkCmdWriteTimestamp2", CmdWriteTimestamp2),
      named("vkCmdWriteTimestamp2KHR", CmdWriteTimestamp2),
      named("vkQueueSubmit2", QueueSubmit2),
      named("vkQueueSubmit2KHR", QueueSubmit2),
  };
  return table;
}

}  // namespace slipway::layer
