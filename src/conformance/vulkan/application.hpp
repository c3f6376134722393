// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that uses the extensions for tensors and graphs through Vulkan alone, as those of others do: what it needs
// for small cases. Functions of Vulkan that fail throw std::runtime_error; rows of a conformance run and tests catch
// it.
#pragma once

#include <volk.h>

#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "spirv/module.hpp"
#include "tosa/graph.hpp"

namespace slipway::conformance {

#define MUST(call) ::slipway::conformance::must((call), #call)
void must(VkResult result, const char* call);

// Thrown where the device does not have what a case needs.
struct Lacking : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A tensor with its memory, mapped, and a view.
struct AppTensor {
  VkFormat format = VK_FORMAT_UNDEFINED;
  std::vector<std::int64_t> shape, strides;  // strides: empty without gaps
  VkTensorARM tensor = VK_NULL_HANDLE;
  VkTensorViewARM view = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  std::byte* mapped = nullptr;
};

// A constant of a graph, without gaps.
struct AppConstant {
  std::uint32_t id = 0;
  VkFormat format = VK_FORMAT_UNDEFINED;
  std::vector<std::int64_t> shape;
  const void* data = nullptr;
};

struct AppGraph {
  VkShaderModule module = VK_NULL_HANDLE;
  VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkPipeline pipeline = VK_NULL_HANDLE;
  VkDataGraphPipelineSessionARM session = VK_NULL_HANDLE;
  VkDeviceMemory session_memory = VK_NULL_HANDLE;
};

class Application {
 public:
  Application() = default;
  Application(const Application&) = delete;
  ~Application() { stop(); }

  // The instance and the device, created on first use; destroyed with all objects.
  void start();
  void stop();
  VkDevice device() { return start(), device_; }
  const VolkDeviceTable& vk() { return start(), vk_; }
  const VolkInstanceTable& instance_functions() { return start(), instance_functions_; }
  VkPhysicalDevice physical() { return start(), physical_; }

  AppTensor tensor(VkFormat format, std::vector<std::int64_t> shape, std::vector<std::int64_t> strides = {},
                   VkTensorUsageFlagsARM usage = VK_TENSOR_USAGE_SHADER_BIT_ARM | VK_TENSOR_USAGE_DATA_GRAPH_BIT_ARM |
                                                 VK_TENSOR_USAGE_TRANSFER_SRC_BIT_ARM |
                                                 VK_TENSOR_USAGE_TRANSFER_DST_BIT_ARM);
  VkDeviceMemory memory(const VkMemoryRequirements& needs, std::byte** mapped = nullptr);
  VkShaderModule module(const spirv::Words& words);
  // Bindings 0 to count - 1 of set 0 are tensors.
  VkDescriptorSetLayout tensor_layout(std::uint32_t count, VkDescriptorSetLayoutCreateFlags flags = 0);
  VkPipelineLayout pipeline_layout(VkDescriptorSetLayout set, std::uint32_t push_constants = 0);
  // For one set.
  VkDescriptorPool descriptor_pool(const std::vector<VkDescriptorPoolSize>& sizes,
                                   VkDescriptorPoolCreateFlags flags = 0);
  VkDescriptorSet allocate_set(VkDescriptorPool pool, VkDescriptorSetLayout layout);
  VkDescriptorSet descriptor_set(VkDescriptorSetLayout layout, const std::vector<const AppTensor*>& tensors);
  void write(VkDescriptorSet set, std::uint32_t binding, const AppTensor& tensor);
  VkPipelineShaderStageCreateInfo stage(VkShaderStageFlagBits stage, const spirv::Words& words);
  VkPipeline compute_pipeline(const spirv::Words& words, VkPipelineLayout layout);
  // A pipeline of a graph whose inputs and outputs are at bindings 0, 1, ... of set 0, and a session with memory.
  AppGraph graph(const spirv::Words& words, const std::string& entry, const std::vector<const AppTensor*>& tensors,
                 const std::vector<AppConstant>& constants = {}, VkPipelineCache cache = VK_NULL_HANDLE);
  VkResult create_graph(const spirv::Words& words, const std::string& entry,
                        const std::vector<const AppTensor*>& tensors, const std::vector<AppConstant>& constants,
                        VkPipelineCache cache, VkPipelineLayout layout, VkPipeline& made, const void* more = nullptr);
  VkDataGraphPipelineSessionARM session(VkPipeline pipeline, VkDeviceMemory* memory);

  VkCommandBuffer command_buffer(VkCommandBufferLevel level = VK_COMMAND_BUFFER_LEVEL_PRIMARY);
  void begin(VkCommandBuffer commands, VkCommandBufferUsageFlags flags = 0);
  // Submits and waits.
  void submit(const std::vector<VkCommandBuffer>& commands);
  void run(const std::function<void(VkCommandBuffer)>& record);
  void dispatch(VkCommandBuffer commands, const AppGraph& graph, VkDescriptorSet set);
  // From everything to everything, by the stages and accesses of the extension, too.
  void full_barrier(VkCommandBuffer commands);
  // Of a color image with one level and one layer.
  void change_layout(VkCommandBuffer commands, VkImage image, VkImageLayout from, VkImageLayout to);
  VkQueue queue() { return start(), queue_; }
  std::uint32_t family() { return start(), family_; }

  void at_end(std::function<void()> destroy) { destroy_.push_back(std::move(destroy)); }
  std::vector<std::string> take_messages() { return std::exchange(messages_, {}); }

  bool has_extension(std::string_view name);
  // Starts again with an extension and its features. Throws Lacking.
  void restart_with(const char* extension, VkBaseOutStructure* features = nullptr);

  // What `start` does.
  std::size_t device_index_ = 0;               // in the order of the loader
  bool validation_ = true;                     // enables the validation layer
  bool tensors_ = true;                        // enables VK_ARM_tensors
  bool graphs_ = true;                         // and VK_ARM_data_graph
  bool implied_ = false;                       // leaves the features of both to their extensions
  bool addresses_ = false;                     // enables addresses of buffers for the application itself
  std::vector<const char*> extensions_;        // more extensions
  std::vector<VkBaseOutStructure*> features_;  // structures of features; what the device has of them is enabled

 private:
  void create_instance();
  void create_device();
  void find_family();
  void create_pools();

  std::vector<std::string> messages_;
  std::vector<std::function<void()>> destroy_;
  VkInstance instance_ = nullptr;
  VolkInstanceTable instance_functions_{};
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
  VkPhysicalDevice physical_ = nullptr;
  VkDevice device_ = nullptr;
  VolkDeviceTable vk_{};
  std::uint32_t family_ = 0;
  VkQueue queue_ = nullptr;
  VkCommandPool command_pool_ = VK_NULL_HANDLE;
  VkDescriptorPool descriptor_pool_ = VK_NULL_HANDLE;
};

// Dispatches one workgroup, and waits for it.
void run_one_group(Application& app, VkPipeline pipeline, VkPipelineLayout layout, VkDescriptorSet set);
// Copies a whole tensor.
void copy_tensor(Application& app, VkCommandBuffer commands, const AppTensor& from, const AppTensor& to);

// Calls `visit(index, bytes)` for each element, in row-major order.
void for_each_element(const AppTensor& tensor, std::size_t size,
                      const std::function<void(std::size_t, std::byte*)>& visit);

template <class T>
void fill(const AppTensor& tensor, const std::vector<T>& values) {
  for_each_element(tensor, sizeof(T), [&](std::size_t i, std::byte* at) { std::memcpy(at, &values.at(i), sizeof(T)); });
}
template <class T>
std::vector<T> contents(const AppTensor& tensor) {
  std::vector<T> values;
  for_each_element(tensor, sizeof(T), [&](std::size_t, std::byte* at) {
    values.emplace_back();
    std::memcpy(&values.back(), at, sizeof(T));
  });
  return values;
}

// The module of a graph from the lines of its text.
spirv::Words graph_module(const std::string& lines);
// A compute shader in GLSL, with the extensions of tensors enabled.
spirv::Words compute_module(std::string_view code);

}  // namespace slipway::conformance
