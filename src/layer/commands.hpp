// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the layer remembers about a command buffer that is being recorded: what graphs need, and what they disturb.
#pragma once

#include <volk.h>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace slipway::layer {

class GraphPipeline;
class KeptWrites;
struct SetContents;
struct TensorViewObject;

// Bytes of push constants that kernels may have: 14 addresses. Every device has 128.
inline constexpr std::uint32_t kKernelPushConstants = 128;

// Push constants as the application set them.
struct PushedConstants {
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkShaderStageFlags stages = 0;
  std::uint32_t offset = 0;
  std::vector<std::byte> bytes;
};

// For graphs.
struct PushedDescriptor {
  std::uint32_t set = 0, binding = 0;
  TensorViewObject* view = nullptr;
  VkImageView image = VK_NULL_HANDLE;
};

// Descriptors of compute shaders: sets, or descriptors that were pushed to set `first`.
struct BoundSets {
  VkPipelineLayout layout = VK_NULL_HANDLE;
  std::uint32_t first = 0;
  std::vector<VkDescriptorSet> sets;
  std::vector<std::uint32_t> dynamic;  // offsets
  std::shared_ptr<const KeptWrites> pushed;
};

struct CommandPool {
  std::vector<VkCommandBuffer> buffers;
  std::uint32_t family = 0;
  bool is_protected = false;
};

struct CommandState {
  bool is_primary = false, is_protected = false;
  std::uint32_t family = 0;  // of queues
  // Since it began, the application has set state other than that of graphs and compute shaders, or begun a query or
  // the like. It would be lost when a secondary command buffer is executed.
  bool state_set = false;

  const GraphPipeline* graph = nullptr;
  std::vector<VkDescriptorSet> graph_sets;           // of the bind point of graphs, by index
  std::vector<PushedDescriptor> pushed_descriptors;  // of the same bind point
  VkPipeline compute = VK_NULL_HANDLE;
  VkShaderEXT compute_shader = VK_NULL_HANDLE;  // instead of a pipeline
  std::vector<PushedConstants> pushed;
  std::vector<VkDescriptorSet> compute_sets;  // by index; known only if dispatches are captured
  std::vector<BoundSets> compute_bindings;    // in order

  void reset();
  void push(VkPipelineLayout layout, VkShaderStageFlags stages, std::uint32_t offset, std::uint32_t size,
            const void* values);
};

}  // namespace slipway::layer
