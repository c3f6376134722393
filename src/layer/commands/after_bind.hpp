// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors of graphs whose descriptors may be updated after they are bound. The tensor is known only when the graph
// runs; kernels have addresses that are known when it is recorded. Therefore the kernels use a copy in the memory of
// the session, and a shader copies between it and the tensor that the descriptor has by then.
#pragma once

#include <volk.h>

#include <array>
#include <memory>
#include <vector>

#include "layer/resources/tensors.hpp"
#include "tosa/graph.hpp"

namespace slipway::layer {

class LayerDevice;
struct TensorBindings;

// What the layer has for a pipeline layout of the application with such descriptors. Owns a layout in the driver with
// the same sets, and with push constants of the copies. Pipelines share it, because the application may destroy its
// layout first.
class AfterBindLayout {
 public:
  explicit AfterBindLayout(const LayerDevice& device) : device_(device) {}
  AfterBindLayout(const AfterBindLayout&) = delete;
  ~AfterBindLayout();

  // `handle` stays null if no set has such descriptors.
  VkResult make(const VkPipelineLayoutCreateInfo& info);
  // Whether the descriptors of a binding may be updated after they are bound.
  bool contains(std::uint32_t set, std::uint32_t binding) const;

  VkPipelineLayout handle = VK_NULL_HANDLE;

 private:
  const LayerDevice& device_;
  std::vector<std::shared_ptr<const TensorBindings>> sets_;  // null without tensors
};

struct KnownPipelineLayout {
  std::shared_ptr<const AfterBindLayout> after_bind;
};

// Copies one tensor of a graph. Owns its pipeline.
class AfterBindCopy {
 public:
  AfterBindCopy(const LayerDevice& device, std::shared_ptr<const AfterBindLayout> layout)
      : device_(device), layout_(std::move(layout)) {}
  AfterBindCopy(const AfterBindCopy&) = delete;
  ~AfterBindCopy();

  VkResult make(const tosa::Binding& at, VkPipelineCache cache, VkPipelineCreateFlags flags);
  // Between the tensor that `set` has when the commands are executed, and its elements without gaps at `memory`.
  void record(VkCommandBuffer commands, VkDescriptorSet set, const TensorDescription& description,
              VkDeviceAddress memory, bool to_tensor) const;

 private:
  struct Pushed {
    VkDeviceAddress memory = 0;
    std::uint32_t elements = 0, rank = 0, size = 0, to_tensor = 0;
    std::array<std::uint32_t, kMaxRank> shape{};
  };
  friend class AfterBindLayout;

  const LayerDevice& device_;
  std::shared_ptr<const AfterBindLayout> layout_;
  std::uint32_t set_ = 0;
  VkPipeline pipeline_ = VK_NULL_HANDLE;
};

}  // namespace slipway::layer
