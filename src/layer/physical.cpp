// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What physical devices offer with the layer: extensions, features, limits, formats, queue families, graph engines.
#include <array>
#include <cstdio>
#include <cstring>
#include <limits>

#include "base/format.hpp"
#include "base/print_diagnostic.hpp"
#include "gpu/device/snapshot_read.hpp"
#include "layer/chain.hpp"
#include "layer/dispatch.hpp"
#include "layer/formats.hpp"
#include "layer/graphs/optical_flow.hpp"
#include "layer/limits.hpp"
#include "layer/offer.hpp"
#include "layer/resources/images.hpp"

namespace slipway::layer {
namespace {

// --- extensions ------------------------------------------------------------------------------------------------------

constexpr VkExtensionProperties kTensorExtension = {VK_ARM_TENSORS_EXTENSION_NAME, VK_ARM_TENSORS_SPEC_VERSION};
constexpr VkExtensionProperties kGraphOffers[] = {
    {VK_ARM_DATA_GRAPH_EXTENSION_NAME, VK_ARM_DATA_GRAPH_SPEC_VERSION},
    {VK_ARM_DATA_GRAPH_INSTRUCTION_SET_TOSA_EXTENSION_NAME, VK_ARM_DATA_GRAPH_INSTRUCTION_SET_TOSA_SPEC_VERSION},
};
constexpr VkExtensionProperties kFlowExtension = {VK_ARM_DATA_GRAPH_OPTICAL_FLOW_EXTENSION_NAME,
                                                  VK_ARM_DATA_GRAPH_OPTICAL_FLOW_SPEC_VERSION};
constexpr VkExtensionProperties kToolingExtension = {VK_EXT_TOOLING_INFO_EXTENSION_NAME,
                                                     VK_EXT_TOOLING_INFO_SPEC_VERSION};

VkResult EnumerateDeviceExtensionProperties(VkPhysicalDevice device, const char* layer, std::uint32_t* count,
                                            VkExtensionProperties* properties) {
  return guarded([&] {
    LayerInstance& instance = instance_of(device);
    if (layer != nullptr && std::string_view(layer) != kLayerName)
      return instance.next.vkEnumerateDeviceExtensionProperties(device, layer, count, properties);
    const LayerPhysicalDevice* known = instance.physical_device(device);
    if (known == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
    std::vector<VkExtensionProperties> all;
    if (layer == nullptr) {
      std::uint32_t theirs = 0;
      VkResult result = instance.next.vkEnumerateDeviceExtensionProperties(device, nullptr, &theirs, nullptr);
      if (result != VK_SUCCESS) return result;
      all.resize(theirs);
      result = instance.next.vkEnumerateDeviceExtensionProperties(device, nullptr, &theirs, all.data());
      if (result != VK_SUCCESS) return result;
      all.resize(theirs);
    }
    if (!known->offer.native) {
      std::erase_if(all, [](const VkExtensionProperties& one) { return is_layer_extension(one.extensionName); });
      if (known->offer.tensors) all.push_back(kTensorExtension);
      if (known->offer.graphs) all.append_range(kGraphOffers);
      if (known->offer.flow) all.push_back(kFlowExtension);
    }
    if (std::ranges::none_of(all, [](const VkExtensionProperties& one) {
          return std::string_view(one.extensionName) == VK_EXT_TOOLING_INFO_EXTENSION_NAME;
        }))
      all.push_back(kToolingExtension);
    return write_array<VkExtensionProperties>(all, count, properties);
  });
}

// --- features --------------------------------------------------------------------------------------------------------

constexpr VkStructureType kFeatureTypes[] = {
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TENSOR_FEATURES_ARM,
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DATA_GRAPH_FEATURES_ARM,
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_TENSOR_FEATURES_ARM,
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DATA_GRAPH_OPTICAL_FLOW_FEATURES_ARM,
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DATA_GRAPH_NEURAL_ACCELERATOR_STATISTICS_FEATURES_ARM,
};

VkBool32 flag(bool value) { return value ? VK_TRUE : VK_FALSE; }

// The layer's devices that are not native; null for others, which the driver answers for.
const LayerPhysicalDevice* extended(VkPhysicalDevice device) noexcept {
  try {
    const LayerPhysicalDevice* known = instance_of(device).physical_device(device);
    return known == nullptr || known->offer.native ? nullptr : known;
  } catch (...) {
    return nullptr;
  }
}

template <class Function>
Function either(Function core, Function other) {
  return core != nullptr ? core : other;
}

void GetPhysicalDeviceFeatures2(VkPhysicalDevice device, VkPhysicalDeviceFeatures2* features) {
  const LayerInstance& instance = instance_of(device);
  const auto next = either(instance.next.vkGetPhysicalDeviceFeatures2, instance.next.vkGetPhysicalDeviceFeatures2KHR);
  const LayerPhysicalDevice* known = extended(device);
  if (known == nullptr) return next(device, features);
  {
    const Unlinked ours(features, kFeatureTypes);
    next(device, features);
  }
  write_features(*known, features->pNext);
}

// --- properties ------------------------------------------------------------------------------------------------------

constexpr VkStructureType kPropertyTypes[] = {
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TENSOR_PROPERTIES_ARM,
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_TENSOR_PROPERTIES_ARM,
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_HEAP_TENSOR_PROPERTIES_ARM,
};

double limit_of(const vk::Snapshot& device, std::string_view name) {
  const auto found = device.limits_by_name.find(name);
  return found == device.limits_by_name.end() ? 0 : found->second;
}

std::uint32_t tensor_descriptors(const vk::Snapshot& device, std::string_view limit) {
  return tensors_of(static_cast<std::uint32_t>(std::min<double>(limit_of(device, limit), 4294967295.0)));
}

void write_tensor_properties(const LayerPhysicalDevice& device, VkPhysicalDeviceTensorPropertiesARM& to) {
  const vk::Snapshot& snapshot = device.snapshot;
  const std::uint64_t bytes = std::min<std::uint64_t>(
      {snapshot.limits.max_buffer_size, snapshot.limits.max_memory_allocation_size, std::uint64_t{1} << 62});
  to.maxTensorDimensionCount = kMaxRank;
  to.maxTensorElements = to.maxPerDimensionTensorElements = kMaxElements;
  to.maxTensorStride = static_cast<std::int64_t>(bytes);
  to.maxTensorSize = bytes;
  to.maxTensorShaderAccessArrayLength = kMaxShaderArray;
  to.maxTensorShaderAccessSize = kMaxShaderArray * 8;
  to.maxDescriptorSetStorageTensors = tensor_descriptors(snapshot, "maxDescriptorSetUniformBuffers");
  to.maxPerStageDescriptorSetStorageTensors = tensor_descriptors(snapshot, "maxPerStageDescriptorUniformBuffers");
  to.maxDescriptorSetUpdateAfterBindStorageTensors =
      tensor_descriptors(snapshot, "maxDescriptorSetUpdateAfterBindUniformBuffers");
  to.maxPerStageDescriptorUpdateAfterBindStorageTensors =
      tensor_descriptors(snapshot, "maxPerStageDescriptorUpdateAfterBindUniformBuffers");
  to.shaderStorageTensorArrayNonUniformIndexingNative =
      flag(limit_of(snapshot, "shaderUniformBufferArrayNonUniformIndexingNative") != 0);
  to.shaderTensorSupportedStages = tensor_stages(snapshot);
  if (device.offer.tensors) return;
  const VkPhysicalDeviceTensorPropertiesARM none{.sType = to.sType, .pNext = to.pNext};
  to = none;
}

// Descriptors that tensors take are not the application's any more.
void take(std::uint32_t& limit) { limit -= tensors_of(limit); }

void take_descriptors(VkPhysicalDeviceLimits& limits) {
  take(limits.maxPerStageDescriptorUniformBuffers);
  take(limits.maxDescriptorSetUniformBuffers);
}

template <class T>
void take_update_after_bind(T* properties) {
  if (properties == nullptr) return;
  take(properties->maxPerStageDescriptorUpdateAfterBindUniformBuffers);
  take(properties->maxDescriptorSetUpdateAfterBindUniformBuffers);
}

void GetPhysicalDeviceProperties(VkPhysicalDevice device, VkPhysicalDeviceProperties* properties) {
  instance_of(device).next.vkGetPhysicalDeviceProperties(device, properties);
  const LayerPhysicalDevice* known = extended(device);
  if (known != nullptr && known->offer.tensors) take_descriptors(properties->limits);
}

void GetPhysicalDeviceProperties2(VkPhysicalDevice device, VkPhysicalDeviceProperties2* properties) {
  const LayerInstance& instance = instance_of(device);
  const auto next =
      either(instance.next.vkGetPhysicalDeviceProperties2, instance.next.vkGetPhysicalDeviceProperties2KHR);
  const LayerPhysicalDevice* known = extended(device);
  if (known == nullptr) return next(device, properties);
  {
    const Unlinked ours(properties, kPropertyTypes);
    next(device, properties);
  }
  if (known->offer.tensors) {
    take_descriptors(properties->properties.limits);
    take_update_after_bind(find_in_chain<VkPhysicalDeviceVulkan12Properties>(
        properties->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES));
    take_update_after_bind(find_in_chain<VkPhysicalDeviceDescriptorIndexingProperties>(
        properties->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_PROPERTIES));
  }
  if (auto* tensors = find_in_chain<VkPhysicalDeviceTensorPropertiesARM>(properties->pNext, kPropertyTypes[0]))
    write_tensor_properties(*known, *tensors);
  if (auto* buffers =
          find_in_chain<VkPhysicalDeviceDescriptorBufferTensorPropertiesARM>(properties->pNext, kPropertyTypes[1])) {
    buffers->tensorCaptureReplayDescriptorDataSize = buffers->tensorViewCaptureReplayDescriptorDataSize = 0;
    buffers->tensorDescriptorSize = known->record_descriptor_size;
  }
  if (auto* heaps =
          find_in_chain<VkPhysicalDeviceDescriptorHeapTensorPropertiesARM>(properties->pNext, kPropertyTypes[2]))
    *heaps = {.sType = heaps->sType, .pNext = heaps->pNext};
}

// --- formats ---------------------------------------------------------------------------------------------------------

constexpr VkStructureType kFormatTypes[] = {VK_STRUCTURE_TYPE_TENSOR_FORMAT_PROPERTIES_ARM};

VkFormatFeatureFlags2 tensor_features(const LayerPhysicalDevice& device, VkFormat format) {
  if (!device.offer.tensors || element_size(format) == 0) return 0;
  if (format == VK_FORMAT_R64_SFLOAT && !device.snapshot.has_feature("shaderFloat64")) return 0;
  VkFormatFeatureFlags2 features = VK_FORMAT_FEATURE_2_TENSOR_SHADER_BIT_ARM | VK_FORMAT_FEATURE_2_TRANSFER_SRC_BIT |
                                   VK_FORMAT_FEATURE_2_TRANSFER_DST_BIT;
  if (element_size(format) <= 4) features |= VK_FORMAT_FEATURE_2_TENSOR_IMAGE_ALIASING_BIT_ARM;
  if (device.offer.graphs && is_for_graphs(format)) features |= VK_FORMAT_FEATURE_2_TENSOR_DATA_GRAPH_BIT_ARM;
  return features;
}

void GetPhysicalDeviceFormatProperties(VkPhysicalDevice device, VkFormat format, VkFormatProperties* properties) {
  if (is_new_format(format) && extended(device) != nullptr) {
    *properties = {};
    return;
  }
  instance_of(device).next.vkGetPhysicalDeviceFormatProperties(device, format, properties);
}

void GetPhysicalDeviceFormatProperties2(VkPhysicalDevice device, VkFormat format, VkFormatProperties2* properties) {
  const LayerInstance& instance = instance_of(device);
  const auto next =
      either(instance.next.vkGetPhysicalDeviceFormatProperties2, instance.next.vkGetPhysicalDeviceFormatProperties2KHR);
  const LayerPhysicalDevice* known = extended(device);
  if (known == nullptr) return next(device, format, properties);
  {
    const Unlinked ours(properties, kFormatTypes);
    if (is_new_format(format)) {
      properties->formatProperties = {};
      if (auto* more = find_in_chain<VkFormatProperties3>(properties->pNext, VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3))
        more->linearTilingFeatures = more->optimalTilingFeatures = more->bufferFeatures = 0;
    } else {
      next(device, format, properties);
    }
  }
  if (auto* more = find_in_chain<VkFormatProperties3>(properties->pNext, VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3)) {
    if (known->offer.tensors && can_alias(more->linearTilingFeatures))
      more->optimalTilingFeatures |= VK_FORMAT_FEATURE_2_TENSOR_IMAGE_ALIASING_BIT_ARM;
    if (known->offer.flow) more->optimalTilingFeatures |= flow_features(known->snapshot, format);
  }
  if (auto* tensors = find_in_chain<VkTensorFormatPropertiesARM>(properties->pNext, kFormatTypes[0])) {
    tensors->optimalTilingTensorFeatures = tensor_features(*known, format);
    // Tensors that alias images have optimal tiling.
    tensors->linearTilingTensorFeatures =
        tensors->optimalTilingTensorFeatures & ~VK_FORMAT_FEATURE_2_TENSOR_IMAGE_ALIASING_BIT_ARM;
  }
}

VkResult GetPhysicalDeviceImageFormatProperties(VkPhysicalDevice device, VkFormat format, VkImageType type,
                                                VkImageTiling tiling, VkImageUsageFlags usage, VkImageCreateFlags flags,
                                                VkImageFormatProperties* properties) {
  if (extended(device) != nullptr) {
    if (is_new_format(format)) return VK_ERROR_FORMAT_NOT_SUPPORTED;
    VkImageCreateInfo image{.tiling = tiling, .usage = usage};
    make_linear(image);
    tiling = image.tiling;
    usage = image.usage;
  }
  return instance_of(device).next.vkGetPhysicalDeviceImageFormatProperties(device, format, type, tiling, usage, flags,
                                                                           properties);
}

VkResult image_format_properties(VkPhysicalDevice device, const VkPhysicalDeviceImageFormatInfo2* info,
                                 VkImageFormatProperties2* properties) {
  const LayerInstance& instance = instance_of(device);
  const auto next = either(instance.next.vkGetPhysicalDeviceImageFormatProperties2,
                           instance.next.vkGetPhysicalDeviceImageFormatProperties2KHR);
  if (extended(device) == nullptr) return next(device, info, properties);
  if (is_new_format(info->format)) return VK_ERROR_FORMAT_NOT_SUPPORTED;
  VkImageCreateInfo image{.tiling = info->tiling, .usage = info->usage};
  make_linear(image);
  constexpr VkStructureType removed[] = {VK_STRUCTURE_TYPE_DATA_GRAPH_OPTICAL_FLOW_IMAGE_FORMAT_INFO_ARM};
  const auto* flow = find_in_chain<VkDataGraphOpticalFlowImageFormatInfoARM>(info->pNext, removed[0]);
  if (flow != nullptr) image.usage |= flow_usage(flow->usage);
  ChainCopy chain;
  VkPhysicalDeviceImageFormatInfo2 theirs = *info;
  theirs.pNext = chain.make(info->pNext, removed);
  theirs.tiling = image.tiling;
  theirs.usage = image.usage;
  return next(device, &theirs, properties);
}

VkResult GetPhysicalDeviceImageFormatProperties2(VkPhysicalDevice device, const VkPhysicalDeviceImageFormatInfo2* info,
                                                 VkImageFormatProperties2* properties) {
  return guarded([&] { return image_format_properties(device, info, properties); });
}

// --- queue families --------------------------------------------------------------------------------------------------

void add_graphs(const LayerPhysicalDevice* known, VkQueueFlags& flags) {
  if (known != nullptr && known->offer.graphs && (flags & VK_QUEUE_COMPUTE_BIT) != 0)
    flags |= VK_QUEUE_DATA_GRAPH_BIT_ARM;
}

void GetPhysicalDeviceQueueFamilyProperties(VkPhysicalDevice device, std::uint32_t* count,
                                            VkQueueFamilyProperties* families) {
  instance_of(device).next.vkGetPhysicalDeviceQueueFamilyProperties(device, count, families);
  if (families == nullptr) return;
  const LayerPhysicalDevice* known = extended(device);
  for (std::uint32_t i = 0; i < *count; ++i) add_graphs(known, families[i].queueFlags);
}

void GetPhysicalDeviceQueueFamilyProperties2(VkPhysicalDevice device, std::uint32_t* count,
                                             VkQueueFamilyProperties2* families) {
  const LayerInstance& instance = instance_of(device);
  either(instance.next.vkGetPhysicalDeviceQueueFamilyProperties2,
         instance.next.vkGetPhysicalDeviceQueueFamilyProperties2KHR)(device, count, families);
  if (families == nullptr) return;
  const LayerPhysicalDevice* known = extended(device);
  for (std::uint32_t i = 0; i < *count; ++i) add_graphs(known, families[i].queueFamilyProperties.queueFlags);
}

struct GraphOperation {
  VkPhysicalDeviceDataGraphOperationTypeARM type;
  const char* name;
};
constexpr GraphOperation kOperations[] = {
    {VK_PHYSICAL_DEVICE_DATA_GRAPH_OPERATION_TYPE_SPIRV_EXTENDED_INSTRUCTION_SET_ARM, "TOSA.001000.1"},
    {VK_PHYSICAL_DEVICE_DATA_GRAPH_OPERATION_TYPE_SPIRV_EXTENDED_INSTRUCTION_SET_ARM, "Arm.MotionEngine.100"},
    {VK_PHYSICAL_DEVICE_DATA_GRAPH_OPERATION_TYPE_OPTICAL_FLOW_ARM, "OpticalFlow"},  // the last one: not everywhere
};

bool has_graphs(const LayerPhysicalDevice* known, std::uint32_t family) {
  return known != nullptr && known->offer.graphs && family < known->snapshot.queue_families.size() &&
         (known->snapshot.queue_families[family].flags & vk::queue_flag::kCompute) != 0;
}

VkResult GetPhysicalDeviceQueueFamilyDataGraphPropertiesARM(VkPhysicalDevice device, std::uint32_t family,
                                                            std::uint32_t* count,
                                                            VkQueueFamilyDataGraphPropertiesARM* properties) {
  const LayerPhysicalDevice* known = extended(device);
  if (known == nullptr) {
    const auto next = instance_of(device).next.vkGetPhysicalDeviceQueueFamilyDataGraphPropertiesARM;
    return next != nullptr ? next(device, family, count, properties) : VK_ERROR_INITIALIZATION_FAILED;
  }
  std::array<VkQueueFamilyDataGraphPropertiesARM, std::size(kOperations)> all{};
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].sType = VK_STRUCTURE_TYPE_QUEUE_FAMILY_DATA_GRAPH_PROPERTIES_ARM;
    all[i].engine = {VK_PHYSICAL_DEVICE_DATA_GRAPH_PROCESSING_ENGINE_TYPE_DEFAULT_ARM, VK_FALSE};
    all[i].operation.operationType = kOperations[i].type;
    std::snprintf(all[i].operation.name, sizeof all[i].operation.name, "%s", kOperations[i].name);
  }
  const std::size_t offered = !has_graphs(known, family) ? 0 : known->offer.flow ? all.size() : all.size() - 1;
  return write_array<VkQueueFamilyDataGraphPropertiesARM>(std::span(all).first(offered), count, properties);
}

void GetPhysicalDeviceQueueFamilyDataGraphProcessingEnginePropertiesARM(
    VkPhysicalDevice device, const VkPhysicalDeviceQueueFamilyDataGraphProcessingEngineInfoARM* info,
    VkQueueFamilyDataGraphProcessingEnginePropertiesARM* properties) {
  if (extended(device) == nullptr) {
    const auto next = instance_of(device).next.vkGetPhysicalDeviceQueueFamilyDataGraphProcessingEnginePropertiesARM;
    if (next != nullptr) return next(device, info, properties);
  }
  properties->foreignSemaphoreHandleTypes = 0;
  properties->foreignMemoryHandleTypes = 0;
}

constexpr VkDataGraphTOSAQualityFlagsARM kQuality = VK_DATA_GRAPH_TOSA_QUALITY_ACCELERATED_ARM;
constexpr VkDataGraphTOSANameQualityARM kProfiles[] = {{"PRO-INT", kQuality}, {"PRO-FP", kQuality}};
constexpr VkDataGraphTOSANameQualityARM kTosaExtensions[] = {
    {"EXT-INT16", kQuality},   {"EXT-INT4", kQuality}, {"EXT-BF16", kQuality},        {"EXT-FP8E4M3", kQuality},
    {"EXT-FP8E5M2", kQuality}, {"EXT-FFT", kQuality},  {"EXT-DOUBLEROUND", kQuality}, {"EXT-INEXACTROUND", kQuality}};

VkResult GetPhysicalDeviceQueueFamilyDataGraphEngineOperationPropertiesARM(
    VkPhysicalDevice device, std::uint32_t family, const VkQueueFamilyDataGraphPropertiesARM* operation,
    VkBaseOutStructure* properties) {
  if (extended(device) == nullptr) {
    const auto next = instance_of(device).next.vkGetPhysicalDeviceQueueFamilyDataGraphEngineOperationPropertiesARM;
    return next != nullptr ? next(device, family, operation, properties) : VK_ERROR_INITIALIZATION_FAILED;
  }
  // Profiles are of TOSA, not of other instruction sets.
  const bool is_tosa = operation == nullptr || std::string_view(operation->operation.name) == kOperations[0].name;
  auto* tosa = find_in_chain<VkQueueFamilyDataGraphTOSAPropertiesARM>(
      properties, VK_STRUCTURE_TYPE_QUEUE_FAMILY_DATA_GRAPH_TOSA_PROPERTIES_ARM);
  if (tosa != nullptr && !is_tosa) *tosa = {.sType = tosa->sType, .pNext = tosa->pNext};
  if (tosa != nullptr && is_tosa) {
    tosa->profileCount = static_cast<std::uint32_t>(std::size(kProfiles));
    tosa->pProfiles = kProfiles;
    tosa->extensionCount = static_cast<std::uint32_t>(std::size(kTosaExtensions));
    tosa->pExtensions = kTosaExtensions;
    tosa->level = VK_DATA_GRAPH_TOSA_LEVEL_8K_ARM;
  }
  if (auto* flow = find_in_chain<VkQueueFamilyDataGraphOpticalFlowPropertiesARM>(
          properties, VK_STRUCTURE_TYPE_QUEUE_FAMILY_DATA_GRAPH_OPTICAL_FLOW_PROPERTIES_ARM)) {
    flow->supportedOutputGridSizes = flow->supportedHintGridSizes = kFlowGrids;
    flow->hintSupported = flow->costSupported = VK_TRUE;
    flow->minWidth = flow->minHeight = kMinFlowSide;
    flow->maxWidth = flow->maxHeight = kMaxFlowSide;
  }
  return VK_SUCCESS;
}

VkResult GetPhysicalDeviceQueueFamilyDataGraphOpticalFlowImageFormatsARM(
    VkPhysicalDevice device, std::uint32_t family, const VkQueueFamilyDataGraphPropertiesARM* operation,
    const VkDataGraphOpticalFlowImageFormatInfoARM* info, std::uint32_t* count,
    VkDataGraphOpticalFlowImageFormatPropertiesARM* properties) {
  const LayerPhysicalDevice* known = extended(device);
  if (known == nullptr) {
    const auto next = instance_of(device).next.vkGetPhysicalDeviceQueueFamilyDataGraphOpticalFlowImageFormatsARM;
    return next != nullptr ? next(device, family, operation, info, count, properties) : VK_ERROR_INITIALIZATION_FAILED;
  }
  return guarded([&] {
    std::vector<VkDataGraphOpticalFlowImageFormatPropertiesARM> all;
    if (has_graphs(known, family) && known->offer.flow && info != nullptr) {
      for (const VkFormat format : flow_formats(known->snapshot, info->usage))
        all.push_back({.sType = VK_STRUCTURE_TYPE_DATA_GRAPH_OPTICAL_FLOW_IMAGE_FORMAT_PROPERTIES_ARM,
                       .pNext = nullptr,
                       .format = format});
    }
    return write_array<VkDataGraphOpticalFlowImageFormatPropertiesARM>(all, count, properties);
  });
}

// --- other queries ---------------------------------------------------------------------------------------------------

// The memory of a tensor is that of a buffer.
void GetPhysicalDeviceExternalTensorPropertiesARM(VkPhysicalDevice device,
                                                  const VkPhysicalDeviceExternalTensorInfoARM* info,
                                                  VkExternalTensorPropertiesARM* properties) {
  const LayerInstance& instance = instance_of(device);
  if (extended(device) == nullptr && instance.next.vkGetPhysicalDeviceExternalTensorPropertiesARM != nullptr)
    return instance.next.vkGetPhysicalDeviceExternalTensorPropertiesARM(device, info, properties);
  const VkPhysicalDeviceExternalBufferInfo buffer{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO,
                                                  .flags = (info->flags & VK_TENSOR_CREATE_PROTECTED_BIT_ARM) != 0
                                                               ? VkBufferCreateFlags{VK_BUFFER_CREATE_PROTECTED_BIT}
                                                               : 0,
                                                  .usage = kTensorBufferUsage,
                                                  .handleType = info->handleType};
  VkExternalBufferProperties found{.sType = VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES};
  instance.next.vkGetPhysicalDeviceExternalBufferProperties(device, &buffer, &found);
  properties->externalMemoryProperties = found.externalMemoryProperties;
}

constexpr VkPhysicalDeviceToolProperties kTool = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TOOL_PROPERTIES,
    .name = "Slipway machine learning layer",
    .version = "1",
    .purposes = VK_TOOL_PURPOSE_ADDITIONAL_FEATURES_BIT,
    .description = "VK_ARM_tensors and VK_ARM_data_graph for devices that lack them",
    .layer = "VK_LAYER_SLIPWAY_machine_learning"};

VkResult GetPhysicalDeviceToolProperties(VkPhysicalDevice device, std::uint32_t* count,
                                         VkPhysicalDeviceToolProperties* tools) {
  return guarded([&] {
    const LayerInstance& instance = instance_of(device);
    const auto next =
        either(instance.next.vkGetPhysicalDeviceToolProperties, instance.next.vkGetPhysicalDeviceToolPropertiesEXT);
    std::vector<VkPhysicalDeviceToolProperties> all;
    if (next != nullptr) {
      std::uint32_t theirs = 0;
      VkResult result = next(device, &theirs, nullptr);
      if (result != VK_SUCCESS) return result;
      all.resize(theirs, {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TOOL_PROPERTIES});
      result = next(device, &theirs, all.data());
      if (result < VK_SUCCESS) return result;
      all.resize(theirs);
    }
    all.push_back(kTool);
    return write_array<VkPhysicalDeviceToolProperties>(all, count, tools);
  });
}

}  // namespace

void write_features(const LayerPhysicalDevice& device, void* chain) {
  const auto has = [&](const char* name) { return flag(device.offer.tensors && device.snapshot.has_feature(name)); };
  if (auto* tensors = find_in_chain<VkPhysicalDeviceTensorFeaturesARM>(chain, kFeatureTypes[0])) {
    tensors->tensorNonPacked = tensors->shaderTensorAccess = tensors->tensors = flag(device.offer.tensors);
    tensors->shaderStorageTensorArrayDynamicIndexing = has("shaderUniformBufferArrayDynamicIndexing");
    tensors->shaderStorageTensorArrayNonUniformIndexing = has("shaderUniformBufferArrayNonUniformIndexing");
    tensors->descriptorBindingStorageTensorUpdateAfterBind = has("descriptorBindingUniformBufferUpdateAfterBind");
  }
  if (auto* graphs = find_in_chain<VkPhysicalDeviceDataGraphFeaturesARM>(chain, kFeatureTypes[1])) {
    graphs->dataGraph = graphs->dataGraphShaderModule = graphs->dataGraphSpecializationConstants =
        flag(device.offer.graphs);
    graphs->dataGraphUpdateAfterBind =
        flag(device.offer.graphs && device.snapshot.has_feature("descriptorBindingUniformBufferUpdateAfterBind"));
    graphs->dataGraphDescriptorBuffer = VK_FALSE;
  }
  if (auto* buffers = find_in_chain<VkPhysicalDeviceDescriptorBufferTensorFeaturesARM>(chain, kFeatureTypes[2]))
    buffers->descriptorBufferTensorDescriptors = flag(device.record_descriptor_size != 0);
  if (auto* flow = find_in_chain<VkPhysicalDeviceDataGraphOpticalFlowFeaturesARM>(chain, kFeatureTypes[3]))
    flow->dataGraphOpticalFlow = flag(device.offer.flow);
  if (auto* statistics =
          find_in_chain<VkPhysicalDeviceDataGraphNeuralAcceleratorStatisticsFeaturesARM>(chain, kFeatureTypes[4]))
    statistics->dataGraphNeuralAcceleratorStatistics = VK_FALSE;
}

bool is_of_this_layer(std::string_view name) {
  return name.ends_with("ARM") || name.starts_with("vkGetPhysicalDeviceToolProperties");
}

// Tensors in descriptor buffers are records, as in sets. Descriptors with and without robust access must have one size,
// because the application learns only one; and what is captured could not be replayed.
std::size_t LayerInstance::record_descriptor_size(const LayerPhysicalDevice& device) const {
  if (!device.offer.tensors || !device.snapshot.has_extension(VK_EXT_DESCRIPTOR_BUFFER_EXTENSION_NAME)) return 0;
  VkPhysicalDeviceDescriptorBufferFeaturesEXT features{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_FEATURES_EXT};
  VkPhysicalDeviceFeatures2 all{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &features};
  next.vkGetPhysicalDeviceFeatures2(device.handle, &all);
  VkPhysicalDeviceDescriptorBufferPropertiesEXT sizes{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_PROPERTIES_EXT};
  VkPhysicalDeviceProperties2 properties{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &sizes};
  next.vkGetPhysicalDeviceProperties2(device.handle, &properties);
  const bool offered = features.descriptorBuffer != VK_FALSE && features.descriptorBufferCaptureReplay == VK_FALSE &&
                       sizes.uniformBufferDescriptorSize == sizes.robustUniformBufferDescriptorSize;
  return offered ? sizes.uniformBufferDescriptorSize : 0;
}

const LayerPhysicalDevice* LayerInstance::physical_device(VkPhysicalDevice device) {
  std::unique_lock lock(mutex_);
  std::unique_ptr<LayerPhysicalDevice>& known = devices_[device];
  if (known) return known.get();
  VolkInstanceTable functions{};
  functions.vkEnumerateDeviceExtensionProperties = next.vkEnumerateDeviceExtensionProperties;
  functions.vkGetPhysicalDeviceProperties = next.vkGetPhysicalDeviceProperties;
  functions.vkGetPhysicalDeviceQueueFamilyProperties = next.vkGetPhysicalDeviceQueueFamilyProperties;
  functions.vkGetPhysicalDeviceMemoryProperties = next.vkGetPhysicalDeviceMemoryProperties;
  functions.vkGetPhysicalDeviceProperties2 =
      either(next.vkGetPhysicalDeviceProperties2, next.vkGetPhysicalDeviceProperties2KHR);
  functions.vkGetPhysicalDeviceFeatures2 =
      either(next.vkGetPhysicalDeviceFeatures2, next.vkGetPhysicalDeviceFeatures2KHR);
  functions.vkGetPhysicalDeviceFormatProperties2 =
      either(next.vkGetPhysicalDeviceFormatProperties2, next.vkGetPhysicalDeviceFormatProperties2KHR);
  functions.vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR = next.vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR;
  functions.vkGetPhysicalDeviceQueueFamilyDataGraphPropertiesARM =
      next.vkGetPhysicalDeviceQueueFamilyDataGraphPropertiesARM;
  auto made = std::make_unique<LayerPhysicalDevice>();
  made->handle = device;
  made->instance = this;
  VkPhysicalDeviceProperties basics{};
  next.vkGetPhysicalDeviceProperties(device, &basics);
  // Without the functions of 1.1, only what such a device has is read.
  if (functions.vkGetPhysicalDeviceFeatures2 == nullptr || api < VK_API_VERSION_1_1) {
    made->snapshot.name = basics.deviceName;
  } else {
    Result<vk::Snapshot> snapshot = gpu::read_snapshot(functions, device, 0);
    if (!snapshot) {
      lock.unlock();  // a messenger of the application may call the layer
      message(MessageLevel::Error, snapshot.error().front().message);
      return nullptr;
    }
    made->snapshot = std::move(*snapshot);
  }
  made->offer =
      offer_of(made->snapshot,
               {.force = settings.force, .api_minor = VK_API_VERSION_MAJOR(api) > 1 ? ~0u : VK_API_VERSION_MINOR(api)});
  made->record_descriptor_size = record_descriptor_size(*made);
  known = std::move(made);
  const LayerPhysicalDevice& added = *known;
  // A messenger of the application may call the layer.
  lock.unlock();
  if (!added.offer.native && !added.offer.missing.empty())
    message(MessageLevel::Warning,
            formatted("{}: {} unavailable; the device lacks {}", basics.deviceName,
                      added.offer.tensors ? "VK_ARM_data_graph is" : "VK_ARM_tensors is", added.offer.missing));
  return &added;
}

void LayerInstance::report(std::span<const Diagnostic> problems) const {
  for (const Diagnostic& problem : problems) {
    const std::string text = format_diagnostic(problem, {.sources = false, .severity = false});
    if (problem.is_rule && problem.severity == Severity::Warning) {
      repaired(text);
      continue;
    }
    const MessageLevel level = problem.severity == Severity::Error     ? MessageLevel::Error
                               : problem.severity == Severity::Warning ? MessageLevel::Warning
                                                                       : MessageLevel::Info;
    message(level, text);
  }
}

void LayerInstance::repaired(std::string_view text) const {
  // A messenger of the application may call the layer.
  std::unique_lock lock(repairs_mutex_);
  if (!repairs_.emplace(text).second) return;
  lock.unlock();
  message(MessageLevel::Warning, text);
}

void LayerInstance::message(MessageLevel level, std::string_view text) const {
  static constexpr const char* kNames[] = {"error", "warning", "info", "debug"};
  while (text.ends_with('\n')) text.remove_suffix(1);
  const std::string line(text);
  if (settings.log > static_cast<LayerLogLevel>(level))
    std::fprintf(stderr, "slipway layer: %s: %s\n", kNames[static_cast<int>(level)], line.c_str());
  if (next.vkSubmitDebugUtilsMessageEXT == nullptr || level == MessageLevel::Debug) return;
  static constexpr VkDebugUtilsMessageSeverityFlagBitsEXT kSeverities[] = {
      VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT, VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT,
      VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT};
  const VkDebugUtilsMessengerCallbackDataEXT data{.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CALLBACK_DATA_EXT,
                                                  .pMessageIdName = "slipway",
                                                  .pMessage = line.c_str()};
  next.vkSubmitDebugUtilsMessageEXT(handle, kSeverities[static_cast<int>(level)],
                                    VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT, &data);
}

std::span<const NamedFunction> physical_device_functions() {
  static const NamedFunction table[] = {
      named("vkEnumerateDeviceExtensionProperties", EnumerateDeviceExtensionProperties),
      named("vkGetPhysicalDeviceFeatures2", GetPhysicalDeviceFeatures2),
      named("vkGetPhysicalDeviceFeatures2KHR", GetPhysicalDeviceFeatures2),
      named("vkGetPhysicalDeviceProperties", GetPhysicalDeviceProperties),
      named("vkGetPhysicalDeviceProperties2", GetPhysicalDeviceProperties2),
      named("vkGetPhysicalDeviceProperties2KHR", GetPhysicalDeviceProperties2),
      named("vkGetPhysicalDeviceFormatProperties", GetPhysicalDeviceFormatProperties),
      named("vkGetPhysicalDeviceFormatProperties2", GetPhysicalDeviceFormatProperties2),
      named("vkGetPhysicalDeviceFormatProperties2KHR", GetPhysicalDeviceFormatProperties2),
      named("vkGetPhysicalDeviceImageFormatProperties", GetPhysicalDeviceImageFormatProperties),
      named("vkGetPhysicalDeviceImageFormatProperties2", GetPhysicalDeviceImageFormatProperties2),
      named("vkGetPhysicalDeviceImageFormatProperties2KHR", GetPhysicalDeviceImageFormatProperties2),
      named("vkGetPhysicalDeviceQueueFamilyProperties", GetPhysicalDeviceQueueFamilyProperties),
      named("vkGetPhysicalDeviceQueueFamilyProperties2", GetPhysicalDeviceQueueFamilyProperties2),
      named("vkGetPhysicalDeviceQueueFamilyProperties2KHR", GetPhysicalDeviceQueueFamilyProperties2),
      named("vkGetPhysicalDeviceQueueFamilyDataGraphPropertiesARM", GetPhysicalDeviceQueueFamilyDataGraphPropertiesARM),
      named("vkGetPhysicalDeviceQueueFamilyDataGraphProcessingEnginePropertiesARM",
            GetPhysicalDeviceQueueFamilyDataGraphProcessingEnginePropertiesARM),
      named("vkGetPhysicalDeviceQueueFamilyDataGraphEngineOperationPropertiesARM",
            GetPhysicalDeviceQueueFamilyDataGraphEngineOperationPropertiesARM),
      named("vkGetPhysicalDeviceQueueFamilyDataGraphOpticalFlowImageFormatsARM",
            GetPhysicalDeviceQueueFamilyDataGraphOpticalFlowImageFormatsARM),
      named("vkGetPhysicalDeviceExternalTensorPropertiesARM", GetPhysicalDeviceExternalTensorPropertiesARM),
      named("vkGetPhysicalDeviceToolProperties", GetPhysicalDeviceToolProperties),
      named("vkGetPhysicalDeviceToolPropertiesEXT", GetPhysicalDeviceToolProperties),
  };
  return table;
}

}  // namespace slipway::layer
