// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Creation of devices: the layer's extensions and features are taken out, and what it needs of the driver is switched
// on.
#include "layer/device.hpp"

#include <array>
#include <cstddef>
#include <functional>
#include <limits>

#include "base/format.hpp"
#include "layer/chain.hpp"
#include "layer/commands/commands.hpp"
#include "layer/commands/descriptors.hpp"
#include "layer/graphs/graphs.hpp"
#include "layer/offer.hpp"
#include "layer/resources/aliases.hpp"
#include "layer/resources/capture.hpp"
#include "layer/resources/recorder.hpp"
#include "layer/shaders.hpp"
#include "model/device_facts.hpp"
#include "model/tuning/tuning_table.hpp"

namespace slipway::layer {
namespace {

VkLayerDeviceCreateInfo* find_device_link(const VkDeviceCreateInfo& info, VkLayerFunction function) {
  for (auto* at = static_cast<const VkLayerDeviceCreateInfo*>(info.pNext); at != nullptr;
       at = static_cast<const VkLayerDeviceCreateInfo*>(at->pNext)) {
    if (at->sType == VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO && at->function == function)
      return const_cast<VkLayerDeviceCreateInfo*>(at);
  }
  return nullptr;
}

// --- features --------------------------------------------------------------------------------------------------------

// Structures of their own for features that the application's chain has no structure for.
struct OwnFeatures {
  VkPhysicalDevice16BitStorageFeatures storage16{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES};
  VkPhysicalDevice8BitStorageFeatures storage8{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES};
  VkPhysicalDeviceShaderFloat16Int8Features small{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES};
  VkPhysicalDeviceBufferDeviceAddressFeatures address{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES};
  VkPhysicalDeviceVulkanMemoryModelFeatures model{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES};
  VkPhysicalDeviceDescriptorIndexingFeatures indexing{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_FEATURES};
  VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrix{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR};
  VkPhysicalDeviceShaderBfloat16FeaturesKHR bfloat16{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_BFLOAT16_FEATURES_KHR};
  VkPhysicalDeviceNestedCommandBufferFeaturesEXT nested{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_NESTED_COMMAND_BUFFER_FEATURES_EXT};
};

constexpr VkStructureType k11 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
constexpr VkStructureType k12 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
constexpr VkStructureType kNoStructure = VK_STRUCTURE_TYPE_MAX_ENUM;

// Of secondary command buffers that execute others.
constexpr std::string_view kNestedFeatures[] = {"nestedCommandBuffer", "nestedCommandBufferSimultaneousUse"};

// Where a feature is: in a structure of a Vulkan version, or in the one of its extension (an offset in OwnFeatures).
struct FeaturePlace {
  std::string_view name;
  VkStructureType version_type;
  std::size_t version_offset;
  std::size_t own_structure, own_member;
  const char* extension;  // that must be enabled; null for core features
};
#define OWN(structure, type, member) offsetof(OwnFeatures, structure), offsetof(type, member)
constexpr FeaturePlace kPlaces[] = {
    {"storageBuffer16BitAccess", k11, offsetof(VkPhysicalDeviceVulkan11Features, storageBuffer16BitAccess),
     OWN(storage16, VkPhysicalDevice16BitStorageFeatures, storageBuffer16BitAccess), nullptr},
    {"storageBuffer8BitAccess", k12, offsetof(VkPhysicalDeviceVulkan12Features, storageBuffer8BitAccess),
     OWN(storage8, VkPhysicalDevice8BitStorageFeatures, storageBuffer8BitAccess), nullptr},
    {"shaderInt8", k12, offsetof(VkPhysicalDeviceVulkan12Features, shaderInt8),
     OWN(small, VkPhysicalDeviceShaderFloat16Int8Features, shaderInt8), nullptr},
    {"shaderFloat16", k12, offsetof(VkPhysicalDeviceVulkan12Features, shaderFloat16),
     OWN(small, VkPhysicalDeviceShaderFloat16Int8Features, shaderFloat16), nullptr},
    {"bufferDeviceAddress", k12, offsetof(VkPhysicalDeviceVulkan12Features, bufferDeviceAddress),
     OWN(address, VkPhysicalDeviceBufferDeviceAddressFeatures, bufferDeviceAddress), nullptr},
    {"vulkanMemoryModel", k12, offsetof(VkPhysicalDeviceVulkan12Features, vulkanMemoryModel),
     OWN(model, VkPhysicalDeviceVulkanMemoryModelFeatures, vulkanMemoryModel), nullptr},
    {"vulkanMemoryModelDeviceScope", k12, offsetof(VkPhysicalDeviceVulkan12Features, vulkanMemoryModelDeviceScope),
     OWN(model, VkPhysicalDeviceVulkanMemoryModelFeatures, vulkanMemoryModelDeviceScope), nullptr},
    {"shaderUniformBufferArrayNonUniformIndexing", k12,
     offsetof(VkPhysicalDeviceVulkan12Features, shaderUniformBufferArrayNonUniformIndexing),
     OWN(indexing, VkPhysicalDeviceDescriptorIndexingFeatures, shaderUniformBufferArrayNonUniformIndexing), nullptr},
    {"descriptorBindingUniformBufferUpdateAfterBind", k12,
     offsetof(VkPhysicalDeviceVulkan12Features, descriptorBindingUniformBufferUpdateAfterBind),
     OWN(indexing, VkPhysicalDeviceDescriptorIndexingFeatures, descriptorBindingUniformBufferUpdateAfterBind), nullptr},
    {"cooperativeMatrix", kNoStructure, 0, OWN(matrix, VkPhysicalDeviceCooperativeMatrixFeaturesKHR, cooperativeMatrix),
     VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME},
    {"shaderBFloat16Type", kNoStructure, 0,
     OWN(bfloat16, VkPhysicalDeviceShaderBfloat16FeaturesKHR, shaderBFloat16Type),
     VK_KHR_SHADER_BFLOAT16_EXTENSION_NAME},
    {"shaderBFloat16CooperativeMatrix", kNoStructure, 0,
     OWN(bfloat16, VkPhysicalDeviceShaderBfloat16FeaturesKHR, shaderBFloat16CooperativeMatrix),
     VK_KHR_SHADER_BFLOAT16_EXTENSION_NAME},
    {kNestedFeatures[0], kNoStructure, 0,
     OWN(nested, VkPhysicalDeviceNestedCommandBufferFeaturesEXT, nestedCommandBuffer),
     VK_EXT_NESTED_COMMAND_BUFFER_EXTENSION_NAME},
    {kNestedFeatures[1], kNoStructure, 0,
     OWN(nested, VkPhysicalDeviceNestedCommandBufferFeaturesEXT, nestedCommandBufferSimultaneousUse),
     VK_EXT_NESTED_COMMAND_BUFFER_EXTENSION_NAME},
};
#undef OWN

struct CoreFeature {
  std::string_view name;
  VkBool32 VkPhysicalDeviceFeatures::* member;
};
constexpr CoreFeature kCoreFeatures[] = {
    {"shaderInt64", &VkPhysicalDeviceFeatures::shaderInt64},
    {"shaderInt16", &VkPhysicalDeviceFeatures::shaderInt16},
    {"shaderFloat64", &VkPhysicalDeviceFeatures::shaderFloat64},
    {"vertexPipelineStoresAndAtomics", &VkPhysicalDeviceFeatures::vertexPipelineStoresAndAtomics},
    {"fragmentStoresAndAtomics", &VkPhysicalDeviceFeatures::fragmentStoresAndAtomics},
    {kFlowFeature, &VkPhysicalDeviceFeatures::shaderStorageImageExtendedFormats},
    {"shaderUniformBufferArrayDynamicIndexing", &VkPhysicalDeviceFeatures::shaderUniformBufferArrayDynamicIndexing},
};

constexpr VkStructureType kOurFeatures[] = {
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TENSOR_FEATURES_ARM,
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DATA_GRAPH_FEATURES_ARM,
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_TENSOR_FEATURES_ARM,
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DATA_GRAPH_OPTICAL_FLOW_FEATURES_ARM,
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DATA_GRAPH_NEURAL_ACCELERATOR_STATISTICS_FEATURES_ARM,
};
constexpr VkStructureType kEditedFeatures[] = {
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
    k11,
    k12,
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES,
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES,
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES,
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES,
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES,
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_FEATURES,
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR,
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_BFLOAT16_FEATURES_KHR,
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_NESTED_COMMAND_BUFFER_FEATURES_EXT,
};

VkBool32& member_at(void* structure, std::size_t offset) {
  return *reinterpret_cast<VkBool32*>(static_cast<std::byte*>(structure) + offset);
}

// VK_EXT_tooling_info is listed on every device.
bool is_of_layer_alone(const LayerPhysicalDevice& device, std::string_view extension) {
  return extension == VK_EXT_TOOLING_INFO_EXTENSION_NAME && !device.snapshot.has_extension(extension);
}

// The create-info of the driver's device.
class DeviceRequest {
 public:
  DeviceRequest(const VkDeviceCreateInfo& info, const LayerPhysicalDevice& device) : info_(info), device_(device) {
    for (std::uint32_t i = 0; i < info.enabledExtensionCount; ++i) {
      const char* name = info.ppEnabledExtensionNames[i];
      if (!is_layer_extension(name) && !is_of_layer_alone(device, name)) extensions_.push_back(name);
    }
    info_.pNext = chain_.make(info.pNext, kOurFeatures, kEditedFeatures);
    if (info.pEnabledFeatures != nullptr) core_ = *info.pEnabledFeatures;
  }

  // If the device has it.
  void enable(std::string_view feature) {
    if (!device_.snapshot.has_feature(feature)) return;
    enabled_.emplace(feature);
    switch_on(feature);
  }

  void switch_on(std::string_view feature) {
    for (const CoreFeature& one : kCoreFeatures) {
      if (one.name == feature) core_feature(one);
    }
    for (const FeaturePlace& place : kPlaces) {
      if (place.name == feature) feature_of_structure(place);
    }
  }

  void enable_extension(const char* wanted) {
    if (std::ranges::none_of(extensions_, [&](std::string_view name) { return name == wanted; }))
      extensions_.push_back(wanted);
  }

  // Valid as long as this object.
  const VkDeviceCreateInfo& info() {
    info_.enabledExtensionCount = static_cast<std::uint32_t>(extensions_.size());
    info_.ppEnabledExtensionNames = extensions_.data();
    const bool in_chain = chain_.find<void>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2) != nullptr;
    info_.pEnabledFeatures = in_chain ? nullptr : &core_;
    return info_;
  }

  const std::set<std::string, std::less<>>& enabled() const { return enabled_; }

 private:
  void core_feature(const CoreFeature& feature) {
    auto* in_chain = chain_.find<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
    (in_chain != nullptr ? in_chain->features : core_).*feature.member = VK_TRUE;
  }

  void feature_of_structure(const FeaturePlace& place) {
    if (place.extension != nullptr) enable_extension(place.extension);
    if (void* version = chain_.find<void>(place.version_type)) {
      member_at(version, place.version_offset) = VK_TRUE;
      return;
    }
    auto* const own = reinterpret_cast<VkBaseOutStructure*>(reinterpret_cast<std::byte*>(&own_) + place.own_structure);
    if (void* given = chain_.find<void>(own->sType)) {
      member_at(given, place.own_member) = VK_TRUE;
      return;
    }
    member_at(own, place.own_member) = VK_TRUE;
    if (!std::ranges::contains(linked_, own)) {
      linked_.push_back(own);
      own->pNext = const_cast<VkBaseOutStructure*>(static_cast<const VkBaseOutStructure*>(info_.pNext));
      info_.pNext = own;
    }
  }

  VkDeviceCreateInfo info_;
  const LayerPhysicalDevice& device_;
  ChainCopy chain_;
  OwnFeatures own_;
  std::vector<VkBaseOutStructure*> linked_;
  VkPhysicalDeviceFeatures core_{};
  std::vector<const char*> extensions_;
  std::set<std::string, std::less<>> enabled_;
};

// --- devices ---------------------------------------------------------------------------------------------------------

bool asks_for(const VkDeviceCreateInfo& info, std::string_view extension) {
  return std::ranges::any_of(std::span(info.ppEnabledExtensionNames, info.enabledExtensionCount),
                             [&](std::string_view name) { return name == extension; });
}

// A feature of the layer's extensions.
struct OurFeature {
  const char* name;
  VkStructureType structure;
  std::size_t offset;
};
#define TENSOR_FEATURE(name) \
  {#name, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TENSOR_FEATURES_ARM, offsetof(VkPhysicalDeviceTensorFeaturesARM, name)}
#define GRAPH_FEATURE(name)                                          \
  {#name, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DATA_GRAPH_FEATURES_ARM, \
   offsetof(VkPhysicalDeviceDataGraphFeaturesARM, name)}
constexpr OurFeature kOurFeatureMembers[] = {
    TENSOR_FEATURE(tensorNonPacked),
    TENSOR_FEATURE(shaderTensorAccess),
    TENSOR_FEATURE(shaderStorageTensorArrayDynamicIndexing),
    TENSOR_FEATURE(shaderStorageTensorArrayNonUniformIndexing),
    TENSOR_FEATURE(descriptorBindingStorageTensorUpdateAfterBind),
    TENSOR_FEATURE(tensors),
    GRAPH_FEATURE(dataGraph),
    GRAPH_FEATURE(dataGraphUpdateAfterBind),
    GRAPH_FEATURE(dataGraphSpecializationConstants),
    GRAPH_FEATURE(dataGraphDescriptorBuffer),
    GRAPH_FEATURE(dataGraphShaderModule),
    {"descriptorBufferTensorDescriptors", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_TENSOR_FEATURES_ARM,
     offsetof(VkPhysicalDeviceDescriptorBufferTensorFeaturesARM, descriptorBufferTensorDescriptors)},
    {"dataGraphOpticalFlow", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DATA_GRAPH_OPTICAL_FLOW_FEATURES_ARM,
     offsetof(VkPhysicalDeviceDataGraphOpticalFlowFeaturesARM, dataGraphOpticalFlow)},
    {"dataGraphNeuralAcceleratorStatistics",
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DATA_GRAPH_NEURAL_ACCELERATOR_STATISTICS_FEATURES_ARM,
     offsetof(VkPhysicalDeviceDataGraphNeuralAcceleratorStatisticsFeaturesARM, dataGraphNeuralAcceleratorStatistics)},
};
#undef TENSOR_FEATURE
#undef GRAPH_FEATURE

bool enables(const VkDeviceCreateInfo& info, const OurFeature& feature) {
  const auto* asked = find_in_chain<std::byte>(info.pNext, feature.structure);
  return asked != nullptr && *reinterpret_cast<const VkBool32*>(asked + feature.offset) != VK_FALSE;
}
bool enables(const VkDeviceCreateInfo& info, std::string_view name) {
  return std::ranges::any_of(kOurFeatureMembers,
                             [&](const OurFeature& feature) { return name == feature.name && enables(info, feature); });
}

// A feature that the application asks for and that the layer does not offer; null without one.
const char* missing_feature(const VkDeviceCreateInfo& info, const LayerPhysicalDevice& device) {
  VkPhysicalDeviceDataGraphNeuralAcceleratorStatisticsFeaturesARM statistics{.sType = kOurFeatures[4]};
  VkPhysicalDeviceDataGraphOpticalFlowFeaturesARM flow{.sType = kOurFeatures[3], .pNext = &statistics};
  VkPhysicalDeviceDescriptorBufferTensorFeaturesARM buffers{.sType = kOurFeatures[2], .pNext = &flow};
  VkPhysicalDeviceDataGraphFeaturesARM graphs{.sType = kOurFeatures[1], .pNext = &buffers};
  VkPhysicalDeviceTensorFeaturesARM offered{.sType = kOurFeatures[0], .pNext = &graphs};
  write_features(device, &offered);
  for (const OurFeature& feature : kOurFeatureMembers) {
    if (!enables(info, feature)) continue;
    auto* own = find_in_chain<void>(static_cast<void*>(&offered), feature.structure);
    if (member_at(own, feature.offset) == VK_FALSE) return feature.name;
  }
  return nullptr;
}

// Whether secondary command buffers may execute those of the layer, at any depth that an application has.
bool has_nested_command_buffers(const LayerPhysicalDevice& device) {
  if (!device.snapshot.has_extension(VK_EXT_NESTED_COMMAND_BUFFER_EXTENSION_NAME)) return false;
  const InstanceTable& next = device.instance->next;
  VkPhysicalDeviceNestedCommandBufferFeaturesEXT nested{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_NESTED_COMMAND_BUFFER_FEATURES_EXT};
  VkPhysicalDeviceFeatures2 features{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &nested};
  next.vkGetPhysicalDeviceFeatures2(device.handle, &features);
  VkPhysicalDeviceNestedCommandBufferPropertiesEXT depth{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_NESTED_COMMAND_BUFFER_PROPERTIES_EXT};
  VkPhysicalDeviceProperties2 properties{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &depth};
  next.vkGetPhysicalDeviceProperties2(device.handle, &properties);
  return nested.nestedCommandBuffer != VK_FALSE && nested.nestedCommandBufferSimultaneousUse != VK_FALSE &&
         depth.maxCommandBufferNestingLevel == std::numeric_limits<std::uint32_t>::max();
}

// The facts for which kernels are built: of the features that are switched on.
lower::LowerOptions lower_options(const LayerInstance& instance, vk::Snapshot snapshot,
                                  const std::set<std::string, std::less<>>& enabled, const Cache& cache) {
  std::erase_if(snapshot.features, [&](const std::string& name) { return !enabled.contains(name); });
  Diagnostics diagnostics;
  lower::LowerOptions options{.addresses_only = true, .device = model::tuned_facts(snapshot, cache, diagnostics)};
  options.device.starts_in_order = false;  // recorded with barriers, among commands of the application
  for (const Diagnostic& problem : diagnostics.all()) instance.message(MessageLevel::Warning, problem.message);
  return options;
}

// Creates a device with what the layer needs in addition, for an application that wants tensors or graphs.
VkResult create_with_tensors(LayerDevice& device, const VkDeviceCreateInfo& info, bool wants_graphs,
                             const std::function<VkResult(const VkDeviceCreateInfo&)>& create) {
  const LayerInstance& instance = *device.instance;
  const Offer& offer = device.physical->offer;
  if (!offer.tensors || (wants_graphs && !offer.graphs)) return VK_ERROR_EXTENSION_NOT_PRESENT;
  if (const char* feature = missing_feature(info, *device.physical)) {
    instance.message(MessageLevel::Error,
                     formatted("vkCreateDevice: the layer does not offer the feature `{}`; query it with "
                               "vkGetPhysicalDeviceFeatures2, and leave it out where it is VK_FALSE",
                               feature));
    return VK_ERROR_FEATURE_NOT_PRESENT;
  }
  // Programs that were written for other implementations enable extensions without their features.
  device.implied.tensors = !enables(info, "tensors");
  device.implied.graphs = !enables(info, "dataGraph");
  device.implied.flow = !enables(info, "dataGraphOpticalFlow");
  device.flow = wants_graphs && offer.flow &&
                (asks_for(info, VK_ARM_DATA_GRAPH_OPTICAL_FLOW_EXTENSION_NAME) || !device.implied.flow);
  DeviceRequest request(info, *device.physical);  // the chain may be another one as long as it lives
  for (const char* feature : kNeededFeatures) request.enable(feature);
  for (const char* feature : kUsefulFeatures) request.enable(feature);
  device.nested = wants_graphs && has_nested_command_buffers(*device.physical);
  for (const std::string_view feature : kNestedFeatures) {
    if (device.nested) request.switch_on(feature);
  }
  if (device.flow) {
    request.enable(kFlowFeature);
    request.enable_extension(VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME);
  }
  const VkResult result = create(request.info());
  if (result != VK_SUCCESS) return result;
  device.tensors = true;
  for (const VkDeviceQueueCreateInfo& queue : std::span(info.pQueueCreateInfos, info.queueCreateInfoCount)) {
    if (!std::ranges::contains(device.queue_families, queue.queueFamilyIndex))
      device.queue_families.push_back(queue.queueFamilyIndex);
  }
  device.graphs = wants_graphs;
  if (!instance.settings.capture.empty() && instance.settings.capture_data)
    device.captures.recorder = std::make_unique<DispatchRecorder>(device);
  if (instance.settings.cache) device.cache = Cache::of_user();
  device.lower = lower_options(instance, device.physical->snapshot, request.enabled(), device.cache);
  return VK_SUCCESS;
}

VkResult CreateDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo* info, const VkAllocationCallbacks* allocator,
                      VkDevice* made) {
  return guarded([&]() -> VkResult {
    VkLayerDeviceCreateInfo* link = find_device_link(*info, VK_LAYER_LINK_INFO);
    if (link == nullptr || link->u.pLayerInfo == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
    LayerInstance& instance = instance_of(physical);
    auto device = std::make_unique<LayerDevice>();
    device->instance = &instance;
    device->next_proc_addr = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    if (const VkLayerDeviceCreateInfo* loader = find_device_link(*info, VK_LOADER_DATA_CALLBACK))
      device->set_loader_data = loader->u.pfnSetDeviceLoaderData;
    const auto create = reinterpret_cast<PFN_vkCreateDevice>(
        link->u.pLayerInfo->pfnNextGetInstanceProcAddr(instance.handle, "vkCreateDevice"));
    if (create == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;  // for the next layer
    device->physical = instance.physical_device(physical);
    if (device->physical == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
    const Offer& offer = device->physical->offer;
    const bool wants_graphs = asks_for(*info, VK_ARM_DATA_GRAPH_EXTENSION_NAME);
    const bool wants_tensors = wants_graphs || asks_for(*info, VK_ARM_TENSORS_EXTENSION_NAME);
    if (offer.native || !wants_tensors) {
      std::vector<const char*> extensions(info->ppEnabledExtensionNames,
                                          info->ppEnabledExtensionNames + info->enabledExtensionCount);
      std::erase_if(extensions, [&](const char* name) { return is_of_layer_alone(*device->physical, name); });
      VkDeviceCreateInfo theirs = *info;
      theirs.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
      theirs.ppEnabledExtensionNames = extensions.data();
      const VkResult result = create(physical, &theirs, allocator, made);
      if (result != VK_SUCCESS) return result;
    } else {
      const VkResult result = create_with_tensors(*device, *info, wants_graphs, [&](const VkDeviceCreateInfo& theirs) {
        return create(physical, &theirs, allocator, made);
      });
      if (result != VK_SUCCESS) return result;
    }
    device->handle = *made;
#define NEXT_DEVICE(name) device->next.name = reinterpret_cast<PFN_##name>(device->next_proc_addr(*made, #name));
#define NEXT_DEVICE_ALIAS(name, core)                                                     \
  device->next.core = reinterpret_cast<PFN_##core>(device->next_proc_addr(*made, #core)); \
  if (device->next.core == nullptr)                                                       \
    device->next.core = reinterpret_cast<PFN_##core>(device->next_proc_addr(*made, #name));
#include "layer/functions.def"
    if (device->graphs) {
#define STATE_FUNCTION(name, keeper) \
  device->next_state.name = reinterpret_cast<PFN_##name>(device->next_proc_addr(*made, #name));
#include "layer/commands/state_functions.def"
      const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, kKernelPushConstants};
      const VkPipelineLayoutCreateInfo layout{.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                              .pushConstantRangeCount = 1,
                                              .pPushConstantRanges = &range};
      const VkResult result = device->next.vkCreatePipelineLayout(*made, &layout, nullptr, &device->kernel_layout);
      if (result != VK_SUCCESS) {
        device->next.vkDestroyDevice(*made, allocator);
        return result;
      }
    }
    devices().add(*made, std::move(device));
    return VK_SUCCESS;
  });
}

void DestroyDevice(VkDevice device, const VkAllocationCallbacks* allocator) {
  if (device == nullptr) return;
  const std::unique_ptr<LayerDevice> removed = devices().remove(device);
  if (!removed) return;
  removed->release();
  removed->next.vkDestroyDevice(device, allocator);
}

}  // namespace

LayerDevice::LayerDevice() : aliases(std::make_unique<Aliases>()) {}
LayerDevice::~LayerDevice() = default;

void LayerDevice::release() {
  captures.recorder.reset();
  // What the application has not destroyed.
  graph_pipelines.clear();
  identified.clear();
  pipeline_layouts.clear();
  records.release(*this);
  if (kernel_layout != VK_NULL_HANDLE) next.vkDestroyPipelineLayout(handle, kernel_layout, nullptr);
}

void LayerDevice::forget_private_data(std::uint64_t object) {
  const std::scoped_lock lock(private_mutex);
  std::erase_if(private_data, [&](const auto& one) { return one.first.second == object; });
}

bool LayerDevice::intercepts(std::string_view name) const {
  return name != "vkCmdDispatch" || !instance->settings.capture.empty();
}

bool LayerDevice::has_function(std::string_view name) const {
  if (name.find("DataGraph") != std::string_view::npos) return graphs;
  return name.ends_with("ARM") || next_proc_addr(handle, std::string(name).c_str()) != nullptr;
}

bool allows(const LayerDevice& device, bool implied, std::string_view feature) {
  if (!implied) return true;
  const std::string text = formatted("the feature `{}` is used, but only its extension was enabled", feature);
  if (device.instance->settings.validate) {
    device.instance->message(MessageLevel::Error, text);
    return false;
  }
  device.instance->repaired(text + "; it is taken as enabled");
  return true;
}

VkResult refuse_null(const LayerDevice& device, std::string_view function, std::string_view what) {
  device.instance->message(MessageLevel::Error, formatted("{}: `{}` is null", function, what));
  return VK_ERROR_UNKNOWN;
}

std::int32_t find_memory_type(const LayerDevice& device, std::uint32_t allowed, VkMemoryPropertyFlags required,
                              VkMemoryPropertyFlags preferred) {
  std::int32_t found = -1;
  const std::vector<vk::MemoryType>& types = device.physical->snapshot.memory_types;
  for (std::size_t i = 0; i < types.size(); ++i) {
    if ((allowed >> i & 1) == 0 || (types[i].flags & required) != required) continue;
    if ((types[i].flags & preferred) == preferred) return static_cast<std::int32_t>(i);
    if (found < 0) found = static_cast<std::int32_t>(i);
  }
  return found;
}

VkResult create_kernel(const LayerDevice& device, std::span<const std::uint32_t> words, VkPipelineLayout layout,
                       VkPipelineCache cache, VkPipelineCreateFlags flags, VkPipeline& made,
                       const VkSpecializationInfo* constants) {
  const VkShaderModuleCreateInfo code{
      .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = words.size_bytes(), .pCode = words.data()};
  VkShaderModule module = VK_NULL_HANDLE;
  VkResult result = device.next.vkCreateShaderModule(device.handle, &code, nullptr, &module);
  if (result != VK_SUCCESS) return result;
  const VkComputePipelineCreateInfo create{.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                           .flags = flags,
                                           .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                     .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                     .module = module,
                                                     .pName = "main",
                                                     .pSpecializationInfo = constants},
                                           .layout = layout};
  result = device.next.vkCreateComputePipelines(device.handle, cache, 1, &create, nullptr, &made);
  device.next.vkDestroyShaderModule(device.handle, module, nullptr);
  return result;
}

VkResult create_host_buffer(const LayerDevice& device, std::uint64_t size, VkBufferUsageFlags usage, HostBuffer& made) {
  const auto fail_with = [&](VkResult result) {
    destroy_host_buffer(device, made);
    return result;
  };
  const VkBufferCreateInfo create{
      .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
      .size = size,
      .usage = usage | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
      // Queues of all families read it.
      .sharingMode = device.queue_families.size() > 1 ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE,
      .queueFamilyIndexCount = static_cast<std::uint32_t>(device.queue_families.size()),
      .pQueueFamilyIndices = device.queue_families.data()};
  VkResult result = device.next.vkCreateBuffer(device.handle, &create, nullptr, &made.buffer);
  if (result != VK_SUCCESS) return result;
  const VkBufferMemoryRequirementsInfo2 of{.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_REQUIREMENTS_INFO_2,
                                           .buffer = made.buffer};
  VkMemoryRequirements2 needs{.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
  device.next.vkGetBufferMemoryRequirements2(device.handle, &of, &needs);
  constexpr VkMemoryPropertyFlags host = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  const VkMemoryAllocateFlagsInfo flags{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                        .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
  result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
  // The part of a device's memory that the host sees may be small.
  for (const VkMemoryPropertyFlags preferred : {host | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, host}) {
    const std::int32_t type = find_memory_type(device, needs.memoryRequirements.memoryTypeBits, preferred, preferred);
    if (type < 0) continue;
    const VkMemoryAllocateInfo allocate{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                        .pNext = &flags,
                                        .allocationSize = needs.memoryRequirements.size,
                                        .memoryTypeIndex = static_cast<std::uint32_t>(type)};
    result = device.next.vkAllocateMemory(device.handle, &allocate, nullptr, &made.memory);
    if (result == VK_SUCCESS) break;
  }
  if (result != VK_SUCCESS) return fail_with(result);
  result = bind_buffer(device, made.buffer, made.memory, 0, made.address);
  if (result != VK_SUCCESS) return fail_with(result);
  void* mapped = nullptr;
  result = device.next.vkMapMemory(device.handle, made.memory, 0, VK_WHOLE_SIZE, 0, &mapped);
  if (result != VK_SUCCESS) return fail_with(result);
  made.mapped = static_cast<std::byte*>(mapped);
  return VK_SUCCESS;
}

VkResult bind_buffer(const LayerDevice& device, VkBuffer buffer, VkDeviceMemory memory, VkDeviceSize offset,
                     VkDeviceAddress& address) {
  const VkBindBufferMemoryInfo bind{
      .sType = VK_STRUCTURE_TYPE_BIND_BUFFER_MEMORY_INFO, .buffer = buffer, .memory = memory, .memoryOffset = offset};
  const VkResult result = device.next.vkBindBufferMemory2(device.handle, 1, &bind);
  if (result != VK_SUCCESS) return result;
  const VkBufferDeviceAddressInfo where{.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .buffer = buffer};
  address = device.next.vkGetBufferDeviceAddress(device.handle, &where);
  return VK_SUCCESS;
}

void destroy_host_buffer(const LayerDevice& device, HostBuffer& buffer) {
  if (buffer.buffer != VK_NULL_HANDLE) device.next.vkDestroyBuffer(device.handle, buffer.buffer, nullptr);
  if (buffer.memory != VK_NULL_HANDLE) device.next.vkFreeMemory(device.handle, buffer.memory, nullptr);
  buffer = {};
}

std::span<const NamedFunction> device_functions() {
  static const NamedFunction table[] = {
      named("vkCreateDevice", CreateDevice),
      named("vkDestroyDevice", DestroyDevice),
  };
  return table;
}

}  // namespace slipway::layer
