// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an application binds and pushes in a command buffer: graphs and their tensors, which the driver does not know,
// and the state of shaders, which is set again after a graph.
#include <algorithm>
#include <cstring>
#include <optional>

#include "layer/chain.hpp"
#include "layer/commands/commands.hpp"
#include "layer/commands/descriptors.hpp"
#include "layer/device.hpp"
#include "layer/resources/capture.hpp"
#include "layer/resources/recorder.hpp"

namespace slipway::layer {
namespace {

void no_memory_for_bindings(const LayerDevice& device) {
  device.instance->message(MessageLevel::Error, "out of memory while commands are recorded");
}

CommandState& state_of(LayerDevice& device, VkCommandBuffer commands) {
  if (CommandState* known = device.commands.find(commands)) return *known;
  return *device.commands.add(commands, std::make_unique<CommandState>());
}

// Null where no graph can follow.
CommandState* kept_state(const LayerDevice& device, VkCommandBuffer commands) {
  return device.graphs ? device.commands.find(commands) : nullptr;
}

// Whether the state of these stages is kept: that of compute shaders always, because kernels disturb it.
bool is_kept(const CommandState& state, std::uint32_t mask) {
  return state.may_execute || mask == VK_SHADER_STAGE_COMPUTE_BIT;
}

bool is_captured(const LayerDevice& device) { return !device.instance->settings.capture.empty(); }

// `copy` copies what an object points to; it is called with the object and the payload.
template <class T, class Copy, class... Replaces>
void keep(CommandState& state, const StateRecord::Bounds& bounds, StateRecord::Replay replay, const T& object,
          Copy copy, Replaces... replaces) {
  Payload counted(sizeof(T));
  T kept = object;
  copy(kept, counted);
  std::byte* const memory =
      counted.complete() ? state.record.keep(bounds, counted.size(), replay, replaces...) : nullptr;
  if (memory == nullptr) {
    state.state_lost = true;
    return;
  }
  kept = object;
  Payload copied(sizeof(T), memory);
  copy(kept, copied);
  new (memory) T(kept);
}

template <class T>
const T& kept_as(const std::byte* payload) {
  return *reinterpret_cast<const T*>(payload);
}

// --- pipelines and shader objects ------------------------------------------------------------------------------------

struct KeptPipeline {
  VkPipelineBindPoint point{};
  VkPipeline pipeline = VK_NULL_HANDLE;
};
struct KeptShader {
  VkShaderStageFlagBits stage{};
  VkShaderEXT shader = VK_NULL_HANDLE;
};

void bind_again(const LayerDevice& device, VkCommandBuffer commands, const std::byte* payload) {
  const auto& [point, pipeline] = kept_as<KeptPipeline>(payload);
  device.next.vkCmdBindPipeline(commands, point, pipeline);
}

void bind_shader_again(const LayerDevice& device, VkCommandBuffer commands, const std::byte* payload) {
  const auto& [stage, shader] = kept_as<KeptShader>(payload);
  device.next.vkCmdBindShadersEXT(commands, 1, &stage, &shader);
}

void CmdBindPipeline(VkCommandBuffer commands, VkPipelineBindPoint point, VkPipeline pipeline) {
  LayerDevice& device = device_of(commands);
  if (point == VK_PIPELINE_BIND_POINT_DATA_GRAPH_ARM) {
    try {
      state_of(device, commands).graph = device.graph_pipelines.find(pipeline);
    } catch (...) {
      no_memory_for_bindings(device);
    }
    return;
  }
  if (CommandState* const state = device.commands.find(commands)) {
    const std::uint32_t mask = mask_of(point);
    if (mask == VK_SHADER_STAGE_COMPUTE_BIT) state->compute = pipeline;
    if (device.graphs && is_kept(*state, mask))
      keep(*state, {StateSlot::Shaders, mask}, bind_again, KeptPipeline{point, pipeline}, [](auto&, Payload&) {});
  }
  device.next.vkCmdBindPipeline(commands, point, pipeline);
}

void CmdBindShadersEXT(VkCommandBuffer commands, std::uint32_t count, const VkShaderStageFlagBits* stages,
                       const VkShaderEXT* shaders) {
  LayerDevice& device = device_of(commands);
  if (CommandState* const state = kept_state(device, commands)) {
    for (std::uint32_t i = 0; i < count; ++i) {
      if (stages[i] == VK_SHADER_STAGE_COMPUTE_BIT) state->compute = VK_NULL_HANDLE;
      if (!is_kept(*state, stages[i])) continue;
      keep(*state, {StateSlot::Shaders, stages[i]}, bind_shader_again,
           KeptShader{stages[i], shaders != nullptr ? shaders[i] : VkShaderEXT{VK_NULL_HANDLE}},
           [](auto&, Payload&) {});
    }
  }
  device.next.vkCmdBindShadersEXT(commands, count, stages, shaders);
}

// --- descriptor sets -------------------------------------------------------------------------------------------------

struct KeptSets {
  VkPipelineBindPoint point{};
  VkPipelineLayout layout = VK_NULL_HANDLE;
  std::uint32_t first = 0, count = 0, dynamic_count = 0;
  const VkDescriptorSet* sets = nullptr;
  const std::uint32_t* dynamic = nullptr;
};

void bind_sets_again(const LayerDevice& device, VkCommandBuffer commands, const std::byte* payload) {
  const auto& kept = kept_as<KeptSets>(payload);
  device.next.vkCmdBindDescriptorSets(commands, kept.point, kept.layout, kept.first, kept.count, kept.sets,
                                      kept.dynamic_count, kept.dynamic);
}

void keep_sets(const LayerDevice& device, VkCommandBuffer commands, const KeptSets& bound) {
  CommandState* const state = kept_state(device, commands);
  const std::uint32_t mask = mask_of(bound.point);
  if (state == nullptr || !is_kept(*state, mask)) return;
  // A layout may also be in the chain; this one is not known.
  if (bound.layout == VK_NULL_HANDLE) {
    state->state_lost = true;
    return;
  }
  keep(*state, {StateSlot::Sets, mask, bound.first, bound.count}, bind_sets_again, bound,
       [](KeptSets& copy, Payload& into) {
         copy.sets = into.array(copy.sets, copy.count);
         copy.dynamic = into.array(copy.dynamic, copy.dynamic_count);
       });
}

// Calls `visit` for each bind point with one of the stages.
template <class Visit>
void for_each_point(const LayerDevice& device, VkShaderStageFlags stages, Visit visit) {
  if ((stages & VK_SHADER_STAGE_COMPUTE_BIT) != 0) visit(VK_PIPELINE_BIND_POINT_COMPUTE);
  if ((stages & kGraphicsStages) != 0) visit(VK_PIPELINE_BIND_POINT_GRAPHICS);
  if ((stages & kRayStages) != 0 && device.next.vkCreateRayTracingPipelinesKHR != nullptr)
    visit(VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR);
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
    no_memory_for_bindings(device);
  }
}

void CmdBindDescriptorSets(VkCommandBuffer commands, VkPipelineBindPoint point, VkPipelineLayout layout,
                           std::uint32_t first, std::uint32_t count, const VkDescriptorSet* sets,
                           std::uint32_t dynamic_count, const std::uint32_t* dynamic) {
  LayerDevice& device = device_of(commands);
  if (point == VK_PIPELINE_BIND_POINT_DATA_GRAPH_ARM) return bind_graph_sets(device, commands, first, count, sets);
  if (point == VK_PIPELINE_BIND_POINT_COMPUTE && is_captured(device)) {
    try {
      CommandState& state = state_of(device, commands);
      if (state.compute_sets.size() < first + count) state.compute_sets.resize(first + count, VK_NULL_HANDLE);
      std::copy_n(sets, count, state.compute_sets.begin() + first);
    } catch (...) {
      no_memory_for_bindings(device);
    }
  }
  keep_sets(device, commands, {point, layout, first, count, dynamic_count, sets, dynamic});
  device.next.vkCmdBindDescriptorSets(commands, point, layout, first, count, sets, dynamic_count, dynamic);
}

// Graphs have no stage, so that a call for all stages is for them, too.
bool binds_all_stages(VkShaderStageFlags stages) { return stages == VK_SHADER_STAGE_ALL; }

void CmdBindDescriptorSets2(VkCommandBuffer commands, const VkBindDescriptorSetsInfo* info) {
  LayerDevice& device = device_of(commands);
  if (binds_all_stages(info->stageFlags) && device.graphs)
    bind_graph_sets(device, commands, info->firstSet, info->descriptorSetCount, info->pDescriptorSets);
  for_each_point(device, info->stageFlags, [&](VkPipelineBindPoint point) {
    keep_sets(device, commands,
              {point, info->layout, info->firstSet, info->descriptorSetCount, info->dynamicOffsetCount,
               info->pDescriptorSets, info->pDynamicOffsets});
  });
  device.next.vkCmdBindDescriptorSets2(commands, info);
}

// Only for a device whose dispatches are captured.
void CmdDispatch(VkCommandBuffer commands, std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  const LayerDevice& device = device_of(commands);
  std::optional<CapturedDispatch> captured;
  const RecordedDispatch* recorded = nullptr;
  try {
    const CommandState* state = device.commands.find(commands);
    const CapturedShader* shader = state == nullptr ? nullptr : device.captured_pipelines.find(state->compute);
    if (shader != nullptr) captured = capture_dispatch(device, *shader, *state, {x, y, z});
    if (captured) recorded = device.recorder->add(state->family, captured->work);
    if (recorded != nullptr) recorded->begin(commands, captured->tensors);
  } catch (...) {
    no_memory_for_bindings(device);
  }
  device.next.vkCmdDispatch(commands, x, y, z);
  if (recorded != nullptr) recorded->end(commands, captured->tensors);
}

// --- push constants --------------------------------------------------------------------------------------------------

struct KeptConstants {
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkShaderStageFlags stages = 0;
  std::uint32_t offset = 0, size = 0;
  const void* values = nullptr;
};

void push_constants_again(const LayerDevice& device, VkCommandBuffer commands, const std::byte* payload) {
  const auto& kept = kept_as<KeptConstants>(payload);
  device.next.vkCmdPushConstants(commands, kept.layout, kept.stages, kept.offset, kept.size, kept.values);
}

void keep_constants(const LayerDevice& device, VkCommandBuffer commands, const KeptConstants& pushed) {
  CommandState* const state = device.commands.find(commands);
  if (state == nullptr) return;
  if (is_captured(device)) {
    try {
      const auto* const first = static_cast<const std::byte*>(pushed.values);
      state->pushed.push_back({pushed.offset, {first, first + pushed.size}});
    } catch (...) {
      no_memory_for_bindings(device);
    }
  }
  if (!device.graphs) return;
  if (pushed.layout == VK_NULL_HANDLE) {
    state->state_lost = true;
    return;
  }
  keep(*state, {StateSlot::PushConstants, pushed.stages, pushed.offset, pushed.size}, push_constants_again, pushed,
       [](KeptConstants& copy, Payload& into) {
         copy.values = into.array(static_cast<const std::byte*>(copy.values), copy.size);
       });
}

void CmdPushConstants(VkCommandBuffer commands, VkPipelineLayout layout, VkShaderStageFlags stages,
                      std::uint32_t offset, std::uint32_t size, const void* values) {
  const LayerDevice& device = device_of(commands);
  keep_constants(device, commands, {layout, stages, offset, size, values});
  device.next.vkCmdPushConstants(commands, layout, stages, offset, size, values);
}

void CmdPushConstants2(VkCommandBuffer commands, const VkPushConstantsInfo* info) {
  const LayerDevice& device = device_of(commands);
  keep_constants(device, commands, {info->layout, info->stageFlags, info->offset, info->size, info->pValues});
  device.next.vkCmdPushConstants2(commands, info);
}

// --- push descriptors ------------------------------------------------------------------------------------------------

struct KeptDescriptors {
  VkPipelineBindPoint point{};
  VkPipelineLayout layout = VK_NULL_HANDLE;
  std::uint32_t set = 0, count = 0;
  const VkWriteDescriptorSet* writes = nullptr;
};

void push_descriptors_again(const LayerDevice& device, VkCommandBuffer commands, const std::byte* payload) {
  const auto& kept = kept_as<KeptDescriptors>(payload);
  device.next.vkCmdPushDescriptorSet(commands, kept.point, kept.layout, kept.set, kept.count, kept.writes);
}

enum class DescriptorKind { Images, Buffers, TexelBuffers, AccelerationStructures, Unknown };
DescriptorKind kind_of(VkDescriptorType type) {
  switch (type) {
    case VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR:
      return DescriptorKind::AccelerationStructures;
    case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
      return DescriptorKind::TexelBuffers;
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
      return DescriptorKind::Buffers;
    case VK_DESCRIPTOR_TYPE_SAMPLER:
    case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
    case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
    case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
    case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT:
      return DescriptorKind::Images;
    default:
      return DescriptorKind::Unknown;
  }
}

void copy_write(VkWriteDescriptorSet& write, Payload& into) {
  using Structures = VkWriteDescriptorSetAccelerationStructureKHR;
  const std::uint32_t count = write.descriptorCount;
  const auto* const structures =
      find_in_chain<Structures>(write.pNext, VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_ACCELERATION_STRUCTURE_KHR);
  write.pNext = nullptr;
  switch (kind_of(write.descriptorType)) {
    case DescriptorKind::Images:
      write.pImageInfo = into.array(write.pImageInfo, count);
      break;
    case DescriptorKind::Buffers:
      write.pBufferInfo = into.array(write.pBufferInfo, count);
      break;
    case DescriptorKind::TexelBuffers:
      write.pTexelBufferView = into.array(write.pTexelBufferView, count);
      break;
    case DescriptorKind::AccelerationStructures:
      write.pNext = into.array(structures, 1, [&](Structures& one) {
        one.pNext = nullptr;
        one.pAccelerationStructures = into.array(one.pAccelerationStructures, count);
      });
      break;
    case DescriptorKind::Unknown:
      into.fail();
      break;
  }
}

VkWriteDescriptorSet write_of(const VkDescriptorUpdateTemplateEntry& entry, const void* data, Payload& into) {
  VkWriteDescriptorSet write{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                             .dstBinding = entry.dstBinding,
                             .dstArrayElement = entry.dstArrayElement,
                             .descriptorCount = entry.descriptorCount,
                             .descriptorType = entry.descriptorType};
  const std::size_t count = entry.descriptorCount, stride = entry.stride;
  const auto* const from = static_cast<const std::byte*>(data) + entry.offset;
  switch (kind_of(entry.descriptorType)) {
    case DescriptorKind::Images:
      write.pImageInfo = into.strided<VkDescriptorImageInfo>(from, count, stride);
      break;
    case DescriptorKind::Buffers:
      write.pBufferInfo = into.strided<VkDescriptorBufferInfo>(from, count, stride);
      break;
    case DescriptorKind::TexelBuffers:
      write.pTexelBufferView = into.strided<VkBufferView>(from, count, stride);
      break;
    case DescriptorKind::AccelerationStructures: {
      const VkWriteDescriptorSetAccelerationStructureKHR info{
          .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_ACCELERATION_STRUCTURE_KHR,
          .accelerationStructureCount = entry.descriptorCount,
          .pAccelerationStructures = into.strided<VkAccelerationStructureKHR>(from, count, stride)};
      write.pNext = into.array(&info, 1);
      break;
    }
    case DescriptorKind::Unknown:
      into.fail();
      break;
  }
  return write;
}

// `ranges` are writes, or entries of a template.
template <class T, class Copy>
void keep_descriptors(const LayerDevice& device, VkCommandBuffer commands, const KeptDescriptors& pushed,
                      std::span<const T> ranges, Copy copy) {
  CommandState* const state = kept_state(device, commands);
  const std::uint32_t mask = mask_of(pushed.point);
  if (state == nullptr || !is_kept(*state, mask)) return;
  if (pushed.layout == VK_NULL_HANDLE) {
    state->state_lost = true;
    return;
  }
  const StateRecord::Bounds bounds{StateSlot::Sets, mask, pushed.set};
  // Earlier pushes to the same set stay, unless nothing of them is left.
  const auto replaces = [&](const StateRecord::Call& old) {
    if (!bounds.contains(old.bounds)) return false;
    if (old.replay != push_descriptors_again) return true;
    const auto& earlier = kept_as<KeptDescriptors>(old.payload());
    return std::ranges::all_of(std::span(earlier.writes, earlier.count), [&](const VkWriteDescriptorSet& write) {
      return std::ranges::any_of(ranges, [&](const T& one) {
        return one.dstBinding == write.dstBinding && one.dstArrayElement <= write.dstArrayElement &&
               one.dstArrayElement + one.descriptorCount >= write.dstArrayElement + write.descriptorCount;
      });
    });
  };
  keep(*state, bounds, push_descriptors_again, pushed, copy, replaces);
}

void keep_writes(const LayerDevice& device, VkCommandBuffer commands, const KeptDescriptors& pushed) {
  keep_descriptors(
      device, commands, pushed, std::span(pushed.writes, pushed.count), [](KeptDescriptors& copy, Payload& into) {
        copy.writes = into.array(copy.writes, copy.count, [&](VkWriteDescriptorSet& one) { copy_write(one, into); });
      });
}

void keep_template(const LayerDevice& device, VkCommandBuffer commands, VkDescriptorUpdateTemplate of,
                   VkPipelineLayout layout, std::uint32_t set, const void* data) {
  const UpdateTemplate* const known = device.push_templates.find(of);
  if (known == nullptr) return;
  const auto& entries = known->entries;
  keep_descriptors(
      device, commands, {known->bind_point, layout, set, static_cast<std::uint32_t>(entries.size()), nullptr},
      std::span<const VkDescriptorUpdateTemplateEntry>(entries), [&](KeptDescriptors& copy, Payload& into) {
        copy.writes = into.made<VkWriteDescriptorSet>(entries.size(),
                                                      [&](std::size_t i) { return write_of(entries[i], data, into); });
      });
}

void note_pushed(CommandState& state, std::uint32_t set, std::uint32_t count, const VkWriteDescriptorSet* writes) {
  if (state.graph_sets.size() > set) state.graph_sets[set] = VK_NULL_HANDLE;
  for (const VkWriteDescriptorSet& write : std::span(writes, count)) {
    const auto* tensors =
        find_in_chain<VkWriteDescriptorSetTensorARM>(write.pNext, VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_TENSOR_ARM);
    if (tensors == nullptr && !is_image(write.descriptorType)) continue;
    for (std::uint32_t i = 0; i < write.descriptorCount; ++i) {
      PushedDescriptor made{.set = set, .binding = write.dstBinding, .element = write.dstArrayElement + i};
      if (tensors != nullptr)
        made.view = object_of<TensorViewObject>(tensors->pTensorViews[i]);
      else
        made.image = write.pImageInfo[i].imageView;
      std::erase_if(state.pushed_descriptors, [&](const PushedDescriptor& one) {
        return one.set == set && one.binding == made.binding && one.element == made.element;
      });
      state.pushed_descriptors.push_back(made);
    }
  }
}

void CmdPushDescriptorSet(VkCommandBuffer commands, VkPipelineBindPoint point, VkPipelineLayout layout,
                          std::uint32_t set, std::uint32_t count, const VkWriteDescriptorSet* writes) {
  LayerDevice& device = device_of(commands);
  try {
    if (point == VK_PIPELINE_BIND_POINT_DATA_GRAPH_ARM)
      return note_pushed(state_of(device, commands), set, count, writes);
    const TranslatedWrites translated(device, count, writes);
    keep_writes(device, commands, {point, layout, set, count, translated.writes()});
    device.next.vkCmdPushDescriptorSet(commands, point, layout, set, count, translated.writes());
  } catch (...) {
    no_memory_for_bindings(device);
  }
}

void CmdPushDescriptorSet2(VkCommandBuffer commands, const VkPushDescriptorSetInfo* info) {
  LayerDevice& device = device_of(commands);
  try {
    if (binds_all_stages(info->stageFlags) && device.graphs)
      note_pushed(state_of(device, commands), info->set, info->descriptorWriteCount, info->pDescriptorWrites);
    const TranslatedWrites translated(device, info->descriptorWriteCount, info->pDescriptorWrites);
    for_each_point(device, info->stageFlags, [&](VkPipelineBindPoint point) {
      keep_writes(device, commands, {point, info->layout, info->set, info->descriptorWriteCount, translated.writes()});
    });
    VkPushDescriptorSetInfo theirs = *info;
    theirs.pDescriptorWrites = translated.writes();
    device.next.vkCmdPushDescriptorSet2(commands, &theirs);
  } catch (...) {
    no_memory_for_bindings(device);
  }
}

void CmdPushDescriptorSetWithTemplate(VkCommandBuffer commands, VkDescriptorUpdateTemplate of, VkPipelineLayout layout,
                                      std::uint32_t set, const void* data) {
  LayerDevice& device = device_of(commands);
  const UpdateTemplate* known = device.templates.find(of);
  if (known == nullptr) {
    keep_template(device, commands, of, layout, set, data);
    return device.next.vkCmdPushDescriptorSetWithTemplate(commands, of, layout, set, data);
  }
  try {
    const TemplateWrites writes(*known, VK_NULL_HANDLE, data);
    CmdPushDescriptorSet(commands, known->bind_point, layout, set, writes.count(), writes.writes());
  } catch (...) {
    no_memory_for_bindings(device);
  }
}

void CmdPushDescriptorSetWithTemplate2(VkCommandBuffer commands, const VkPushDescriptorSetWithTemplateInfo* info) {
  const LayerDevice& device = device_of(commands);
  if (device.templates.find(info->descriptorUpdateTemplate) == nullptr) {
    keep_template(device, commands, info->descriptorUpdateTemplate, info->layout, info->set, info->pData);
    return device.next.vkCmdPushDescriptorSetWithTemplate2(commands, info);
  }
  CmdPushDescriptorSetWithTemplate(commands, info->descriptorUpdateTemplate, info->layout, info->set, info->pData);
}

}  // namespace

void CommandState::reset() {
  record.clear();
  graph = nullptr;
  graph_sets.clear();
  pushed_descriptors.clear();
  compute = VK_NULL_HANDLE;
  pushed.clear();
  compute_sets.clear();
}

void restore_state(const LayerDevice& device, VkCommandBuffer commands, const CommandState& state, Restored what) {
  state.record.for_each([&](const StateRecord::Call& call) {
    const auto& [slot, mask, first, count] = call.bounds;
    const bool disturbed =
        slot == StateSlot::PushConstants ||
        ((slot == StateSlot::Shaders || slot == StateSlot::Sets) && mask == VK_SHADER_STAGE_COMPUTE_BIT);
    if (what == Restored::All || disturbed) call.replay(device, commands, call.payload());
  });
}

std::span<const NamedFunction> binding_functions() {
  static const NamedFunction table[] = {
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
  };
  return table;
}

}  // namespace slipway::layer
