// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Data graph pipelines: a graph as kernels of the driver, and its constants in memory of the device.
#pragma once

#include <volk.h>

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "layer/commands/after_bind.hpp"
#include "layer/device.hpp"
#include "layer/graphs/optical_flow.hpp"
#include "layer/resources/tensors.hpp"
#include "lower/program.hpp"
#include "tosa/graph.hpp"

namespace slipway::layer {

// Descriptions of tensors by descriptor.
using BoundTensors = std::map<tosa::Binding, TensorDescription>;

// A graph of a module, with the application's specialization, constants and tensors. The data of constants belong to
// the application.
std::optional<tosa::Graph> read_graph(const spirv::Words& words,
                                      const VkDataGraphPipelineShaderModuleCreateInfoARM& info,
                                      const BoundTensors& tensors, Diagnostics& diagnostics);

class GraphProfile;
struct RecordedWork;

// A graph with fewer calls is recorded each time (RecordedGraphs).
inline constexpr std::uint32_t kMinRecordedCalls = 12;

// What pipelines of one device and one graph share. Owns its objects of the driver.
class GraphProgram {
 public:
  explicit GraphProgram(const LayerDevice& device);
  GraphProgram(const GraphProgram&) = delete;
  ~GraphProgram();

  // An input or output.
  struct Interface {
    tosa::Binding at;
    TensorDescription description;
    // The offset in the session of its copy without gaps; for a tensor that may have gaps.
    std::optional<std::uint64_t> packed_at;
    // For a tensor that is known only when the graph runs: it is always copied.
    std::shared_ptr<const AfterBindCopy> after_bind;
  };

  // `layout` is null if all tensors are known when the graph is recorded.
  VkResult make(const tosa::Graph& graph, const BoundTensors& tensors,
                const std::shared_ptr<const AfterBindLayout>& layout, VkPipelineCache cache, bool parallel,
                VkPipelineCreateFlags flags, Diagnostics& diagnostics);

  std::vector<Interface> inputs, outputs;
  lower::KernelProgram program;            // without the SPIR-V of its kernels
  std::vector<VkDeviceAddress> constants;  // by buffer of the program; 0 for other kinds
  std::vector<VkPipeline> kernels;
  std::unique_ptr<FlowKernel> flow;              // instead of a program
  std::unique_ptr<GraphProfile> profile;         // null unless times are wanted
  std::shared_ptr<const RecordedWork> recorded;  // null unless dispatches are recorded
  std::uint64_t session_size = 0;                // bytes that kernels use
  std::uint32_t calls = 0;                       // of Vulkan, to record the dispatches
  std::string log;

 private:
  void count_calls();
  VkResult make_constants(const tosa::Graph& graph);
  VkResult make_kernels(VkPipelineCache cache, bool parallel, VkPipelineCreateFlags flags);
  VkResult make_copies(const std::shared_ptr<const AfterBindLayout>& layout, VkPipelineCache cache,
                       VkPipelineCreateFlags flags);

  const LayerDevice& device_;
  HostBuffer memory_;  // of constants
};

class GraphPipeline {
 public:
  std::shared_ptr<const GraphProgram> program;
  std::string identifier;  // empty without a pipeline cache
};

// Graphs that were made with a pipeline cache, by identifier, and how the cache may be used.
struct IdentifiedGraphs {
  bool externally_synchronized = false;
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<const GraphProgram>> programs;
};

// Command buffers of the layer, each with a graph for certain tensors. Recording such a graph again is one call.
// Safe from any thread.
class RecordedGraphs {
 public:
  explicit RecordedGraphs(const LayerDevice& device) : device_(device) {}
  RecordedGraphs(const RecordedGraphs&) = delete;
  ~RecordedGraphs();

  // A secondary command buffer for a family of queues, with the graph for tensors at these addresses. Null when it is
  // met for the first time, so that what is recorded once costs nothing more, and when none can be made. `record` is
  // called for a new one.
  template <class Record>
  VkCommandBuffer find(std::uint32_t family, const std::vector<VkDeviceAddress>& addresses, Record record) {
    const std::scoped_lock lock(mutex_);
    Entry* const entry = entry_of(family, addresses);
    if (entry == nullptr || entry->commands != nullptr) return entry == nullptr ? nullptr : entry->commands;
    const VkCommandBuffer commands = begin(family);
    if (commands == nullptr) return nullptr;
    record(commands);
    return entry->commands = end(family, commands);
  }

 private:
  struct Entry {
    std::uint32_t family = 0;
    std::vector<VkDeviceAddress> addresses;
    VkCommandBuffer commands = nullptr;  // null: met once
  };
  Entry* entry_of(std::uint32_t family, const std::vector<VkDeviceAddress>& addresses);
  VkCommandBuffer begin(std::uint32_t family);
  VkCommandBuffer end(std::uint32_t family, VkCommandBuffer commands);

  const LayerDevice& device_;
  std::mutex mutex_;
  std::vector<Entry> entries_;
  std::map<std::uint32_t, VkCommandPool> pools_;  // by family
};

// Keeps the program of its pipeline, which may be destroyed first.
struct SessionObject {
  std::shared_ptr<const GraphProgram> program;
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceAddress address = 0;
  std::unique_ptr<RecordedGraphs> recorded;
};

// Records a graph into a command buffer, and restores what the application has set there.
void record_graph(const LayerDevice& device, VkCommandBuffer commands, const SessionObject& session,
                  const VkDataGraphPipelineDispatchInfoARM* info);

// What the application has bound for graphs; null without it.
const TensorViewObject* bound_tensor(const LayerDevice& device, const CommandState& state, const tosa::Binding& at);
VkImageView bound_image(const LayerDevice& device, const CommandState& state, std::uint32_t set, std::uint32_t binding);

}  // namespace slipway::layer
