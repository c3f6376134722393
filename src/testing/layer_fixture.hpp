// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For tests: an application that uses the layer through Vulkan alone.
#pragma once

#include <volk.h>

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "spirv/module.hpp"
#include "testing/layer.hpp"
#include "tosa/graph.hpp"

namespace slipway::testing {

#define MUST(call) must((call), #call)
inline void must(VkResult result, const char* call) {
  if (result != VK_SUCCESS) throw std::runtime_error(std::string(call) + " returned " + std::to_string(result));
}

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

// What a graphics pipeline draws, and how: triangles without vertex buffers into one colour attachment. Tests change
// what they need.
struct AppDrawing {
  std::vector<VkPipelineShaderStageCreateInfo> stages;
  VkRenderPass pass = VK_NULL_HANDLE;  // null: dynamic rendering into attachments of `format`
  VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
  std::vector<VkVertexInputBindingDescription> bindings;
  std::vector<VkVertexInputAttributeDescription> attributes;
  VkPrimitiveTopology topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  std::vector<VkViewport> viewports;  // empty: dynamic
  std::vector<VkRect2D> scissors;
  bool rasterizes = true;  // false: it has no attachments either
  VkPipelineColorBlendAttachmentState blend{.colorWriteMask = VK_COLOR_COMPONENT_R_BIT | VK_COLOR_COMPONENT_G_BIT |
                                                              VK_COLOR_COMPONENT_B_BIT | VK_COLOR_COMPONENT_A_BIT};
  std::vector<VkDynamicState> dynamic;
};

class LayerApp {
 public:
  LayerApp() = default;
  LayerApp(const LayerApp&) = delete;
  ~LayerApp() { stop(); }

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
  VkPipeline graphics_pipeline(const AppDrawing& drawing, VkPipelineLayout layout);
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

  // What `start` does.
  bool validation_ = true;                     // enables the validation layer
  bool tensors_ = true;                        // enables the extensions of the layer
  bool implied_ = false;                       // leaves the features of the layer to their extensions
  bool addresses_ = false;                     // enables addresses of buffers for the application itself
  std::vector<const char*> extensions_;        // more extensions
  std::vector<VkBaseOutStructure*> features_;  // structures of features; what the device has of them is enabled

 private:
  static VkBool32 VKAPI_PTR on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                       VkDebugUtilsMessageTypeFlagsEXT types,
                                       const VkDebugUtilsMessengerCallbackDataEXT* data, void* app);
  void create_instance();
  static void keep_libraries(const VkInstanceCreateInfo& create);
  void create_device();

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

// A test with an application. Messages of the validation layer, and of the layer, fail it.
class LayerTest : public ::testing::Test, protected LayerApp {
 protected:
  explicit LayerTest(Validation validation = Validation::AboveLayer) : layer_(validation) {}
  void SetUp() override;
  void TearDown() override;

 private:
  UseLayer layer_;
};

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

// A verified graph from the lines of its text, and its module.
tosa::Graph graph_of(const std::string& lines);
spirv::Words graph_module(const std::string& lines);
// The lines of a chain of `count` matrix products of its input, `size` by `size`, each with itself: they do not fuse.
std::string matrix_products(int count, int size);

}  // namespace slipway::testing
