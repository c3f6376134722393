// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A device with the layer's extensions: its objects, and what it knows about those of the driver.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "base/system/cache.hpp"
#include "layer/dispatch.hpp"
#include "layer/graphs/record_pool.hpp"
#include "layer/handle_map.hpp"
#include "lower/options.hpp"
#include "spirv/module.hpp"

namespace slipway::layer {

class Aliases;
class Recorder;
struct SetLayout;
struct SetContents;
struct PoolSets;
struct UpdateTemplate;
struct GraphModule;
class GraphPipeline;
struct CommandState;
struct CommandPool;
struct IdentifiedGraphs;
struct CapturedShader;
struct KnownPipelineLayout;

class LayerDevice {
 public:
  LayerDevice();
  LayerDevice(const LayerDevice&) = delete;
  ~LayerDevice();

  // Whether a function of devices with tensors need be the layer's.
  bool intercepts(std::string_view name) const;
  // Whether the device has a function of this layer.
  bool has_function(std::string_view name) const;
  // Frees what the layer has made in the driver.
  void release();

  VkDevice handle = nullptr;
  LayerInstance* instance = nullptr;
  const LayerPhysicalDevice* physical = nullptr;
  PFN_vkGetDeviceProcAddr next_proc_addr = nullptr;
  DeviceTable next;
  StateTable next_state;
  bool flow = false;                                    // optical flow, too
  PFN_vkSetDeviceLoaderData set_loader_data = nullptr;  // for dispatchable objects of the layer
  bool tensors = false, graphs = false;                 // enabled by the application, and computed by the layer
  bool nested = false;                                  // secondary command buffers may execute others
  // Features that the application did not enable, though it enabled their extension.
  bool implied_tensors = false, implied_graphs = false, implied_flow = false;

  lower::LowerOptions lower;
  Cache cache;
  // The application has asked for a function that sets state and that the layer does not know.
  mutable std::atomic<bool> unknown_state = false;
  VkPipelineLayout kernel_layout = VK_NULL_HANDLE;  // push constants alone
  RecordPool records;

  HandleMap<VkDescriptorSetLayout, SetLayout> set_layouts;  // those with tensors
  HandleMap<VkDescriptorSet, SetContents> sets;             // of these layouts
  HandleMap<VkDescriptorPool, PoolSets> pools;
  HandleMap<VkPipelineLayout, KnownPipelineLayout>
      pipeline_layouts;  // with tensors that are updated after they are bound
  HandleMap<VkDescriptorUpdateTemplate, UpdateTemplate> templates;       // of the layer: those with tensors
  HandleMap<VkDescriptorUpdateTemplate, UpdateTemplate> push_templates;  // of the driver, for pushed descriptors
  HandleMap<VkShaderModule, GraphModule> graph_modules;
  HandleMap<VkShaderModule, CapturedShader> captured_modules;
  HandleMap<VkPipeline, CapturedShader> captured_pipelines;  // compute
  HandleMap<VkPipeline, GraphPipeline> graph_pipelines;
  HandleMap<VkPipelineCache, IdentifiedGraphs> identified;
  HandleMap<VkCommandBuffer, CommandState> commands;
  HandleMap<VkCommandPool, CommandPool> command_pools;

  std::vector<std::uint32_t> queue_families;  // of the device's queues, each once
  std::unique_ptr<Aliases> aliases;
  std::unique_ptr<Recorder> recorder;  // null unless dispatches are recorded

  // Forgets the private data of an object of the layer that is destroyed: a later object may have its handle.
  void forget_private_data(std::uint64_t object);
  // Private data of the layer's own objects.
  std::mutex private_mutex;
  std::map<std::pair<VkPrivateDataSlot, std::uint64_t>, std::uint64_t> private_data;
};

// Whether an application may use a feature: one that its extension alone implies is allowed and reported as repaired,
// unless the layer is strict (Settings::validate).
bool allows(const LayerDevice& device, bool implied, std::string_view feature);

// Reports a handle or pointer of a call that is null where it must not be. The result for the application.
VkResult refuse_null(const LayerDevice& device, std::string_view function, std::string_view what);

// The index of a memory type that has all of `required` and, if possible, all of `preferred`; -1 without one.
std::int32_t find_memory_type(const LayerDevice& device, std::uint32_t allowed, VkMemoryPropertyFlags required,
                              VkMemoryPropertyFlags preferred);

// A compute pipeline of the layer itself; its entry point is `main`.
VkResult create_kernel(const LayerDevice& device, std::span<const std::uint32_t> words, VkPipelineLayout layout,
                       VkPipelineCache cache, VkPipelineCreateFlags flags, VkPipeline& made,
                       const VkSpecializationInfo* constants = nullptr);

// Memory of the layer that the host writes: mapped, coherent, on the device if possible, with an address.
struct HostBuffer {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  std::byte* mapped = nullptr;
  VkDeviceAddress address = 0;
};
VkResult create_host_buffer(const LayerDevice& device, std::uint64_t size, VkBufferUsageFlags usage, HostBuffer& made);
void destroy_host_buffer(const LayerDevice& device, HostBuffer& buffer);

// Binds memory of the application to a buffer, and asks for the buffer's address.
VkResult bind_buffer(const LayerDevice& device, VkBuffer buffer, VkDeviceMemory memory, VkDeviceSize offset,
                     VkDeviceAddress& address);

// Objects of the layer are allocated with the application's callbacks.
template <class T, class... Arguments>
T* create_object(const VkAllocationCallbacks* allocator, Arguments&&... arguments) {
  void* memory = allocator != nullptr ? allocator->pfnAllocation(allocator->pUserData, sizeof(T), alignof(T),
                                                                 VK_SYSTEM_ALLOCATION_SCOPE_OBJECT)
                                      : ::operator new(sizeof(T), std::nothrow);
  return memory == nullptr ? nullptr : new (memory) T(std::forward<Arguments>(arguments)...);
}
template <class T>
void destroy_object(const VkAllocationCallbacks* allocator, T* object) {
  if (object == nullptr) return;
  object->~T();
  if (allocator != nullptr)
    allocator->pfnFree(allocator->pUserData, object);
  else
    ::operator delete(object);
}

template <class Handle, class T>
Handle handle_of(T* object) {
  return reinterpret_cast<Handle>(object);
}
template <class T, class Handle>
T* object_of(Handle handle) {
  return reinterpret_cast<T*>(handle);
}

}  // namespace slipway::layer
