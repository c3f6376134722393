// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Command buffers: state that graphs need, and stages and barriers that the driver does not know.
#include "layer/commands.hpp"

#include <cstring>

#include "layer/capture.hpp"
#include "layer/chain.hpp"
#include "layer/descriptors.hpp"
#include "layer/device.hpp"
#include "layer/graphs.hpp"
#include "layer/images.hpp"

namespace slipway::layer {
namespace {

CommandState& state_of(LayerDevice& device, VkCommandBuffer commands) {
  if (CommandState* known = device.commands.find(commands)) return *known;
  return *device.commands.add(commands, std::make_unique<CommandState>());
}

void note_state(const LayerDevice& device, VkCommandBuffer commands) {
  if (CommandState* state = device.commands.find(commands)) state->state_set = true;
}

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
    // The mask of a device group is state, too.
    state->state_set = info->pNext != nullptr;
  }
  return device.next.vkBeginCommandBuffer(commands, info);
}

void CmdExecuteCommands(VkCommandBuffer commands, std::uint32_t count, const VkCommandBuffer* buffers) {
  LayerDevice& device = device_of(commands);
  device.next.vkCmdExecuteCommands(commands, count, buffers);
  // The state of the primary command buffer is undefined from here on.
  if (CommandState* state = device.commands.find(commands)) state->reset();
}

// What an optical flow or a secondary command buffer disturbs: descriptors of compute shaders.
void note_compute_sets(const LayerDevice& device, VkCommandBuffer commands, VkPipelineLayout layout,
                       std::uint32_t first, std::span<const VkDescriptorSet> sets,
                       std::span<const std::uint32_t> dynamic) {
  CommandState* const state = device.graphs ? device.commands.find(commands) : nullptr;
  if (state == nullptr) return;
  // A layout may also be in the chain; this one is not known.
  if (layout == VK_NULL_HANDLE) {
    state->state_set = true;
    return;
  }
  try {
    std::vector<BoundSets>& all = state->compute_bindings;
    const auto replaced = std::ranges::remove_if(all, [&](const BoundSets& one) {
      const std::size_t count = one.pushed ? 1 : one.sets.size();
      return one.first >= first && one.first + count <= first + sets.size();
    });
    // The memory of one that is replaced is used again.
    BoundSets bound = replaced.empty() ? BoundSets() : std::move(replaced.front());
    all.erase(replaced.begin(), replaced.end());
    bound.layout = layout;
    bound.first = first;
    bound.sets.assign(sets.begin(), sets.end());
    bound.dynamic.assign(dynamic.begin(), dynamic.end());
    bound.pushed.reset();
    all.push_back(std::move(bound));
  } catch (...) {
    state->state_set = true;
    out_of_memory(device);
  }
}

void note_compute_writes(const LayerDevice& device, VkCommandBuffer commands, VkPipelineLayout layout,
                         std::uint32_t set, std::uint32_t count, const VkWriteDescriptorSet* writes) {
  CommandState* const state = device.graphs ? device.commands.find(commands) : nullptr;
  if (state == nullptr) return;
  if (layout == VK_NULL_HANDLE) {
    state->state_set = true;
    return;
  }
  auto kept = std::make_shared<const KeptWrites>(count, writes);
  if (!kept->complete()) {
    state->state_set = true;
    return;
  }
  std::erase_if(state->compute_bindings, [&](const BoundSets& one) {
    return one.first == set && (one.pushed ? kept->replaces(*one.pushed) : one.sets.size() == 1);
  });
  state->compute_bindings.push_back({layout, set, {}, {}, std::move(kept)});
}

// --- bindings --------------------------------------------------------------------------------------------------------

void CmdBindPipeline(VkCommandBuffer commands, VkPipelineBindPoint point, VkPipeline pipeline) {
  LayerDevice& device = device_of(commands);
  if (point == VK_PIPELINE_BIND_POINT_DATA_GRAPH_ARM) {
    try {
      state_of(device, commands).graph = device.graph_pipelines.find(pipeline);
    } catch (...) {
      out_of_memory(device);
    }
    return;
  }
  if (point == VK_PIPELINE_BIND_POINT_COMPUTE) {
    if (CommandState* state = device.commands.find(commands)) {
      state->compute = pipeline;
      state->compute_shader = VK_NULL_HANDLE;
    }
  } else {
    note_state(device, commands);
  }
  device.next.vkCmdBindPipeline(commands, point, pipeline);
}

void CmdBindShadersEXT(VkCommandBuffer commands, std::uint32_t count, const VkShaderStageFlagBits* stages,
                       const VkShaderEXT* shaders) {
  LayerDevice& device = device_of(commands);
  if (CommandState* state = device.commands.find(commands)) {
    for (std::uint32_t i = 0; i < count; ++i) {
      if (stages[i] != VK_SHADER_STAGE_COMPUTE_BIT) {
        state->state_set = true;
        continue;
      }
      state->compute = VK_NULL_HANDLE;
      state->compute_shader = shaders != nullptr ? shaders[i] : VK_NULL_HANDLE;
    }
  }
  device.next.vkCmdBindShadersEXT(commands, count, stages, shaders);
}

void bind_graph_sets(LayerDevice& device, VkCommandBuffer commands, std::uint32_t first, std::uint32_t count,
                     const VkDescriptorSet* sets) {
  try {
    CommandState& state = state_of(device, commands);
    if (state.graph_sets.size() < first + count) state.graph_sets.resize(first + count, VK_NULL_HANDLE);
    std::copy_n(sets, count, state.graph_sets.begin() + first);
    std::erase_if(state.pushed_descriptors,
                  [&](const PushedDescriptor& one) { return one.set >= first && one.set < first + count; });
  } catch (...) {
    out_of_memory(device);
  }
}

void CmdBindDescriptorSets(VkCommandBuffer commands, VkPipelineBindPoint point, VkPipelineLayout layout,
                           std::uint32_t first, std::uint32_t count, const VkDescriptorSet* sets,
                           std::uint32_t dynamic_count, const std::uint32_t* dynamic) {
  LayerDevice& device = device_of(commands);
  if (point == VK_PIPELINE_BIND_POINT_DATA_GRAPH_ARM) return bind_graph_sets(device, commands, first, count, sets);
  if (point == VK_PIPELINE_BIND_POINT_COMPUTE && !device.instance->settings.capture.empty()) {
    try {
      CommandState& state = state_of(device, commands);
      if (state.compute_sets.size() < first + count) state.compute_sets.resize(first + count, VK_NULL_HANDLE);
      std::copy_n(sets, count, state.compute_sets.begin() + first);
    } catch (...) {
      out_of_memory(device);
    }
  }
  if (point == VK_PIPELINE_BIND_POINT_COMPUTE)
    note_compute_sets(device, commands, layout, first, {sets, count}, {dynamic, dynamic_count});
  else
    note_state(device, commands);
  device.next.vkCmdBindDescriptorSets(commands, point, layout, first, count, sets, dynamic_count, dynamic);
}

// Only for a device whose dispatches are captured.
void CmdDispatch(VkCommandBuffer commands, std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  const LayerDevice& device = device_of(commands);
  try {
    const CommandState* state = device.commands.find(commands);
    const CapturedShader* shader = state == nullptr ? nullptr : device.captured_pipelines.find(state->compute);
    if (shader != nullptr) capture_dispatch(device, *shader, *state, {x, y, z});
  } catch (...) {
    out_of_memory(device);
  }
  device.next.vkCmdDispatch(commands, x, y, z);
}

// Graphs have no stage, so that a call for all stages is for them, too.
bool is_for_graphs(VkShaderStageFlags stages) { return stages == VK_SHADER_STAGE_ALL; }

void CmdBindDescriptorSets2(VkCommandBuffer commands, const VkBindDescriptorSetsInfo* info) {
  LayerDevice& device = device_of(commands);
  if (is_for_graphs(info->stageFlags) && device.graphs)
    bind_graph_sets(device, commands, info->firstSet, info->descriptorSetCount, info->pDescriptorSets);
  if ((info->stageFlags & VK_SHADER_STAGE_COMPUTE_BIT) != 0)
    note_compute_sets(device, commands, info->layout, info->firstSet, {info->pDescriptorSets, info->descriptorSetCount},
                      {info->pDynamicOffsets, info->dynamicOffsetCount});
  if (info->stageFlags != VK_SHADER_STAGE_COMPUTE_BIT) note_state(device, commands);
  device.next.vkCmdBindDescriptorSets2(commands, info);
}

void CmdPushConstants(VkCommandBuffer commands, VkPipelineLayout layout, VkShaderStageFlags stages,
                      std::uint32_t offset, std::uint32_t size, const void* values) {
  LayerDevice& device = device_of(commands);
  try {
    if (CommandState* state = device.commands.find(commands)) state->push(layout, stages, offset, size, values);
  } catch (...) {
    out_of_memory(device);
  }
  device.next.vkCmdPushConstants(commands, layout, stages, offset, size, values);
}

void CmdPushConstants2(VkCommandBuffer commands, const VkPushConstantsInfo* info) {
  LayerDevice& device = device_of(commands);
  try {
    if (CommandState* state = device.commands.find(commands))
      state->push(info->layout, info->stageFlags, info->offset, info->size, info->pValues);
  } catch (...) {
    out_of_memory(device);
  }
  device.next.vkCmdPushConstants2(commands, info);
}

// --- push descriptors ------------------------------------------------------------------------------------------------

void note_pushed(CommandState& state, std::uint32_t set, std::uint32_t count, const VkWriteDescriptorSet* writes) {
  if (state.graph_sets.size() > set) state.graph_sets[set] = VK_NULL_HANDLE;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (writes[i].descriptorCount == 0 || writes[i].dstArrayElement != 0) continue;
    PushedDescriptor made{.set = set, .binding = writes[i].dstBinding};
    const auto* tensors = find_in_chain<VkWriteDescriptorSetTensorARM>(
        writes[i].pNext, VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_TENSOR_ARM);
    if (tensors != nullptr)
      made.view = object_of<TensorViewObject>(tensors->pTensorViews[0]);
    else if (is_image(writes[i].descriptorType))
      made.image = writes[i].pImageInfo[0].imageView;
    else
      continue;
    std::erase_if(state.pushed_descriptors,
                  [&](const PushedDescriptor& one) { return one.set == set && one.binding == writes[i].dstBinding; });
    state.pushed_descriptors.push_back(made);
  }
}

void CmdPushDescriptorSet(VkCommandBuffer commands, VkPipelineBindPoint point, VkPipelineLayout layout,
                          std::uint32_t set, std::uint32_t count, const VkWriteDescriptorSet* writes) {
  LayerDevice& device = device_of(commands);
  try {
    if (point == VK_PIPELINE_BIND_POINT_DATA_GRAPH_ARM)
      return note_pushed(state_of(device, commands), set, count, writes);
    const TranslatedWrites translated(device, count, writes);
    if (point == VK_PIPELINE_BIND_POINT_COMPUTE)
      note_compute_writes(device, commands, layout, set, count, translated.writes());
    else
      note_state(device, commands);
    device.next.vkCmdPushDescriptorSet(commands, point, layout, set, count, translated.writes());
  } catch (...) {
    out_of_memory(device);
  }
}

void CmdPushDescriptorSet2(VkCommandBuffer commands, const VkPushDescriptorSetInfo* info) {
  LayerDevice& device = device_of(commands);
  try {
    if (is_for_graphs(info->stageFlags) && device.graphs)
      note_pushed(state_of(device, commands), info->set, info->descriptorWriteCount, info->pDescriptorWrites);
    const TranslatedWrites translated(device, info->descriptorWriteCount, info->pDescriptorWrites);
    if ((info->stageFlags & VK_SHADER_STAGE_COMPUTE_BIT) != 0)
      note_compute_writes(device, commands, info->layout, info->set, info->descriptorWriteCount, translated.writes());
    if (info->stageFlags != VK_SHADER_STAGE_COMPUTE_BIT) note_state(device, commands);
    VkPushDescriptorSetInfo theirs = *info;
    theirs.pDescriptorWrites = translated.writes();
    device.next.vkCmdPushDescriptorSet2(commands, &theirs);
  } catch (...) {
    out_of_memory(device);
  }
}

void CmdPushDescriptorSetWithTemplate(VkCommandBuffer commands, VkDescriptorUpdateTemplate of, VkPipelineLayout layout,
                                      std::uint32_t set, const void* data) {
  LayerDevice& device = device_of(commands);
  const UpdateTemplate* known = device.templates.find(of);
  if (known == nullptr) {
    note_state(device, commands);
    return device.next.vkCmdPushDescriptorSetWithTemplate(commands, of, layout, set, data);
  }
  try {
    const TemplateWrites writes(*known, VK_NULL_HANDLE, data);
    CmdPushDescriptorSet(commands, known->bind_point, layout, set, writes.count(), writes.writes());
  } catch (...) {
    out_of_memory(device);
  }
}

void CmdPushDescriptorSetWithTemplate2(VkCommandBuffer commands, const VkPushDescriptorSetWithTemplateInfo* info) {
  LayerDevice& device = device_of(commands);
  if (device.templates.find(info->descriptorUpdateTemplate) == nullptr) {
    note_state(device, commands);
    return device.next.vkCmdPushDescriptorSetWithTemplate2(commands, info);
  }
  CmdPushDescriptorSetWithTemplate(commands, info->descriptorUpdateTemplate, info->layout, info->set, info->pData);
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

void CommandState::reset() {
  graph = nullptr;
  graph_sets.clear();
  pushed_descriptors.clear();
  compute = VK_NULL_HANDLE;
  compute_shader = VK_NULL_HANDLE;
  pushed.clear();
  compute_sets.clear();
  compute_bindings.clear();
}

void CommandState::push(VkPipelineLayout layout, VkShaderStageFlags stages, std::uint32_t offset, std::uint32_t size,
                        const void* values) {
  if (layout == VK_NULL_HANDLE) {
    state_set = true;
    return;
  }
  const auto* const first = static_cast<const std::byte*>(values);
  // Earlier values that this call replaces need not be restored.
  std::erase_if(pushed, [&](const PushedConstants& one) {
    return (one.stages & ~stages) == 0 && one.offset >= offset && one.offset + one.bytes.size() <= offset + size;
  });
  pushed.push_back({layout, stages, offset, {first, first + size}});
}

std::span<const NamedFunction> command_functions() {
  static const NamedFunction table[] = {
      named("vkCreateCommandPool", CreateCommandPool),
      named("vkDestroyCommandPool", DestroyCommandPool),
      named("vkAllocateCommandBuffers", AllocateCommandBuffers),
      named("vkFreeCommandBuffers", FreeCommandBuffers),
      named("vkBeginCommandBuffer", BeginCommandBuffer),
      named("vkCmdExecuteCommands", CmdExecuteCommands),
      named("vkCmdBindPipeline", CmdBindPipeline),
      named("vkCmdBindShadersEXT", CmdBindShadersEXT),
      named("vkCmdBindDescriptorSets", CmdBindDescriptorSets),
      named("vkCmdBindDescriptorSets2", CmdBindDescriptorSets2),
      named("vkCmdBindDescriptorSets2KHR", CmdBindDescriptorSets2),
      named("vkCmdDispatch", CmdDispatch),
      named("vkCmdPushConstants", CmdPushConstants),
      named("vkCmdPushConstants2", CmdPushConstants2),
      named("vkCmdPushConstants2KHR", CmdPushConstants2),
      named("vkCmdPushDescriptorSet", CmdPushDescriptorSet),
      named("vkCmdPushDescriptorSetKHR", CmdPushDescriptorSet),
      named("vkCmdPushDescriptorSet2", CmdPushDescriptorSet2),
      named("vkCmdPushDescriptorSet2KHR", CmdPushDescriptorSet2),
      named("vkCmdPushDescriptorSetWithTemplate", CmdPushDescriptorSetWithTemplate),
      named("vkCmdPushDescriptorSetWithTemplateKHR", CmdPushDescriptorSetWithTemplate),
      named("vkCmdPushDescriptorSetWithTemplate2", CmdPushDescriptorSetWithTemplate2),
      named("vkCmdPushDescriptorSetWithTemplate2KHR", CmdPushDescriptorSetWithTemplate2),
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
