// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A Vulkan driver for tests that has VK_ARM_tensors and VK_ARM_data_graph: a layer over lavapipe that adds both.
//
// A tensor is a storage buffer over its memory. A compute shader with tensors is rewritten by `spirv::emulate_tensors`
// when it is dispatched, because the shapes are only known then. A graph is computed by the reference interpreter, on
// the host, between two events that the command buffer sets and waits for. All other calls go to lavapipe unchanged.
// Programs for devices with the extensions therefore run under the validation layers, and tests can check their
// results.
//
// Incorrect use that no layer detects (a tensor bound to a graph that was compiled for another one) ends the process
// with a message.
#pragma once

#include <vulkan/vulkan_core.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/bytes.hpp"
#include "spirv/module.hpp"
#include "tensor/element_type.hpp"
#include "tensor/shape.hpp"
#include "tosa/graph.hpp"

namespace slipway::testing::arm_driver {

[[noreturn]] void complain(const std::string& message);

// --- lavapipe --------------------------------------------------------------------------------------------------------

// The functions of lavapipe that this driver calls.
#define ARM_DRIVER_REAL_INSTANCE_FUNCTIONS(X)  \
  X(vkEnumerateDeviceExtensionProperties)      \
  X(vkGetPhysicalDeviceFeatures2)              \
  X(vkGetPhysicalDeviceProperties2)            \
  X(vkGetPhysicalDeviceQueueFamilyProperties)  \
  X(vkGetPhysicalDeviceQueueFamilyProperties2) \
  X(vkGetPhysicalDeviceFormatProperties2)      \
  X(vkGetPhysicalDeviceMemoryProperties)       \
  X(vkCreateDevice)                            \
  X(vkGetDeviceProcAddr)
// clang-format off: each of its runs moves one more name to a line of its own.
#define ARM_DRIVER_REAL_DEVICE_FUNCTIONS(X) \
  X(vkAllocateMemory) X(vkFreeMemory) X(vkMapMemory) X(vkCreateBuffer) X(vkDestroyBuffer) \
  X(vkGetBufferMemoryRequirements) X(vkBindBufferMemory) X(vkCreateDescriptorSetLayout) X(vkCreateDescriptorPool) \
  X(vkUpdateDescriptorSets) X(vkCreateShaderModule) X(vkDestroyShaderModule) X(vkCreateComputePipelines) \
  X(vkDestroyPipeline) X(vkBeginCommandBuffer) X(vkCmdBindPipeline) X(vkCmdBindDescriptorSets) X(vkCmdDispatch) \
  X(vkQueueSubmit2) X(vkDestroyDevice) X(vkCreateEvent) X(vkDestroyEvent) X(vkSetEvent) X(vkResetEvent) \
  X(vkGetEventStatus) X(vkCmdSetEvent) X(vkCmdResetEvent) X(vkCmdWaitEvents)
// clang-format on

struct Real {
#define FUNCTION(name) PFN_##name name = nullptr;
  ARM_DRIVER_REAL_INSTANCE_FUNCTIONS(FUNCTION)
  ARM_DRIVER_REAL_DEVICE_FUNCTIONS(FUNCTION)
#undef FUNCTION
};

// --- objects of this driver ------------------------------------------------------------------------------------------

// The contents of VkTensorDescriptionARM.
struct Description {
  VkFormat format = VK_FORMAT_UNDEFINED;
  tensor::Shape shape;
  std::vector<std::uint64_t> strides;  // bytes
  VkTensorUsageFlagsARM usage = 0;
  bool operator==(const Description&) const = default;

  tensor::ElementType element() const;
  std::uint64_t size() const;  // bytes to the end of the last element
};
Description describe(const VkTensorDescriptionARM& from);

struct Tensor {
  Description description;
  VkBuffer buffer = nullptr;
  std::byte* memory = nullptr;  // set when memory is bound
};

struct TensorView {
  Tensor* tensor = nullptr;
};

// A module with tensors or graphs, which lavapipe would reject.
struct Module {
  spirv::Words words;
};

// A compute pipeline whose shader has tensors.
struct TensorPipeline {
  spirv::Words words;
  std::string entry;
  std::vector<VkSpecializationMapEntry> entries;
  std::vector<std::byte> data;
  VkPipelineLayout layout = nullptr;
  std::map<std::string, VkPipeline> by_shapes;  // pipelines of lavapipe
};

struct GraphPipeline {
  tosa::Graph graph;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Description> tensors;  // by set and binding
};

struct Session {
  GraphPipeline* pipeline = nullptr;
  bool bound = false;
};

// A graph in a command buffer: the host computes it when `begin` is set, and sets `end`.
struct GraphRun {
  const GraphPipeline* pipeline = nullptr;
  std::vector<Tensor*> inputs, outputs;
  VkEvent now = nullptr, begin = nullptr, end = nullptr;  // `now` is always set

  GraphRun() = default;
  GraphRun(const GraphRun&) = delete;
  ~GraphRun();
};

struct Commands {
  std::map<VkPipelineBindPoint, std::map<std::uint32_t, VkDescriptorSet>> sets;
  TensorPipeline* compute = nullptr;
  GraphPipeline* graph = nullptr;
  std::deque<GraphRun> runs;
};

using DescriptorTensors = std::map<std::pair<std::uint32_t, std::uint32_t>, Tensor*>;  // by binding and element

struct State {
  Real real;
  std::recursive_mutex mutex;  // guards all members below
  std::map<VkDeviceMemory, std::byte*> memory;
  std::map<VkDescriptorSet, DescriptorTensors> descriptors;
  std::map<VkShaderModule, std::unique_ptr<Module>> modules;
  std::map<VkPipeline, std::unique_ptr<TensorPipeline>> tensor_pipelines;
  std::map<VkPipeline, std::unique_ptr<GraphPipeline>> graph_pipelines;
  std::map<VkCommandBuffer, Commands> commands;
  VkDevice device = nullptr;  // the last device; tests use one at a time
  std::thread host;           // computes the graphs of the last submission
};
State& state();

// Handles of this driver are pointers.
template <class Handle, class T>
Handle handle_of(T* object) {
  return reinterpret_cast<Handle>(object);
}
template <class T, class Handle>
T* object_of(Handle handle) {
  return reinterpret_cast<T*>(handle);
}

// The first struct of a chain with this type, or null.
template <class T>
T* find_in_chain(const void* chain, VkStructureType type) {
  for (auto* at = static_cast<const VkBaseInStructure*>(chain); at; at = at->pNext) {
    if (at->sType == type) return const_cast<T*>(reinterpret_cast<const T*>(at));
  }
  return nullptr;
}

// Waits until the graphs of all submissions are computed.
void join_host();

// Function pointers of this driver by name; null for functions of lavapipe. One function per file.
PFN_vkVoidFunction find_offer(std::string_view name);
PFN_vkVoidFunction find_tensors(std::string_view name);
PFN_vkVoidFunction find_pipelines(std::string_view name);
PFN_vkVoidFunction find_commands(std::string_view name);

struct Named {
  std::string_view name;
  PFN_vkVoidFunction function;
};
template <std::size_t N>
PFN_vkVoidFunction find_in(const Named (&table)[N], std::string_view name) {
  for (const Named& one : table) {
    if (one.name == name) return one.function;
  }
  return nullptr;
}
#define ARM_DRIVER_FUNCTION(name) \
  Named { "vk" #name, reinterpret_cast<PFN_vkVoidFunction>(name) }

}  // namespace slipway::testing::arm_driver
