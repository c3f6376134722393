// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A Vulkan layer for tests: the n-th call of a function that makes something fails, and objects that are not destroyed
// are counted. It is below the layer that is tested. The test finds the two functions at the end with dlsym.
//
// tests/torture.py and tests/lab.py have the program use it: SLIPWAY_FAULT_AT is the call that fails, and the count of
// calls is written to the file SLIPWAY_FAULT_LOG at the end. Then functions that submit and wait can fail, too. With
// SLIPWAY_FAULT_FUNCTION only the calls of that function count.
#include <volk.h>
#include <vulkan/vk_layer.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace slipway::testing::fault_layer {
namespace {

std::atomic<std::uint64_t> calls = 0, fail_at = 0;
std::mutex mutex;
std::map<std::string, std::int64_t> live;  // by the name of the function that makes an object
std::string failed;

PFN_vkGetInstanceProcAddr next_instance = nullptr;
PFN_vkGetDeviceProcAddr next_device = nullptr;
VkInstance instance_handle = nullptr;
VkDevice device_handle = nullptr;

// Of a program that knows nothing of this layer.
class Environment {
 public:
  Environment() {
    if (const char* at = std::getenv("SLIPWAY_FAULT_AT")) {
      fail_at = std::strtoull(at, nullptr, 10);
      used_ = true;
      if (const char* function = std::getenv("SLIPWAY_FAULT_FUNCTION")) function_ = function;
    }
  }
  ~Environment() {
    const char* log = std::getenv("SLIPWAY_FAULT_LOG");
    std::FILE* file = used_ && log ? std::fopen(log, "w") : nullptr;
    if (!file) return;
    std::fprintf(file, "%llu %s\n", static_cast<unsigned long long>(calls.load()), failed.c_str());
    std::fclose(file);
  }
  bool used() const { return used_; }
  bool counts(std::string_view function) const { return function_.empty() || function == function_; }

 private:
  bool used_ = false;
  std::string function_;
};
const Environment environment;

// Whether this call fails.
bool fails(const char* name) {
  if (!environment.counts(name) || ++calls != fail_at) return false;
  const std::scoped_lock lock(mutex);
  failed = name;
  return true;
}

void count(const char* name, std::int64_t change) {
  const std::scoped_lock lock(mutex);
  live[name] += change;
}

template <class Function>
Function next_of(const char* name) {
  return reinterpret_cast<Function>(next_device(device_handle, name));
}

// Functions that make one object, with the functions that destroy them.
#define FAULT_OBJECTS(X)                                                                                               \
  X(vkCreateBuffer, vkDestroyBuffer, VkBufferCreateInfo, VkBuffer)                                                     \
  X(vkAllocateMemory, vkFreeMemory, VkMemoryAllocateInfo, VkDeviceMemory)                                              \
  X(vkCreateDescriptorSetLayout, vkDestroyDescriptorSetLayout, VkDescriptorSetLayoutCreateInfo, VkDescriptorSetLayout) \
  X(vkCreateDescriptorPool, vkDestroyDescriptorPool, VkDescriptorPoolCreateInfo, VkDescriptorPool)                     \
  X(vkCreatePipelineLayout, vkDestroyPipelineLayout, VkPipelineLayoutCreateInfo, VkPipelineLayout)                     \
  X(vkCreateShaderModule, vkDestroyShaderModule, VkShaderModuleCreateInfo, VkShaderModule)                             \
  X(vkCreatePipelineCache, vkDestroyPipelineCache, VkPipelineCacheCreateInfo, VkPipelineCache)                         \
  X(vkCreateCommandPool, vkDestroyCommandPool, VkCommandPoolCreateInfo, VkCommandPool)

#define FAULT_FUNCTIONS(create, destroy, info_type, handle_type)                                                    \
  VkResult VKAPI_PTR fault_##create(VkDevice device, const info_type* info, const VkAllocationCallbacks* allocator, \
                                    handle_type* made) {                                                            \
    if (fails(#create)) return VK_ERROR_OUT_OF_DEVICE_MEMORY;                                                       \
    const VkResult result = next_of<PFN_##create>(#create)(device, info, allocator, made);                          \
    if (result == VK_SUCCESS) count(#create, 1);                                                                    \
    return result;                                                                                                  \
  }                                                                                                                 \
  void VKAPI_PTR fault_##destroy(VkDevice device, handle_type object, const VkAllocationCallbacks* allocator) {     \
    if (object != VK_NULL_HANDLE) count(#create, -1);                                                               \
    next_of<PFN_##destroy>(#destroy)(device, object, allocator);                                                    \
  }
FAULT_OBJECTS(FAULT_FUNCTIONS)
#undef FAULT_FUNCTIONS

VkResult VKAPI_PTR create_compute_pipelines(VkDevice device, VkPipelineCache cache, std::uint32_t number,
                                            const VkComputePipelineCreateInfo* infos,
                                            const VkAllocationCallbacks* allocator, VkPipeline* made) {
  std::fill_n(made, number, VkPipeline{VK_NULL_HANDLE});
  if (fails("vkCreateComputePipelines")) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  const VkResult result =
      next_of<PFN_vkCreateComputePipelines>("vkCreateComputePipelines")(device, cache, number, infos, allocator, made);
  for (std::uint32_t i = 0; i < number; ++i) count("vkCreateComputePipelines", made[i] != VK_NULL_HANDLE ? 1 : 0);
  return result;
}
void VKAPI_PTR destroy_pipeline(VkDevice device, VkPipeline pipeline, const VkAllocationCallbacks* allocator) {
  if (pipeline != VK_NULL_HANDLE) count("vkCreateComputePipelines", -1);
  next_of<PFN_vkDestroyPipeline>("vkDestroyPipeline")(device, pipeline, allocator);
}

// Functions that only may fail.
VkResult VKAPI_PTR bind_buffer_memory2(VkDevice device, std::uint32_t number, const VkBindBufferMemoryInfo* infos) {
  if (fails("vkBindBufferMemory2")) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  return next_of<PFN_vkBindBufferMemory2>("vkBindBufferMemory2")(device, number, infos);
}
VkResult VKAPI_PTR map_memory(VkDevice device, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size,
                              VkMemoryMapFlags flags, void** data) {
  if (fails("vkMapMemory")) return VK_ERROR_MEMORY_MAP_FAILED;
  return next_of<PFN_vkMapMemory>("vkMapMemory")(device, memory, offset, size, flags, data);
}
VkResult VKAPI_PTR allocate_descriptor_sets(VkDevice device, const VkDescriptorSetAllocateInfo* info,
                                            VkDescriptorSet* made) {
  if (fails("vkAllocateDescriptorSets")) return VK_ERROR_OUT_OF_POOL_MEMORY;
  return next_of<PFN_vkAllocateDescriptorSets>("vkAllocateDescriptorSets")(device, info, made);
}
VkResult VKAPI_PTR allocate_command_buffers(VkDevice device, const VkCommandBufferAllocateInfo* info,
                                            VkCommandBuffer* made) {
  if (fails("vkAllocateCommandBuffers")) return VK_ERROR_OUT_OF_HOST_MEMORY;
  return next_of<PFN_vkAllocateCommandBuffers>("vkAllocateCommandBuffers")(device, info, made);
}
VkResult VKAPI_PTR begin_command_buffer(VkCommandBuffer commands, const VkCommandBufferBeginInfo* info) {
  if (fails("vkBeginCommandBuffer")) return VK_ERROR_OUT_OF_HOST_MEMORY;
  return next_of<PFN_vkBeginCommandBuffer>("vkBeginCommandBuffer")(commands, info);
}

// Functions that fail only when the environment asks for it: after them the device is lost.
bool loses_device(const char* name) { return environment.used() && fails(name); }

VkResult VKAPI_PTR queue_submit2(VkQueue queue, std::uint32_t number, const VkSubmitInfo2* infos, VkFence fence) {
  if (loses_device("vkQueueSubmit2")) return VK_ERROR_DEVICE_LOST;
  return next_of<PFN_vkQueueSubmit2>("vkQueueSubmit2")(queue, number, infos, fence);
}
VkResult VKAPI_PTR wait_for_fences(VkDevice device, std::uint32_t number, const VkFence* fences, VkBool32 all,
                                   std::uint64_t timeout) {
  if (loses_device("vkWaitForFences")) return VK_ERROR_DEVICE_LOST;
  return next_of<PFN_vkWaitForFences>("vkWaitForFences")(device, number, fences, all, timeout);
}
VkResult VKAPI_PTR wait_semaphores(VkDevice device, const VkSemaphoreWaitInfo* info, std::uint64_t timeout) {
  if (loses_device("vkWaitSemaphores")) return VK_ERROR_DEVICE_LOST;
  return next_of<PFN_vkWaitSemaphores>("vkWaitSemaphores")(device, info, timeout);
}
VkResult VKAPI_PTR end_command_buffer(VkCommandBuffer commands) {
  if (loses_device("vkEndCommandBuffer")) return VK_ERROR_OUT_OF_HOST_MEMORY;
  return next_of<PFN_vkEndCommandBuffer>("vkEndCommandBuffer")(commands);
}

// Functions that are counted: what a graph is recorded with.
std::atomic<std::uint64_t> commands = 0;
#define COUNTED_COMMANDS(X) \
  X(vkCmdBindPipeline)      \
  X(vkCmdPushConstants)     \
  X(vkCmdPipelineBarrier)   \
  X(vkCmdCopyBuffer)        \
  X(vkCmdDispatch)          \
  X(vkCmdExecuteCommands)

template <class Function>
struct Counted;
template <class... Arguments>
struct Counted<void(VKAPI_PTR*)(VkCommandBuffer, Arguments...)> {
  template <std::size_t Name>
  static void VKAPI_PTR call(VkCommandBuffer into, Arguments... arguments);
};
constexpr const char* kCounted[] = {
#define COUNTED_NAME(name) #name,
    COUNTED_COMMANDS(COUNTED_NAME)
#undef COUNTED_NAME
};
template <class... Arguments>
template <std::size_t Name>
void VKAPI_PTR Counted<void(VKAPI_PTR*)(VkCommandBuffer, Arguments...)>::call(VkCommandBuffer into,
                                                                              Arguments... arguments) {
  ++commands;
  next_of<void(VKAPI_PTR*)(VkCommandBuffer, Arguments...)>(kCounted[Name])(into, arguments...);
}
constexpr std::size_t index_of(std::string_view name) {
  std::size_t i = 0;
  while (kCounted[i] != name) ++i;
  return i;
}

// --- the chain -------------------------------------------------------------------------------------------------------

template <class Link, class Info>
Link* link_of(const Info* info, VkStructureType type) {
  for (auto* at = static_cast<const Link*>(info->pNext); at != nullptr; at = static_cast<const Link*>(at->pNext)) {
    if (at->sType == type && at->function == VK_LAYER_LINK_INFO) return const_cast<Link*>(at);
  }
  return nullptr;
}

VkResult VKAPI_PTR create_instance(const VkInstanceCreateInfo* info, const VkAllocationCallbacks* allocator,
                                   VkInstance* made) {
  auto* link = link_of<VkLayerInstanceCreateInfo>(info, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO);
  next_instance = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  const VkResult result =
      reinterpret_cast<PFN_vkCreateInstance>(next_instance(nullptr, "vkCreateInstance"))(info, allocator, made);
  instance_handle = *made;
  return result;
}

VkResult VKAPI_PTR create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo* info,
                                 const VkAllocationCallbacks* allocator, VkDevice* made) {
  auto* link = link_of<VkLayerDeviceCreateInfo>(info, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO);
  const auto instance = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
  next_device = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  if (fails("vkCreateDevice")) return VK_ERROR_OUT_OF_HOST_MEMORY;
  const VkResult result = reinterpret_cast<PFN_vkCreateDevice>(instance(instance_handle, "vkCreateDevice"))(
      physical, info, allocator, made);
  if (result == VK_SUCCESS) device_handle = *made;
  return result;
}

struct Named {
  std::string_view name;
  PFN_vkVoidFunction function;
};

PFN_vkVoidFunction find(std::string_view name) {
#define FAULT_NAMES(create, destroy, info_type, handle_type)            \
  Named{#create, reinterpret_cast<PFN_vkVoidFunction>(fault_##create)}, \
      Named{#destroy, reinterpret_cast<PFN_vkVoidFunction>(fault_##destroy)},
  static const Named table[] = {
      FAULT_OBJECTS(FAULT_NAMES){"vkCreateComputePipelines",
                                 reinterpret_cast<PFN_vkVoidFunction>(create_compute_pipelines)},
      {"vkDestroyPipeline", reinterpret_cast<PFN_vkVoidFunction>(destroy_pipeline)},
      {"vkBindBufferMemory2", reinterpret_cast<PFN_vkVoidFunction>(bind_buffer_memory2)},
      {"vkMapMemory", reinterpret_cast<PFN_vkVoidFunction>(map_memory)},
      {"vkAllocateDescriptorSets", reinterpret_cast<PFN_vkVoidFunction>(allocate_descriptor_sets)},
      {"vkAllocateCommandBuffers", reinterpret_cast<PFN_vkVoidFunction>(allocate_command_buffers)},
      {"vkBeginCommandBuffer", reinterpret_cast<PFN_vkVoidFunction>(begin_command_buffer)},
      {"vkQueueSubmit2", reinterpret_cast<PFN_vkVoidFunction>(queue_submit2)},
      {"vkWaitForFences", reinterpret_cast<PFN_vkVoidFunction>(wait_for_fences)},
      {"vkWaitSemaphores", reinterpret_cast<PFN_vkVoidFunction>(wait_semaphores)},
      {"vkEndCommandBuffer", reinterpret_cast<PFN_vkVoidFunction>(end_command_buffer)},
#define COUNTED_FUNCTION(name) \
  {#name, reinterpret_cast<PFN_vkVoidFunction>(Counted<PFN_##name>::call<index_of(#name)>)},
      COUNTED_COMMANDS(COUNTED_FUNCTION)
#undef COUNTED_FUNCTION
  };
#undef FAULT_NAMES
  for (const Named& one : table) {
    if (one.name == name) return one.function;
  }
  return nullptr;
}

PFN_vkVoidFunction VKAPI_PTR get_device_proc_addr(VkDevice device, const char* name);

PFN_vkVoidFunction VKAPI_PTR get_instance_proc_addr(VkInstance instance, const char* name) {
  const std::string_view wanted(name);
  if (wanted == "vkGetInstanceProcAddr") return reinterpret_cast<PFN_vkVoidFunction>(get_instance_proc_addr);
  if (wanted == "vkGetDeviceProcAddr") return reinterpret_cast<PFN_vkVoidFunction>(get_device_proc_addr);
  if (wanted == "vkCreateInstance") return reinterpret_cast<PFN_vkVoidFunction>(create_instance);
  if (wanted == "vkCreateDevice") return reinterpret_cast<PFN_vkVoidFunction>(create_device);
  if (const PFN_vkVoidFunction function = find(wanted)) return function;
  return next_instance != nullptr ? next_instance(instance, name) : nullptr;
}

PFN_vkVoidFunction VKAPI_PTR get_device_proc_addr(VkDevice device, const char* name) {
  if (std::string_view(name) == "vkGetDeviceProcAddr")
    return reinterpret_cast<PFN_vkVoidFunction>(get_device_proc_addr);
  if (const PFN_vkVoidFunction function = find(name)) return function;
  return next_device(device, name);
}

}  // namespace
}  // namespace slipway::testing::fault_layer

extern "C" __attribute__((visibility("default"))) VkResult
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface* version) {
  namespace layer = slipway::testing::fault_layer;
  version->loaderLayerInterfaceVersion = 2;
  version->pfnGetInstanceProcAddr = layer::get_instance_proc_addr;
  version->pfnGetDeviceProcAddr = layer::get_device_proc_addr;
  version->pfnGetPhysicalDeviceProcAddr = nullptr;
  return VK_SUCCESS;
}

// Starts to count again; the n-th call from here fails (0: none).
extern "C" __attribute__((visibility("default"))) void fault_layer_fail_at(std::uint64_t n) {
  namespace layer = slipway::testing::fault_layer;
  const std::scoped_lock lock(layer::mutex);
  layer::calls = 0;
  layer::fail_at = n;
  layer::live.clear();
  layer::failed.clear();
}

// What failed, and which objects were not destroyed: "vkCreateBuffer; 1 of vkAllocateMemory".
extern "C" __attribute__((visibility("default"))) void fault_layer_state(char* failed, char* leaks, std::size_t size) {
  namespace layer = slipway::testing::fault_layer;
  const std::scoped_lock lock(layer::mutex);
  std::string text;
  for (const auto& [name, number] : layer::live) {
    if (number != 0) text += std::to_string(number) + " of " + name + "; ";
  }
  std::strncpy(failed, layer::failed.c_str(), size - 1);
  std::strncpy(leaks, text.c_str(), size - 1);
  failed[size - 1] = leaks[size - 1] = 0;
}

// How many calls of functions with which graphs are recorded there were since the last call of this function.
extern "C" __attribute__((visibility("default"))) std::uint64_t fault_layer_commands() {
  return slipway::testing::fault_layer::commands.exchange(0);
}
