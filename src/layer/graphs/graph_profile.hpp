// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The times of the kernels of a graph, if they are wanted (Settings::profile): a timestamp before the first one and
// after each of them, with a barrier between two.
#pragma once

#include <volk.h>

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace slipway::layer {

class LayerDevice;

// The property of a pipeline by which programs query the times of its operators: that of the emulation layer
// (docs/spec/scenario.md#graph-profile-file). Vulkan's header does not have it.
inline constexpr auto kGraphProfileProperty = static_cast<VkDataGraphPipelinePropertyARM>(0x7ffffffe);

// The first recordings of a graph. Safe from any thread. Owns its query pools, which command buffers use.
class GraphProfile {
 public:
  static constexpr std::size_t kMaxRecordings = 256;

  // `operators`: the names of the kernels, in the order of their dispatches.
  GraphProfile(const LayerDevice& device, std::vector<std::string> operators)
      : device_(device), operators_(std::move(operators)) {}
  GraphProfile(const GraphProfile&) = delete;
  ~GraphProfile();

  // Makes a pool for one recording of the graph in a command buffer for this family of queues, and resets it there.
  // Null if the family has no timestamps, or if there are enough recordings.
  VkQueryPool begin(VkCommandBuffer commands, std::uint32_t family);
  // The time after `count` kernels.
  void mark(VkCommandBuffer commands, VkQueryPool pool, std::uint32_t count) const;

  // JSON with the recordings that were executed, each with its last times.
  std::string text() const;

 private:
  struct Recording {
    VkQueryPool pool = VK_NULL_HANDLE;
    std::uint64_t mask = 0;  // of the valid bits
  };
  const LayerDevice& device_;
  std::vector<std::string> operators_;
  mutable std::mutex mutex_;
  std::vector<Recording> recordings_;
};

}  // namespace slipway::layer
