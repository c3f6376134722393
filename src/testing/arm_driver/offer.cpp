// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The extensions and features that the driver reports, and how the loader finds its functions.
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "testing/arm_driver/driver.hpp"

namespace slipway::testing::arm_driver {
namespace {

constexpr std::array kExtensions = {
    VkExtensionProperties{VK_ARM_TENSORS_EXTENSION_NAME, VK_ARM_TENSORS_SPEC_VERSION},
    VkExtensionProperties{VK_ARM_DATA_GRAPH_EXTENSION_NAME, VK_ARM_DATA_GRAPH_SPEC_VERSION},
};

bool is_ours(std::string_view extension) {
  return std::ranges::contains(kExtensions, extension, &VkExtensionProperties::extensionName);
}

// Formats of tensors: one component, and whole bytes.
constexpr std::array kTensorFormats = {VK_FORMAT_R8_UINT,    VK_FORMAT_R8_SINT,    VK_FORMAT_R16_UINT,
                                       VK_FORMAT_R16_SINT,   VK_FORMAT_R32_UINT,   VK_FORMAT_R32_SINT,
                                       VK_FORMAT_R64_SINT,   VK_FORMAT_R16_SFLOAT, VK_FORMAT_R32_SFLOAT,
                                       VK_FORMAT_R64_SFLOAT, VK_FORMAT_R8_BOOL_ARM};

// --- lavapipe --------------------------------------------------------------------------------------------------------

struct Lavapipe {
  PFN_vkGetInstanceProcAddr get_instance = nullptr;
  PFN_vkGetInstanceProcAddr get_physical = nullptr;
  VkResult (*negotiate)(std::uint32_t*) = nullptr;
};

const Lavapipe& lavapipe() {
  static const Lavapipe loaded = [] {
    void* library = dlopen("libvulkan_lvp.so", RTLD_NOW | RTLD_LOCAL);
    if (!library) complain(dlerror());
    return Lavapipe{
        reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library, "vk_icdGetInstanceProcAddr")),
        reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library, "vk_icdGetPhysicalDeviceProcAddr")),
        reinterpret_cast<VkResult (*)(std::uint32_t*)>(dlsym(library, "vk_icdNegotiateLoaderICDInterfaceVersion"))};
  }();
  return loaded;
}

// --- instance and physical device ------------------------------------------------------------------------------------

VkResult CreateInstance(const VkInstanceCreateInfo* info, const VkAllocationCallbacks* allocator, VkInstance* made) {
  const auto create = reinterpret_cast<PFN_vkCreateInstance>(lavapipe().get_instance(nullptr, "vkCreateInstance"));
  const VkResult result = create(info, allocator, made);
  if (result != VK_SUCCESS) return result;
#define LOAD(name) state().real.name = reinterpret_cast<PFN_##name>(lavapipe().get_instance(*made, #name));
  ARM_DRIVER_REAL_INSTANCE_FUNCTIONS(LOAD)
#undef LOAD
  return result;
}

VkResult EnumerateDeviceExtensionProperties(VkPhysicalDevice device, const char* layer, std::uint32_t* count,
                                            VkExtensionProperties* properties) {
  const auto real = state().real.vkEnumerateDeviceExtensionProperties;
  std::uint32_t theirs = 0;
  if (const VkResult result = real(device, layer, &theirs, nullptr); result != VK_SUCCESS) return result;
  std::vector<VkExtensionProperties> all(theirs);
  if (const VkResult result = real(device, layer, &theirs, all.data()); result != VK_SUCCESS) return result;
  all.insert_range(all.end(), kExtensions);
  const auto wanted = static_cast<std::uint32_t>(all.size());
  if (!properties) {
    *count = wanted;
    return VK_SUCCESS;
  }
  const bool short_of = *count < wanted;
  *count = std::min(*count, wanted);
  std::copy_n(all.begin(), *count, properties);
  return short_of ? VK_INCOMPLETE : VK_SUCCESS;
}

void GetPhysicalDeviceFeatures2(VkPhysicalDevice device, VkPhysicalDeviceFeatures2* features) {
  state().real.vkGetPhysicalDeviceFeatures2(device, features);
  if (auto* tensors = find_in_chain<VkPhysicalDeviceTensorFeaturesARM>(
          features->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TENSOR_FEATURES_ARM)) {
    tensors->tensorNonPacked = tensors->shaderTensorAccess = tensors->tensors = VK_TRUE;
    tensors->shaderStorageTensorArrayDynamicIndexing = VK_TRUE;
  }
  if (auto* graphs = find_in_chain<VkPhysicalDeviceDataGraphFeaturesARM>(
          features->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DATA_GRAPH_FEATURES_ARM)) {
    graphs->dataGraph = graphs->dataGraphShaderModule = VK_TRUE;
  }
}

void GetPhysicalDeviceProperties2(VkPhysicalDevice device, VkPhysicalDeviceProperties2* properties) {
  state().real.vkGetPhysicalDeviceProperties2(device, properties);
  auto* tensors = find_in_chain<VkPhysicalDeviceTensorPropertiesARM>(
      properties->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TENSOR_PROPERTIES_ARM);
  if (!tensors) return;
  tensors->maxTensorDimensionCount = 4;  // the minimum that the extension allows
  tensors->maxTensorElements = 1u << 30;
  tensors->maxPerDimensionTensorElements = 1u << 16;
  tensors->maxTensorStride = 1u << 30;
  tensors->maxTensorSize = 1u << 30;
  tensors->maxTensorShaderAccessArrayLength = 16;
  tensors->maxTensorShaderAccessSize = 128;
  tensors->maxDescriptorSetStorageTensors = tensors->maxPerStageDescriptorSetStorageTensors = 16;
  tensors->maxDescriptorSetUpdateAfterBindStorageTensors = 16;
  tensors->maxPerStageDescriptorUpdateAfterBindStorageTensors = 16;
  tensors->shaderTensorSupportedStages = VK_SHADER_STAGE_COMPUTE_BIT;
}

void GetPhysicalDeviceQueueFamilyProperties(VkPhysicalDevice device, std::uint32_t* count,
                                            VkQueueFamilyProperties* families) {
  state().real.vkGetPhysicalDeviceQueueFamilyProperties(device, count, families);
  for (std::uint32_t i = 0; families && i < *count; ++i) families[i].queueFlags |= VK_QUEUE_DATA_GRAPH_BIT_ARM;
}

void GetPhysicalDeviceQueueFamilyProperties2(VkPhysicalDevice device, std::uint32_t* count,
                                             VkQueueFamilyProperties2* families) {
  state().real.vkGetPhysicalDeviceQueueFamilyProperties2(device, count, families);
  for (std::uint32_t i = 0; families && i < *count; ++i)
    families[i].queueFamilyProperties.queueFlags |= VK_QUEUE_DATA_GRAPH_BIT_ARM;
}

VkResult GetPhysicalDeviceQueueFamilyDataGraphPropertiesARM(VkPhysicalDevice, std::uint32_t, std::uint32_t* count,
                                                            VkQueueFamilyDataGraphPropertiesARM* properties) {
  if (properties && *count >= 1) {
    properties[0].engine = {VK_PHYSICAL_DEVICE_DATA_GRAPH_PROCESSING_ENGINE_TYPE_DEFAULT_ARM, VK_FALSE};
    properties[0].operation = {VK_PHYSICAL_DEVICE_DATA_GRAPH_OPERATION_TYPE_SPIRV_EXTENDED_INSTRUCTION_SET_ARM,
                               "TOSA.001000.1", 0};
  }
  *count = 1;
  return VK_SUCCESS;
}

void GetPhysicalDeviceQueueFamilyDataGraphProcessingEnginePropertiesARM(
    VkPhysicalDevice, const VkPhysicalDeviceQueueFamilyDataGraphProcessingEngineInfoARM*,
    VkQueueFamilyDataGraphProcessingEnginePropertiesARM* properties) {
  properties->foreignSemaphoreHandleTypes = 0;
  properties->foreignMemoryHandleTypes = 0;
}

void GetPhysicalDeviceFormatProperties2(VkPhysicalDevice device, VkFormat format, VkFormatProperties2* properties) {
  // lavapipe does not know the structures of Arm's extensions.
  if (format < VK_FORMAT_R8_BOOL_ARM || format > VK_FORMAT_R8_SFLOAT_FPENCODING_FLOAT8E5M2_ARM)
    state().real.vkGetPhysicalDeviceFormatProperties2(device, format, properties);
  auto* tensors =
      find_in_chain<VkTensorFormatPropertiesARM>(properties->pNext, VK_STRUCTURE_TYPE_TENSOR_FORMAT_PROPERTIES_ARM);
  if (!tensors) return;
  tensors->optimalTilingTensorFeatures = 0;
  tensors->linearTilingTensorFeatures = 0;
  if (!std::ranges::contains(kTensorFormats, format)) return;
  tensors->linearTilingTensorFeatures = VK_FORMAT_FEATURE_2_TENSOR_SHADER_BIT_ARM |
                                        VK_FORMAT_FEATURE_2_TENSOR_DATA_GRAPH_BIT_ARM |
                                        VK_FORMAT_FEATURE_2_TRANSFER_SRC_BIT | VK_FORMAT_FEATURE_2_TRANSFER_DST_BIT;
}

// --- device ----------------------------------------------------------------------------------------------------------

// Feature structs that lavapipe does not know stay in the chain, because it ignores them.
VkResult CreateDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo* info, const VkAllocationCallbacks* allocator,
                      VkDevice* made) {
  std::vector<const char*> extensions(info->ppEnabledExtensionNames,
                                      info->ppEnabledExtensionNames + info->enabledExtensionCount);
  std::erase_if(extensions, is_ours);
  VkDeviceCreateInfo theirs = *info;
  theirs.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
  theirs.ppEnabledExtensionNames = extensions.data();
  const VkResult result = state().real.vkCreateDevice(physical, &theirs, allocator, made);
  if (result != VK_SUCCESS) return result;
#define LOAD(name) state().real.name = reinterpret_cast<PFN_##name>(state().real.vkGetDeviceProcAddr(*made, #name));
  ARM_DRIVER_REAL_DEVICE_FUNCTIONS(LOAD)
#undef LOAD
  state().device = *made;
  return result;
}

void DestroyDevice(VkDevice device, const VkAllocationCallbacks* allocator) {
  join_host();
  state().commands.clear();
  state().real.vkDestroyDevice(device, allocator);
}

PFN_vkVoidFunction find(std::string_view name) {
  for (const auto look : {find_offer, find_tensors, find_pipelines, find_commands}) {
    if (const PFN_vkVoidFunction function = look(name)) return function;
  }
  return nullptr;
}

PFN_vkVoidFunction GetDeviceProcAddr(VkDevice device, const char* name) {
  const PFN_vkVoidFunction ours = find(name);
  return ours ? ours : state().real.vkGetDeviceProcAddr(device, name);
}

PFN_vkVoidFunction GetInstanceProcAddr(VkInstance instance, const char* name) {
  const PFN_vkVoidFunction ours = find(name);
  return ours ? ours : lavapipe().get_instance(instance, name);
}

}  // namespace

State& state() {
  static State all;
  return all;
}

void complain(const std::string& message) {
  std::fprintf(stderr, "test driver: %s\n", message.c_str());
  std::abort();
}

PFN_vkVoidFunction find_offer(std::string_view name) {
  static const Named table[] = {
      ARM_DRIVER_FUNCTION(CreateInstance),
      ARM_DRIVER_FUNCTION(EnumerateDeviceExtensionProperties),
      ARM_DRIVER_FUNCTION(GetPhysicalDeviceFeatures2),
      ARM_DRIVER_FUNCTION(GetPhysicalDeviceProperties2),
      ARM_DRIVER_FUNCTION(GetPhysicalDeviceQueueFamilyProperties),
      ARM_DRIVER_FUNCTION(GetPhysicalDeviceQueueFamilyProperties2),
      ARM_DRIVER_FUNCTION(GetPhysicalDeviceQueueFamilyDataGraphPropertiesARM),
      ARM_DRIVER_FUNCTION(GetPhysicalDeviceQueueFamilyDataGraphProcessingEnginePropertiesARM),
      ARM_DRIVER_FUNCTION(GetPhysicalDeviceFormatProperties2),
      ARM_DRIVER_FUNCTION(CreateDevice),
      ARM_DRIVER_FUNCTION(DestroyDevice),
      ARM_DRIVER_FUNCTION(GetDeviceProcAddr),
      ARM_DRIVER_FUNCTION(GetInstanceProcAddr),
  };
  // Since Vulkan 1.1 the same functions have a name without the suffix.
  if (name.ends_with("2KHR")) name.remove_suffix(3);
  return find_in(table, name);
}

}  // namespace slipway::testing::arm_driver

#define ARM_DRIVER_EXPORT extern "C" __attribute__((visibility("default")))

ARM_DRIVER_EXPORT VkResult vk_icdNegotiateLoaderICDInterfaceVersion(std::uint32_t* version) {
  return slipway::testing::arm_driver::lavapipe().negotiate(version);
}

ARM_DRIVER_EXPORT PFN_vkVoidFunction vk_icdGetInstanceProcAddr(VkInstance instance, const char* name) {
  return slipway::testing::arm_driver::GetInstanceProcAddr(instance, name);
}

// The loader takes null to mean that the function is not one of a physical device.
ARM_DRIVER_EXPORT PFN_vkVoidFunction vk_icdGetPhysicalDeviceProcAddr(VkInstance instance, const char* name) {
  using namespace slipway::testing::arm_driver;
  const PFN_vkVoidFunction ours =
      std::string_view(name).starts_with("vkGetPhysicalDevice") ? find_offer(name) : nullptr;
  return ours ? ours : lavapipe().get_physical(instance, name);
}
