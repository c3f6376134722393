// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "conformance/vulkan/application.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/print_diagnostic.hpp"
#include "shader/compile.hpp"
#include "tosa/check/verify.hpp"
#include "tosa/text.hpp"
#include "tosa/write/write_spirv.hpp"

namespace slipway::conformance {

namespace {

VkBool32 VKAPI_PTR on_message(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                              const VkDebugUtilsMessengerCallbackDataEXT* data, void* messages) {
  const std::string_view id = data->pMessageIdName != nullptr ? data->pMessageIdName : "";
  // The loader says that a variable adds layers.
  if (id != "Loader Message")
    static_cast<std::vector<std::string>*>(messages)->push_back(formatted("{}: {}", id, data->pMessage));
  return VK_FALSE;
}

// The first instance stays until the process ends, so that the loader does not unload the driver and the layers between
// tests: the number of times that a library with thread-local variables can be loaded is limited.
void keep_libraries(const VkInstanceCreateInfo& create) {
  static VkInstance kept = nullptr;
  if (kept != nullptr) return;
  VkInstanceCreateInfo without_messenger = create;
  without_messenger.pNext = nullptr;
  MUST(vkCreateInstance(&without_messenger, nullptr, &kept));
}

// The features that are enabled, of what the device has.
struct ChainedFeatures {
  VkPhysicalDeviceDataGraphFeaturesARM graphs{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DATA_GRAPH_FEATURES_ARM};
  VkPhysicalDeviceTensorFeaturesARM tensors{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TENSOR_FEATURES_ARM};
  VkPhysicalDeviceMaintenance5Features maintenance5{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES};
  VkPhysicalDeviceVulkan13Features vulkan13{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
  VkPhysicalDeviceVulkan12Features vulkan12{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
  VkPhysicalDeviceFeatures2 all{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};

  void add(void* structure) {
    auto* const one = static_cast<VkBaseOutStructure*>(structure);
    one->pNext = static_cast<VkBaseOutStructure*>(all.pNext);
    all.pNext = one;
  }
};

}  // namespace

void must(VkResult result, const char* call) {
  if (result != VK_SUCCESS) throw std::runtime_error(formatted("{} returned {}", call, static_cast<int>(result)));
}

void Application::stop() {
  if (device_ != nullptr) {
    vk_.vkDeviceWaitIdle(device_);
    while (!destroy_.empty()) {
      destroy_.back()();
      destroy_.pop_back();
    }
    vk_.vkDestroyDevice(std::exchange(device_, nullptr), nullptr);
  }
  if (messenger_ != VK_NULL_HANDLE)
    instance_functions_.vkDestroyDebugUtilsMessengerEXT(instance_, std::exchange(messenger_, VK_NULL_HANDLE), nullptr);
  if (instance_ != nullptr) instance_functions_.vkDestroyInstance(std::exchange(instance_, nullptr), nullptr);
  physical_ = nullptr;
  family_ = 0;
}

void Application::start() {
  if (device_ != nullptr) return;
  if (instance_ != nullptr) stop();  // after a failure
  create_instance();
  create_device();
}

void Application::create_instance() {
  MUST(volkInitialize());
  const char* layers[] = {"VK_LAYER_KHRONOS_validation"};
  const char* extensions[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
  const VkBool32 on = VK_TRUE;
  const VkLayerSettingEXT sync{layers[0], "validate_sync", VK_LAYER_SETTING_TYPE_BOOL32_EXT, 1, &on};
  const VkLayerSettingsCreateInfoEXT settings{VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT, nullptr, 1, &sync};
  const VkDebugUtilsMessengerCreateInfoEXT messages{
      .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
      .pNext = &settings,
      .messageSeverity =
          VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
      .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
      .pfnUserCallback = on_message,
      .pUserData = &messages_};
  const VkApplicationInfo application{.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3};
  const VkInstanceCreateInfo create{.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                    .pNext = &messages,
                                    .pApplicationInfo = &application,
                                    .enabledLayerCount = validation_ ? 1u : 0u,
                                    .ppEnabledLayerNames = layers,
                                    .enabledExtensionCount = 1,
                                    .ppEnabledExtensionNames = extensions};
  keep_libraries(create);
  MUST(vkCreateInstance(&create, nullptr, &instance_));
  volkLoadInstanceTable(&instance_functions_, instance_);
  VkDebugUtilsMessengerCreateInfoEXT own = messages;
  own.pNext = nullptr;
  MUST(instance_functions_.vkCreateDebugUtilsMessengerEXT(instance_, &own, nullptr, &messenger_));
  auto count = static_cast<std::uint32_t>(device_index_ + 1);
  std::vector<VkPhysicalDevice> devices(count);
  static_cast<void>(instance_functions_.vkEnumeratePhysicalDevices(instance_, &count, devices.data()));
  if (count <= device_index_) throw std::runtime_error("no Vulkan device");
  physical_ = devices[device_index_];
}

void Application::find_family() {
  if (tensors_ && !has_extension(VK_ARM_TENSORS_EXTENSION_NAME)) throw Lacking("the device lacks VK_ARM_tensors");
  if (graphs_ && !has_extension(VK_ARM_DATA_GRAPH_EXTENSION_NAME)) throw Lacking("the device lacks VK_ARM_data_graph");
  const VkQueueFlags wanted = graphs_ ? VK_QUEUE_DATA_GRAPH_BIT_ARM : VK_QUEUE_COMPUTE_BIT;
  std::uint32_t families = 0;
  instance_functions_.vkGetPhysicalDeviceQueueFamilyProperties(physical_, &families, nullptr);
  std::vector<VkQueueFamilyProperties> properties(families);
  instance_functions_.vkGetPhysicalDeviceQueueFamilyProperties(physical_, &families, properties.data());
  const auto family = std::ranges::find_if(
      properties, [wanted](const VkQueueFamilyProperties& one) { return (one.queueFlags & wanted) != 0; });
  if (family == properties.end()) throw Lacking("the device lacks a queue family with data graphs");
  family_ = static_cast<std::uint32_t>(family - properties.begin());
}

void Application::create_device() {
  find_family();
  ChainedFeatures features;
  const bool names_tensors = tensors_ && !implied_, names_graphs = graphs_ && !implied_;
  if (names_graphs) features.add(&features.graphs);
  if (names_tensors) features.add(&features.tensors);
  if (tensors_ || graphs_) features.add(&features.maintenance5);
  features.add(&features.vulkan13);
  features.add(&features.vulkan12);
  for (VkBaseOutStructure* one : features_) features.add(one);
  instance_functions_.vkGetPhysicalDeviceFeatures2(physical_, &features.all);
  if (names_tensors && (features.tensors.tensors == VK_FALSE || features.tensors.shaderTensorAccess == VK_FALSE))
    throw Lacking("the device lacks tensors in shaders (shaderTensorAccess)");
  if (names_graphs && features.graphs.dataGraph == VK_FALSE) throw Lacking("the device lacks data graphs (dataGraph)");
  // What applications seldom enable: a layer switches on what it needs itself.
  features.vulkan12.storageBuffer8BitAccess = VK_FALSE;
  if (!addresses_) features.vulkan12.bufferDeviceAddress = VK_FALSE;
  features.all.features.shaderInt64 = features.all.features.robustBufferAccess = VK_FALSE;
  for (VkBaseOutStructure* one : features_) {
    if (one->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT)
      reinterpret_cast<VkPhysicalDeviceRobustness2FeaturesEXT*>(one)->robustBufferAccess2 = VK_FALSE;
    // They need other extensions.
    if (one->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT) {
      auto* const mesh = reinterpret_cast<VkPhysicalDeviceMeshShaderFeaturesEXT*>(one);
      mesh->multiviewMeshShader = mesh->primitiveFragmentShadingRateMeshShader = VK_FALSE;
    }
  }
  const float priority = 1;
  const VkDeviceQueueCreateInfo queue{.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                      .queueFamilyIndex = family_,
                                      .queueCount = 1,
                                      .pQueuePriorities = &priority};
  std::vector<const char*> extensions;
  if (tensors_ || graphs_) extensions = extensions_;
  if (tensors_) extensions.push_back(VK_ARM_TENSORS_EXTENSION_NAME);
  if (graphs_)
    extensions.insert(extensions.end(),
                      {VK_ARM_DATA_GRAPH_EXTENSION_NAME, VK_KHR_DEFERRED_HOST_OPERATIONS_EXTENSION_NAME});
  if (tensors_ || graphs_)
    extensions.insert(extensions.end(), {VK_KHR_MAINTENANCE_5_EXTENSION_NAME, VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME});
  const VkDeviceCreateInfo create{.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                  .pNext = &features.all,
                                  .queueCreateInfoCount = 1,
                                  .pQueueCreateInfos = &queue,
                                  .enabledExtensionCount = static_cast<std::uint32_t>(extensions.size()),
                                  .ppEnabledExtensionNames = extensions.data()};
  MUST(instance_functions_.vkCreateDevice(physical_, &create, nullptr, &device_));
  vkGetDeviceProcAddr =
      reinterpret_cast<PFN_vkGetDeviceProcAddr>(vkGetInstanceProcAddr(instance_, "vkGetDeviceProcAddr"));
  volkLoadDeviceTable(&vk_, device_);
  vk_.vkGetDeviceQueue(device_, family_, 0, &queue_);
  create_pools();
}

void Application::create_pools() {
  const VkCommandPoolCreateInfo pool{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                     .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                     .queueFamilyIndex = family_};
  MUST(vk_.vkCreateCommandPool(device_, &pool, nullptr, &command_pool_));
  at_end([this] { vk_.vkDestroyCommandPool(device_, command_pool_, nullptr); });
  const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 64}, {VK_DESCRIPTOR_TYPE_TENSOR_ARM, 256}};
  const VkDescriptorPoolCreateInfo descriptors{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                               .maxSets = 64,
                                               .poolSizeCount = tensors_ || graphs_ ? 2u : 1u,
                                               .pPoolSizes = sizes};
  MUST(vk_.vkCreateDescriptorPool(device_, &descriptors, nullptr, &descriptor_pool_));
  at_end([this] { vk_.vkDestroyDescriptorPool(device_, descriptor_pool_, nullptr); });
}

bool Application::has_extension(std::string_view name) {
  std::uint32_t count = 0;
  MUST(instance_functions_.vkEnumerateDeviceExtensionProperties(physical_, nullptr, &count, nullptr));
  std::vector<VkExtensionProperties> all(count);
  MUST(instance_functions_.vkEnumerateDeviceExtensionProperties(physical_, nullptr, &count, all.data()));
  return std::ranges::any_of(all, [&](const VkExtensionProperties& one) { return name == one.extensionName; });
}

void Application::restart_with(const char* extension, VkBaseOutStructure* features) {
  start();
  if (!has_extension(extension)) throw Lacking(formatted("the device lacks {}", extension));
  stop();
  extensions_.push_back(extension);
  if (features != nullptr) features_.push_back(features);
  start();
}

VkDeviceMemory Application::memory(const VkMemoryRequirements& needs, std::byte** mapped) {
  VkPhysicalDeviceMemoryProperties properties;
  instance_functions().vkGetPhysicalDeviceMemoryProperties(physical_, &properties);
  // Images of GPUs have no memory that the host sees.
  const VkMemoryPropertyFlags wanted =
      mapped ? VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT : 0;
  std::uint32_t type = 0;
  while (type < properties.memoryTypeCount &&
         ((needs.memoryTypeBits >> type & 1) == 0 || (properties.memoryTypes[type].propertyFlags & wanted) != wanted))
    ++type;
  if (type == properties.memoryTypeCount) throw std::runtime_error("no type of memory is suitable");
  const VkMemoryAllocateFlagsInfo flags{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                        .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
  const VkMemoryAllocateInfo allocate{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                      .pNext = addresses_ ? &flags : nullptr,
                                      .allocationSize = needs.size,
                                      .memoryTypeIndex = type};
  VkDeviceMemory made = VK_NULL_HANDLE;
  MUST(vk().vkAllocateMemory(device_, &allocate, nullptr, &made));
  at_end([this, made] { vk_.vkFreeMemory(device_, made, nullptr); });
  if (mapped != nullptr) {
    void* data = nullptr;
    MUST(vk_.vkMapMemory(device_, made, 0, VK_WHOLE_SIZE, 0, &data));
    *mapped = static_cast<std::byte*>(data);
  }
  return made;
}

AppTensor Application::tensor(VkFormat format, std::vector<std::int64_t> shape, std::vector<std::int64_t> strides,
                              VkTensorUsageFlagsARM usage) {
  if (!graphs_) usage &= ~VkTensorUsageFlagsARM{VK_TENSOR_USAGE_DATA_GRAPH_BIT_ARM};
  AppTensor made{.format = format, .shape = std::move(shape), .strides = std::move(strides)};
  const VkTensorDescriptionARM description{.sType = VK_STRUCTURE_TYPE_TENSOR_DESCRIPTION_ARM,
                                           .tiling = VK_TENSOR_TILING_LINEAR_ARM,
                                           .format = format,
                                           .dimensionCount = static_cast<std::uint32_t>(made.shape.size()),
                                           .pDimensions = made.shape.data(),
                                           .pStrides = made.strides.empty() ? nullptr : made.strides.data(),
                                           .usage = usage};
  const VkTensorCreateInfoARM create{.sType = VK_STRUCTURE_TYPE_TENSOR_CREATE_INFO_ARM, .pDescription = &description};
  MUST(vk().vkCreateTensorARM(device_, &create, nullptr, &made.tensor));
  at_end([this, tensor = made.tensor] { vk_.vkDestroyTensorARM(device_, tensor, nullptr); });
  const VkTensorMemoryRequirementsInfoARM of{.sType = VK_STRUCTURE_TYPE_TENSOR_MEMORY_REQUIREMENTS_INFO_ARM,
                                             .tensor = made.tensor};
  VkMemoryRequirements2 needs{.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
  vk_.vkGetTensorMemoryRequirementsARM(device_, &of, &needs);
  made.memory = memory(needs.memoryRequirements, &made.mapped);
  const VkBindTensorMemoryInfoARM bind{
      .sType = VK_STRUCTURE_TYPE_BIND_TENSOR_MEMORY_INFO_ARM, .tensor = made.tensor, .memory = made.memory};
  MUST(vk_.vkBindTensorMemoryARM(device_, 1, &bind));
  const VkTensorViewCreateInfoARM view{
      .sType = VK_STRUCTURE_TYPE_TENSOR_VIEW_CREATE_INFO_ARM, .tensor = made.tensor, .format = format};
  MUST(vk_.vkCreateTensorViewARM(device_, &view, nullptr, &made.view));
  at_end([this, handle = made.view] { vk_.vkDestroyTensorViewARM(device_, handle, nullptr); });
  return made;
}

VkShaderModule Application::module(const spirv::Words& words) {
  const VkShaderModuleCreateInfo create{.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                        .codeSize = words.size() * sizeof(std::uint32_t),
                                        .pCode = words.data()};
  VkShaderModule made = VK_NULL_HANDLE;
  MUST(vk().vkCreateShaderModule(device_, &create, nullptr, &made));
  at_end([this, made] { vk_.vkDestroyShaderModule(device_, made, nullptr); });
  return made;
}

VkDescriptorSetLayout Application::tensor_layout(std::uint32_t count, VkDescriptorSetLayoutCreateFlags flags) {
  std::vector<VkDescriptorSetLayoutBinding> bindings;
  for (std::uint32_t i = 0; i < count; ++i)
    bindings.push_back({i, VK_DESCRIPTOR_TYPE_TENSOR_ARM, 1, VK_SHADER_STAGE_ALL, nullptr});
  const VkDescriptorSetLayoutCreateInfo create{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                               .flags = flags,
                                               .bindingCount = count,
                                               .pBindings = bindings.data()};
  VkDescriptorSetLayout made = VK_NULL_HANDLE;
  MUST(vk().vkCreateDescriptorSetLayout(device_, &create, nullptr, &made));
  at_end([this, made] { vk_.vkDestroyDescriptorSetLayout(device_, made, nullptr); });
  return made;
}

VkPipelineLayout Application::pipeline_layout(VkDescriptorSetLayout set, std::uint32_t push_constants) {
  const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, push_constants};
  const VkPipelineLayoutCreateInfo create{.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                          .setLayoutCount = 1,
                                          .pSetLayouts = &set,
                                          .pushConstantRangeCount = push_constants != 0 ? 1u : 0u,
                                          .pPushConstantRanges = push_constants != 0 ? &range : nullptr};
  VkPipelineLayout made = VK_NULL_HANDLE;
  MUST(vk().vkCreatePipelineLayout(device_, &create, nullptr, &made));
  at_end([this, made] { vk_.vkDestroyPipelineLayout(device_, made, nullptr); });
  return made;
}

void Application::write(VkDescriptorSet set, std::uint32_t binding, const AppTensor& tensor) {
  const VkWriteDescriptorSetTensorARM views{
      .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_TENSOR_ARM, .tensorViewCount = 1, .pTensorViews = &tensor.view};
  const VkWriteDescriptorSet write{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                   .pNext = &views,
                                   .dstSet = set,
                                   .dstBinding = binding,
                                   .descriptorCount = 1,
                                   .descriptorType = VK_DESCRIPTOR_TYPE_TENSOR_ARM};
  vk().vkUpdateDescriptorSets(device_, 1, &write, 0, nullptr);
}

VkDescriptorPool Application::descriptor_pool(const std::vector<VkDescriptorPoolSize>& sizes,
                                              VkDescriptorPoolCreateFlags flags) {
  const VkDescriptorPoolCreateInfo create{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                          .flags = flags,
                                          .maxSets = 1,
                                          .poolSizeCount = static_cast<std::uint32_t>(sizes.size()),
                                          .pPoolSizes = sizes.data()};
  VkDescriptorPool made = VK_NULL_HANDLE;
  MUST(vk().vkCreateDescriptorPool(device(), &create, nullptr, &made));
  at_end([=, this] { vk().vkDestroyDescriptorPool(device(), made, nullptr); });
  return made;
}

VkDescriptorSet Application::allocate_set(VkDescriptorPool pool, VkDescriptorSetLayout layout) {
  const VkDescriptorSetAllocateInfo allocate{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                             .descriptorPool = pool,
                                             .descriptorSetCount = 1,
                                             .pSetLayouts = &layout};
  VkDescriptorSet made = VK_NULL_HANDLE;
  MUST(vk().vkAllocateDescriptorSets(device(), &allocate, &made));
  return made;
}

VkDescriptorSet Application::descriptor_set(VkDescriptorSetLayout layout,
                                            const std::vector<const AppTensor*>& tensors) {
  start();
  const VkDescriptorSet made = allocate_set(descriptor_pool_, layout);
  for (std::uint32_t i = 0; i < tensors.size(); ++i) write(made, i, *tensors[i]);
  return made;
}

VkPipelineShaderStageCreateInfo Application::stage(VkShaderStageFlagBits stage, const spirv::Words& words) {
  return {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
          .stage = stage,
          .module = module(words),
          .pName = "main"};
}

VkPipeline Application::compute_pipeline(const spirv::Words& words, VkPipelineLayout layout) {
  const VkComputePipelineCreateInfo create{.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                           .stage = stage(VK_SHADER_STAGE_COMPUTE_BIT, words),
                                           .layout = layout};
  VkPipeline made = VK_NULL_HANDLE;
  MUST(vk().vkCreateComputePipelines(device_, VK_NULL_HANDLE, 1, &create, nullptr, &made));
  at_end([this, made] { vk_.vkDestroyPipeline(device_, made, nullptr); });
  return made;
}

VkResult Application::create_graph(const spirv::Words& words, const std::string& entry,
                                   const std::vector<const AppTensor*>& tensors,
                                   const std::vector<AppConstant>& constants, VkPipelineCache cache,
                                   VkPipelineLayout layout, VkPipeline& made, const void* more) {
  std::vector<VkTensorDescriptionARM> descriptions;
  for (const AppTensor* tensor : tensors)
    descriptions.push_back({.sType = VK_STRUCTURE_TYPE_TENSOR_DESCRIPTION_ARM,
                            .tiling = VK_TENSOR_TILING_LINEAR_ARM,
                            .format = tensor->format,
                            .dimensionCount = static_cast<std::uint32_t>(tensor->shape.size()),
                            .pDimensions = tensor->shape.data(),
                            .pStrides = tensor->strides.empty() ? nullptr : tensor->strides.data(),
                            .usage = VK_TENSOR_USAGE_DATA_GRAPH_BIT_ARM});
  std::vector<VkDataGraphPipelineResourceInfoARM> resources;
  for (std::uint32_t i = 0; i < descriptions.size(); ++i)
    resources.push_back(
        {.sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_RESOURCE_INFO_ARM, .pNext = &descriptions[i], .binding = i});
  std::vector<VkTensorDescriptionARM> of_constants;
  for (const AppConstant& constant : constants)
    of_constants.push_back({.sType = VK_STRUCTURE_TYPE_TENSOR_DESCRIPTION_ARM,
                            .tiling = VK_TENSOR_TILING_LINEAR_ARM,
                            .format = constant.format,
                            .dimensionCount = static_cast<std::uint32_t>(constant.shape.size()),
                            .pDimensions = constant.shape.data(),
                            .usage = VK_TENSOR_USAGE_DATA_GRAPH_BIT_ARM});
  std::vector<VkDataGraphPipelineConstantARM> all;
  for (std::size_t i = 0; i < constants.size(); ++i)
    all.push_back({.sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_CONSTANT_ARM,
                   .pNext = &of_constants[i],
                   .id = constants[i].id,
                   .pConstantData = constants[i].data});
  const VkShaderModuleCreateInfo code{.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                      .pNext = more,
                                      .codeSize = words.size() * sizeof(std::uint32_t),
                                      .pCode = words.data()};
  const VkDataGraphPipelineShaderModuleCreateInfoARM shader{
      .sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_SHADER_MODULE_CREATE_INFO_ARM,
      .pNext = &code,
      .pName = entry.c_str(),
      .constantCount = static_cast<std::uint32_t>(all.size()),
      .pConstants = all.data()};
  const VkDataGraphPipelineCreateInfoARM create{.sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_CREATE_INFO_ARM,
                                                .pNext = &shader,
                                                .layout = layout,
                                                .resourceInfoCount = static_cast<std::uint32_t>(resources.size()),
                                                .pResourceInfos = resources.data()};
  return vk().vkCreateDataGraphPipelinesARM(device_, VK_NULL_HANDLE, cache, 1, &create, nullptr, &made);
}

VkDataGraphPipelineSessionARM Application::session(VkPipeline pipeline, VkDeviceMemory* bound) {
  const VkDataGraphPipelineSessionCreateInfoARM create{
      .sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_SESSION_CREATE_INFO_ARM, .dataGraphPipeline = pipeline};
  VkDataGraphPipelineSessionARM made = VK_NULL_HANDLE;
  MUST(vk().vkCreateDataGraphPipelineSessionARM(device_, &create, nullptr, &made));
  at_end([this, made] { vk_.vkDestroyDataGraphPipelineSessionARM(device_, made, nullptr); });
  const VkDataGraphPipelineSessionBindPointRequirementsInfoARM info{
      .sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_SESSION_BIND_POINT_REQUIREMENTS_INFO_ARM, .session = made};
  std::uint32_t count = 0;
  MUST(vk_.vkGetDataGraphPipelineSessionBindPointRequirementsARM(device_, &info, &count, nullptr));
  std::vector<VkDataGraphPipelineSessionBindPointRequirementARM> points(
      count, {.sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_SESSION_BIND_POINT_REQUIREMENT_ARM});
  MUST(vk_.vkGetDataGraphPipelineSessionBindPointRequirementsARM(device_, &info, &count, points.data()));
  for (const auto& point : points) {
    const VkDataGraphPipelineSessionMemoryRequirementsInfoARM of{
        .sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_SESSION_MEMORY_REQUIREMENTS_INFO_ARM,
        .session = made,
        .bindPoint = point.bindPoint};
    VkMemoryRequirements2 needs{.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
    vk_.vkGetDataGraphPipelineSessionMemoryRequirementsARM(device_, &of, &needs);
    const VkBindDataGraphPipelineSessionMemoryInfoARM bind{
        .sType = VK_STRUCTURE_TYPE_BIND_DATA_GRAPH_PIPELINE_SESSION_MEMORY_INFO_ARM,
        .session = made,
        .bindPoint = point.bindPoint,
        .memory = memory(needs.memoryRequirements)};
    MUST(vk_.vkBindDataGraphPipelineSessionMemoryARM(device_, 1, &bind));
    if (bound != nullptr) *bound = bind.memory;
  }
  return made;
}

AppGraph Application::graph(const spirv::Words& words, const std::string& entry,
                            const std::vector<const AppTensor*>& tensors, const std::vector<AppConstant>& constants,
                            VkPipelineCache cache) {
  AppGraph made;
  made.set_layout = tensor_layout(static_cast<std::uint32_t>(tensors.size()));
  made.layout = pipeline_layout(made.set_layout);
  MUST(create_graph(words, entry, tensors, constants, cache, made.layout, made.pipeline));
  at_end([this, pipeline = made.pipeline] { vk_.vkDestroyPipeline(device_, pipeline, nullptr); });
  made.session = session(made.pipeline, &made.session_memory);
  return made;
}

VkCommandBuffer Application::command_buffer(VkCommandBufferLevel level) {
  start();
  const VkCommandBufferAllocateInfo allocate{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                             .commandPool = command_pool_,
                                             .level = level,
                                             .commandBufferCount = 1};
  VkCommandBuffer made = nullptr;
  MUST(vk_.vkAllocateCommandBuffers(device_, &allocate, &made));
  return made;
}

void Application::begin(VkCommandBuffer commands, VkCommandBufferUsageFlags flags) {
  const VkCommandBufferInheritanceInfo inheritance{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
  const VkCommandBufferBeginInfo info{
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, .flags = flags, .pInheritanceInfo = &inheritance};
  MUST(vk_.vkBeginCommandBuffer(commands, &info));
}

void Application::submit(const std::vector<VkCommandBuffer>& commands) {
  std::vector<VkCommandBufferSubmitInfo> infos;
  for (const VkCommandBuffer one : commands)
    infos.push_back({.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, .commandBuffer = one});
  const VkSubmitInfo2 submit{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
                             .commandBufferInfoCount = static_cast<std::uint32_t>(infos.size()),
                             .pCommandBufferInfos = infos.data()};
  MUST(vk_.vkQueueSubmit2(queue_, 1, &submit, VK_NULL_HANDLE));
  MUST(vk_.vkQueueWaitIdle(queue_));
}

void Application::run(const std::function<void(VkCommandBuffer)>& record) {
  const VkCommandBuffer commands = command_buffer();
  begin(commands);
  record(commands);
  MUST(vk_.vkEndCommandBuffer(commands));
  submit({commands});
}

void Application::dispatch(VkCommandBuffer commands, const AppGraph& graph, VkDescriptorSet set) {
  vk_.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_DATA_GRAPH_ARM, graph.pipeline);
  vk_.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_DATA_GRAPH_ARM, graph.layout, 0, 1, &set, 0, nullptr);
  vk_.vkCmdDispatchDataGraphARM(commands, graph.session, nullptr);
}

void Application::change_layout(VkCommandBuffer commands, VkImage image, VkImageLayout from, VkImageLayout to) {
  const VkImageMemoryBarrier2 barrier{.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2,
                                      .srcStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
                                      .srcAccessMask = VK_ACCESS_2_MEMORY_WRITE_BIT,
                                      .dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
                                      .dstAccessMask = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT,
                                      .oldLayout = from,
                                      .newLayout = to,
                                      .image = image,
                                      .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
  const VkDependencyInfo info{
      .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO, .imageMemoryBarrierCount = 1, .pImageMemoryBarriers = &barrier};
  vk_.vkCmdPipelineBarrier2(commands, &info);
}

void Application::full_barrier(VkCommandBuffer commands) {
  VkMemoryBarrier2 barrier{
      .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
      .srcStageMask = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
      .srcAccessMask = VK_ACCESS_2_SHADER_WRITE_BIT | VK_ACCESS_2_TRANSFER_WRITE_BIT,
      .dstStageMask = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
      .dstAccessMask = VK_ACCESS_2_SHADER_READ_BIT | VK_ACCESS_2_SHADER_WRITE_BIT | VK_ACCESS_2_TRANSFER_READ_BIT |
                       VK_ACCESS_2_TRANSFER_WRITE_BIT};
  if (graphs_) {
    barrier.srcStageMask |= VK_PIPELINE_STAGE_2_DATA_GRAPH_BIT_ARM;
    barrier.srcAccessMask |= VK_ACCESS_2_DATA_GRAPH_WRITE_BIT_ARM;
    barrier.dstStageMask |= VK_PIPELINE_STAGE_2_DATA_GRAPH_BIT_ARM;
    barrier.dstAccessMask |= VK_ACCESS_2_DATA_GRAPH_READ_BIT_ARM | VK_ACCESS_2_DATA_GRAPH_WRITE_BIT_ARM;
  }
  const VkDependencyInfo info{
      .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO, .memoryBarrierCount = 1, .pMemoryBarriers = &barrier};
  vk_.vkCmdPipelineBarrier2(commands, &info);
}

void run_one_group(Application& app, VkPipeline pipeline, VkPipelineLayout layout, VkDescriptorSet set) {
  app.run([&](VkCommandBuffer commands) {
    app.vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    app.vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    app.vk().vkCmdDispatch(commands, 1, 1, 1);
  });
}

void copy_tensor(Application& app, VkCommandBuffer commands, const AppTensor& from, const AppTensor& to) {
  const VkTensorCopyARM region{.sType = VK_STRUCTURE_TYPE_TENSOR_COPY_ARM};
  const VkCopyTensorInfoARM info{.sType = VK_STRUCTURE_TYPE_COPY_TENSOR_INFO_ARM,
                                 .srcTensor = from.tensor,
                                 .dstTensor = to.tensor,
                                 .regionCount = 1,
                                 .pRegions = &region};
  app.vk().vkCmdCopyTensorARM(commands, &info);
}

void for_each_element(const AppTensor& tensor, std::size_t size,
                      const std::function<void(std::size_t, std::byte*)>& visit) {
  std::vector<std::int64_t> at(tensor.shape.size()), strides = tensor.strides;
  if (strides.empty()) {
    strides.resize(at.size());
    auto stride = static_cast<std::int64_t>(size);
    for (std::size_t d = at.size(); d-- > 0;) {
      strides[d] = stride;
      stride *= tensor.shape[d];
    }
  }
  std::size_t index = 0;
  for (bool more = true; more;) {
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < at.size(); ++d) offset += at[d] * strides[d];
    visit(index++, tensor.mapped + offset);
    more = false;
    for (std::size_t d = at.size(); d-- > 0 && !more;) {
      more = ++at[d] < tensor.shape[d];
      if (!more) at[d] = 0;
    }
  }
}

spirv::Words graph_module(const std::string& lines) {
  Diagnostics diagnostics;
  auto graph = tosa::parse(make_source("t.graph", "graph main {\n" + lines + "}\n"), diagnostics);
  if (graph) tosa::verify(*graph, diagnostics);
  if (!graph || diagnostics.has_errors())
    throw std::runtime_error(format_diagnostics(diagnostics.all(), {.sources = false}));
  auto words = tosa::write_graph_module(*graph);
  if (!words) throw std::runtime_error(format_diagnostics(words.error()));
  return std::move(*words);
}

spirv::Words compute_module(std::string_view code) {
  const auto compiled = shader::compile(
      make_source("case.comp", formatted("#version 460\n#extension GL_ARM_tensors : require\n"
                                         "#extension GL_EXT_nonuniform_qualifier : require\n"
                                         "#extension GL_EXT_shader_explicit_arithmetic_types : require\n{}",
                                         code)),
      shader::Language::Glsl);
  if (!compiled) throw std::runtime_error(format_diagnostics(compiled.error()));
  return compiled->words;
}

}  // namespace slipway::conformance
