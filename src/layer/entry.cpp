// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loader's interface: negotiation, functions by name, instances.
#include <algorithm>

#include "layer/device.hpp"
#include "layer/dispatch.hpp"
#include "sandbox/sandbox.hpp"
#include "spirv/extensions/newer.hpp"

namespace slipway::layer {
namespace {

PFN_vkVoidFunction GetInstanceProcAddr(VkInstance instance, const char* name);
PFN_vkVoidFunction GetDeviceProcAddr(VkDevice device, const char* name);

PFN_vkVoidFunction find(std::span<const NamedFunction> table, std::string_view name) {
  const auto found = std::ranges::find(table, name, &NamedFunction::name);
  return found == table.end() ? nullptr : found->function;
}

// --- instances -------------------------------------------------------------------------------------------------------

VkLayerInstanceCreateInfo* find_link(const VkInstanceCreateInfo& info) {
  for (auto* at = static_cast<const VkLayerInstanceCreateInfo*>(info.pNext); at != nullptr;
       at = static_cast<const VkLayerInstanceCreateInfo*>(at->pNext)) {
    if (at->sType == VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO && at->function == VK_LAYER_LINK_INFO)
      return const_cast<VkLayerInstanceCreateInfo*>(at);
  }
  return nullptr;
}

VkResult CreateInstance(const VkInstanceCreateInfo* info, const VkAllocationCallbacks* allocator, VkInstance* made) {
  return guarded([&] {
    VkLayerInstanceCreateInfo* link = find_link(*info);
    if (link == nullptr || link->u.pLayerInfo == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
    auto instance = std::make_unique<LayerInstance>();
    instance->next_proc_addr = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    instance->next_physical_proc_addr = link->u.pLayerInfo->pfnNextGetPhysicalDeviceProcAddr;
    instance->settings = read_settings(info->pNext);
    instance->api = info->pApplicationInfo != nullptr ? info->pApplicationInfo->apiVersion
                                                      : static_cast<std::uint32_t>(VK_API_VERSION_1_0);
    const auto create = reinterpret_cast<PFN_vkCreateInstance>(instance->next_proc_addr(nullptr, "vkCreateInstance"));
    if (create == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;  // for the next layer
    const VkResult result = create(info, allocator, made);
    if (result != VK_SUCCESS) return result;
    instance->handle = *made;
#define NEXT_INSTANCE(name) instance->next.name = reinterpret_cast<PFN_##name>(instance->next_proc_addr(*made, #name));
#include "layer/functions.def"
    if (const auto unknown = spirv::unknown_extensions(); instance->settings.validate && !unknown.empty())
      instance->message(MessageLevel::Warning, "modules are not all validated: " + spirv::do_not_know(unknown));
    instances().add(*made, std::move(instance));
    return VK_SUCCESS;
  });
}

void DestroyInstance(VkInstance instance, const VkAllocationCallbacks* allocator) {
  if (instance == nullptr) return;
  const std::unique_ptr<LayerInstance> removed = instances().remove(instance);
  if (removed) removed->next.vkDestroyInstance(instance, allocator);
}

constexpr VkLayerProperties kProperties = {"VK_LAYER_SLIPWAY_machine_learning", VK_API_VERSION_1_4, 1,
                                           "VK_ARM_tensors and VK_ARM_data_graph for devices that lack them"};
static_assert(std::string_view(kProperties.layerName) == kLayerName);

constexpr VkExtensionProperties kInstanceExtensions[] = {
    {VK_EXT_LAYER_SETTINGS_EXTENSION_NAME, VK_EXT_LAYER_SETTINGS_SPEC_VERSION}};

VkResult EnumerateInstanceLayerProperties(std::uint32_t* count, VkLayerProperties* properties) {
  return write_array<VkLayerProperties>({&kProperties, 1}, count, properties);
}

VkResult EnumerateInstanceExtensionProperties(const char* layer, std::uint32_t* count,
                                              VkExtensionProperties* properties) {
  if (layer == nullptr || std::string_view(layer) != kLayerName) return VK_ERROR_LAYER_NOT_PRESENT;
  return write_array<VkExtensionProperties>(kInstanceExtensions, count, properties);
}

VkResult EnumerateDeviceLayerProperties(VkPhysicalDevice, std::uint32_t* count, VkLayerProperties* properties) {
  return write_array<VkLayerProperties>({&kProperties, 1}, count, properties);
}

// --- functions by name -----------------------------------------------------------------------------------------------

std::span<const NamedFunction> global_functions() {
  static const NamedFunction table[] = {
      named("vkGetInstanceProcAddr", GetInstanceProcAddr),
      named("vkCreateInstance", CreateInstance),
      named("vkDestroyInstance", DestroyInstance),
      named("vkEnumerateInstanceLayerProperties", EnumerateInstanceLayerProperties),
      named("vkEnumerateInstanceExtensionProperties", EnumerateInstanceExtensionProperties),
      named("vkEnumerateDeviceLayerProperties", EnumerateDeviceLayerProperties),
  };
  return table;
}

// Functions of devices with tensors.
PFN_vkVoidFunction find_extended(std::string_view name) {
  for (const auto& table :
       {tensor_functions(), descriptor_functions(), shader_functions(), command_functions(), binding_functions(),
        image_functions(), object_functions(), graph_functions(), after_bind_functions()}) {
    if (const PFN_vkVoidFunction function = find(table, name)) return function;
  }
  return nullptr;
}

PFN_vkVoidFunction GetDeviceProcAddr(VkDevice device, const char* name) {
  if (std::string_view(name) == "vkGetDeviceProcAddr") return reinterpret_cast<PFN_vkVoidFunction>(GetDeviceProcAddr);
  if (const PFN_vkVoidFunction function = find(device_functions(), name)) return function;
  const LayerDevice& of = device_of(device);
  // A device without tensors calls the driver directly.
  if (of.tensors && of.intercepts(name)) {
    if (const PFN_vkVoidFunction function = find_extended(name)) {
      return of.has_function(name) ? function : nullptr;
    }
  }
  if (of.graphs) {
    const auto states = state_functions();
    const auto known = std::ranges::find(states, std::string_view(name), &NamedFunction::name);
    if (known != states.end() && known->function != nullptr) return of.has_function(name) ? known->function : nullptr;
    if (known == states.end() && sets_state(name) && of.next_proc_addr(of.handle, name) != nullptr &&
        find_extended(name) == nullptr)
      of.unknown_state = true;
  }
  return of.next_proc_addr(device, name);
}

PFN_vkVoidFunction GetInstanceProcAddr(VkInstance instance, const char* name) {
  if (std::string_view(name) == "vkGetDeviceProcAddr") return reinterpret_cast<PFN_vkVoidFunction>(GetDeviceProcAddr);
  if (const PFN_vkVoidFunction function = find(global_functions(), name)) return function;
  if (instance == nullptr) return nullptr;
  const LayerInstance& of = instance_of(instance);
  if (const PFN_vkVoidFunction function = find(physical_device_functions(), name))
    return is_of_this_layer(name) || of.next_proc_addr(instance, name) != nullptr ? function : nullptr;
  if (const PFN_vkVoidFunction function = find(device_functions(), name)) return function;
  // The loader has trampolines of its own for functions of devices that it knows.
  if (const PFN_vkVoidFunction function = find_extended(name)) return function;
  return of.next_proc_addr(instance, name);
}

// Null: not a function of physical devices.
PFN_vkVoidFunction GetPhysicalDeviceProcAddr(VkInstance instance, const char* name) {
  const LayerInstance& of = instance_of(instance);
  if (const PFN_vkVoidFunction function = find(physical_device_functions(), name)) {
    if (is_of_this_layer(name) || of.next_proc_addr(instance, name) != nullptr) return function;
  }
  return of.next_physical_proc_addr != nullptr ? of.next_physical_proc_addr(instance, name) : nullptr;
}

}  // namespace

// Constant initialisation: nothing runs when the layer is loaded.
constinit ByDispatchKey<LayerInstance> all_instances;
constinit ByDispatchKey<LayerDevice> all_devices;
ByDispatchKey<LayerInstance>& instances() { return all_instances; }
ByDispatchKey<LayerDevice>& devices() { return all_devices; }

VkResult negotiate(VkNegotiateLayerInterface* interface) {
  if (interface->sType != LAYER_NEGOTIATE_INTERFACE_STRUCT) return VK_ERROR_INITIALIZATION_FAILED;
  constexpr std::uint32_t version = 2;
  if (interface->loaderLayerInterfaceVersion < version) return VK_ERROR_INITIALIZATION_FAILED;
  interface->loaderLayerInterfaceVersion = version;
  // What the layer reads are modules of the program that it is loaded into.
  sandbox::set_mode(SandboxMode::Off);
  interface->pfnGetInstanceProcAddr = GetInstanceProcAddr;
  interface->pfnGetDeviceProcAddr = GetDeviceProcAddr;
  interface->pfnGetPhysicalDeviceProcAddr = GetPhysicalDeviceProcAddr;
  return VK_SUCCESS;
}

}  // namespace slipway::layer
