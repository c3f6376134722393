// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the layer remembers about a command buffer that is being recorded: what graphs need, and what they disturb.
#pragma once

#include <volk.h>

#include <cstdint>
#include <vector>

#include "layer/commands/state_record.hpp"

namespace slipway::layer {

class GraphPipeline;
class LayerDevice;
struct SetContents;
struct TensorViewObject;

// Bytes of push constants that kernels may have: 14 addresses. Every device has 128.
inline constexpr std::uint32_t kKernelPushConstants = 128;

// Stages by bind point: masks of StateSlot::Shaders and StateSlot::Sets.
inline constexpr std::uint32_t kGraphicsStages =
    VK_SHADER_STAGE_ALL_GRAPHICS | VK_SHADER_STAGE_TASK_BIT_EXT | VK_SHADER_STAGE_MESH_BIT_EXT;
inline constexpr std::uint32_t kRayStages = VK_SHADER_STAGE_RAYGEN_BIT_KHR | VK_SHADER_STAGE_ANY_HIT_BIT_KHR |
                                            VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR | VK_SHADER_STAGE_MISS_BIT_KHR |
                                            VK_SHADER_STAGE_INTERSECTION_BIT_KHR | VK_SHADER_STAGE_CALLABLE_BIT_KHR;
inline constexpr std::uint32_t kOtherStages = 1u << 31;
std::uint32_t mask_of(VkPipelineBindPoint point);
// A function for stages concerns all stages of their bind points.
std::uint32_t mask_of(VkShaderStageFlags stages);

// Push constants as the application set them, for captures.
struct PushedConstants {
  std::uint32_t offset = 0;
  std::vector<std::byte> bytes;
};

// For graphs.
struct PushedDescriptor {
  std::uint32_t set = 0, binding = 0, element = 0;
  TensorViewObject* view = nullptr;
  VkImageView image = VK_NULL_HANDLE;
};

struct CommandPool {
  std::vector<VkCommandBuffer> buffers;
  std::uint32_t family = 0;
  bool is_protected = false;
};

struct CommandState {
  bool is_primary = false, is_protected = false;
  std::uint32_t family = 0;  // of queues
  // Graphs may be in secondary command buffers of the layer, after which the state has to be set again. Then `record`
  // has all state, otherwise that of compute shaders and push constants.
  bool may_execute = false;
  bool state_lost = false;   // state was set that cannot be set again
  std::uint32_t active = 0;  // queries and the like that have begun
  StateRecord record;

  const GraphPipeline* graph = nullptr;
  std::vector<VkDescriptorSet> graph_sets;           // of the bind point of graphs, by index
  std::vector<PushedDescriptor> pushed_descriptors;  // of the same bind point
  // Known only if dispatches are captured.
  VkPipeline compute = VK_NULL_HANDLE;
  std::vector<PushedConstants> pushed;
  std::vector<VkDescriptorSet> compute_sets;  // by index

  void reset();
};

// What is set again.
enum class Restored {
  Compute,  // the compute pipeline, its sets, and push constants: what kernels disturb
  All,      // what a secondary command buffer disturbs
};
void restore_state(const LayerDevice& device, VkCommandBuffer commands, const CommandState& state, Restored what);

}  // namespace slipway::layer
