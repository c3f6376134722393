// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gpu/device/instance.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/format.hpp"
#include "base/system/cache.hpp"
#include "gpu/device/instance_core.hpp"
#include "gpu/device/snapshot_read.hpp"
#include "gpu/device/vulkan_error.hpp"
#include "platform/cpu.hpp"
#include "platform/process.hpp"

namespace slipway::gpu {
namespace {

constexpr const char* kValidationLayer = "VK_LAYER_KHRONOS_validation";

std::unexpected<Failure> no_device(std::string message) {
  return fail(DiagnosticKind::NoDevice, SourceLocation::nowhere(), std::move(message));
}

// The loader is opened once for the life of the process.
bool open_loader() {
  static const bool opened = volkInitialize() == VK_SUCCESS;
  return opened;
}

bool has_layer(std::string_view name) {
  std::uint32_t count = 0;
  if (vkEnumerateInstanceLayerProperties(&count, nullptr) != VK_SUCCESS) return false;
  std::vector<VkLayerProperties> layers(count);
  if (vkEnumerateInstanceLayerProperties(&count, layers.data()) != VK_SUCCESS) return false;
  return std::ranges::any_of(layers, [&](const VkLayerProperties& layer) { return layer.layerName == name; });
}

// Of the loader and the drivers, or of one layer.
bool has_extension(const char* layer, std::string_view name) {
  std::uint32_t count = 0;
  if (vkEnumerateInstanceExtensionProperties(layer, &count, nullptr) != VK_SUCCESS) return false;
  std::vector<VkExtensionProperties> extensions(count);
  if (vkEnumerateInstanceExtensionProperties(layer, &count, extensions.data()) != VK_SUCCESS) return false;
  return std::ranges::any_of(extensions,
                             [&](const VkExtensionProperties& known) { return known.extensionName == name; });
}

// What the shader printed, of a message of the layer: versions of it put the call and objects before the text.
std::string printed_text(std::string_view message) {
  for (const std::string_view before : {"DebugPrintf:\n", "MessageID = "}) {
    std::size_t at = message.find(before);
    if (at == message.npos) continue;
    at += before.size();
    if (before.starts_with("MessageID")) {
      at = message.find(" | ", at);
      if (at == message.npos) continue;
      at += 3;
    }
    message.remove_prefix(at);
    break;
  }
  return std::string(message.substr(0, message.find_last_not_of(" \t\r\n") + 1));
}

VKAPI_ATTR VkBool32 VKAPI_CALL pass_on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                               VkDebugUtilsMessageTypeFlagsEXT,
                                               const VkDebugUtilsMessengerCallbackDataEXT* data, void* user) {
  const auto& core = *static_cast<const InstanceCore*>(user);
  vk::InstanceMessage message{
      .severity = severity >= VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT ? Severity::Error : Severity::Warning,
      .id = data->pMessageIdName ? data->pMessageIdName : "",
      .text = data->pMessage ? data->pMessage : ""};
  // A layer that was not asked for would print by itself.
  message.is_shader_print = core.options.shader_prints && message.id.contains("DEBUG-PRINTF");
  if (message.is_shader_print) {
    message.severity = Severity::Note;
    message.text = printed_text(message.text);
  } else if (core.options.shader_prints &&
             (severity < VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT || message.id == "VALIDATION-SETTINGS" ||
              message.id == "WARNING-Setting-Limit-Adjusted")) {
    return VK_FALSE;  // the layer reports what it does to print
  }
  // The loader warns that the user has named layers in the environment.
  if (message.text.starts_with("env var 'VK_INSTANCE_LAYERS'")) return VK_FALSE;
  const std::scoped_lock lock(core.message_mutex);
  core.options.on_message(message);
  return VK_FALSE;
}

VkDebugUtilsMessengerCreateInfoEXT messenger_info(InstanceCore& core) {
  const VkFlags prints = core.options.shader_prints ? VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT : 0;
  return {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
          .messageSeverity =
              prints | VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
          .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT |
                         VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT,
          .pfnUserCallback = pass_on_message,
          .pUserData = &core};
}

VkResult create_vulkan_instance(InstanceCore& core) {
  const vk::InstanceOptions& options = core.options;
  std::vector<const char*> layers;
  const bool with_layer = options.validation || options.shader_prints;
  if (with_layer) layers.push_back(kValidationLayer);
  std::vector<const char*> extensions;
  VkInstanceCreateFlags flags = 0;
  if (has_extension(nullptr, VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME)) {
    extensions.push_back(VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME);
    flags |= VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR;
  }
  core.debug_utils = (options.debug_names || options.on_message) &&
                     (has_extension(nullptr, VK_EXT_DEBUG_UTILS_EXTENSION_NAME) ||
                      (with_layer && has_extension(kValidationLayer, VK_EXT_DEBUG_UTILS_EXTENSION_NAME)));
  if (core.debug_utils) extensions.push_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);

  const void* chain = nullptr;
  // Synchronisation validation is off by default in the layer.
  const VkBool32 on = VK_TRUE;
  // For all invocations of a submission; the layer's own size is enough for some 30.
  const std::uint32_t print_bytes = 1 << 20;
  std::vector<VkLayerSettingEXT> chosen;
  const auto choose = [&](const char* name) {
    chosen.push_back({kValidationLayer, name, VK_LAYER_SETTING_TYPE_BOOL32_EXT, 1, &on});
  };
  if (options.validation) choose("validate_sync");
  if (options.shader_prints) {
    // The preset would switch off the validation that the user enabled with the environment.
    const bool validates =
        options.validation || std::getenv("VK_INSTANCE_LAYERS") || std::getenv("VK_LOADER_LAYERS_ENABLE");
    choose(validates ? "printf_enable" : "printf_only_preset");
    chosen.push_back({kValidationLayer, "printf_buffer_size", VK_LAYER_SETTING_TYPE_UINT32_EXT, 1, &print_bytes});
  }
  VkLayerSettingsCreateInfoEXT settings{VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT, chain,
                                        static_cast<std::uint32_t>(chosen.size()), chosen.data()};
  if (with_layer) chain = &settings;
  // Messages of creating and destroying the instance itself.
  VkDebugUtilsMessengerCreateInfoEXT messenger = messenger_info(core);
  messenger.pNext = chain;
  if (core.debug_utils && options.on_message) chain = &messenger;

  const VkApplicationInfo application{.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                      .pApplicationName = "slipway",
                                      .pEngineName = "slipway",
                                      .apiVersion = VK_API_VERSION_1_3};
  const VkInstanceCreateInfo info{.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                  .pNext = chain,
                                  .flags = flags,
                                  .pApplicationInfo = &application,
                                  .enabledLayerCount = static_cast<std::uint32_t>(layers.size()),
                                  .ppEnabledLayerNames = layers.data(),
                                  .enabledExtensionCount = static_cast<std::uint32_t>(extensions.size()),
                                  .ppEnabledExtensionNames = extensions.data()};
  return vkCreateInstance(&info, nullptr, &core.instance);
}

Result<> enumerate_devices(InstanceCore& core) {
  std::uint32_t count = 0;
  VkResult result = core.functions.vkEnumeratePhysicalDevices(core.instance, &count, nullptr);
  if (result == VK_SUCCESS) {
    core.physical_devices.resize(count);
    result = core.functions.vkEnumeratePhysicalDevices(core.instance, &count, core.physical_devices.data());
    core.physical_devices.resize(count);
  }
  if (result == VK_ERROR_INITIALIZATION_FAILED) return no_device("the Vulkan drivers of this machine offer no device");
  if (result != VK_SUCCESS) return vulkan_failed("vkEnumeratePhysicalDevices", result, "instance");
  if (count == 0) return no_device("the Vulkan drivers of this machine offer no device");
  for (std::uint32_t i = 0; i < count; ++i) {
    Result<vk::Snapshot> snapshot = read_snapshot(core.functions, core.physical_devices[i], i);
    if (!snapshot) return fail(std::move(snapshot.error()));
    core.snapshots.push_back(std::move(*snapshot));
  }
  return {};
}

// The cache of Mesa's drivers does not say for which CPU of AArch64 the software driver compiled (Mesa 26.1): of a home
// directory that machines share, one would execute instructions that only another one has. So each model has its own.
void separate_caches_of_drivers() {
  const platform::ArmFeatures cpu = platform::arm_features();
  if (cpu.first == 0 || std::getenv("MESA_SHADER_CACHE_DIR")) return;
  const Path pipelines = Cache::directory_of_user("pipelines");
  if (pipelines.empty()) return;
  const Path own = pipelines / formatted("{:x}-{:x}-{:x}", cpu.identification, cpu.first, cpu.second);
  if (make_private_directories(own)) platform::set_environment("MESA_SHADER_CACHE_DIR", own.string());
}

}  // namespace

InstanceCore::~InstanceCore() {
  if (messenger) functions.vkDestroyDebugUtilsMessengerEXT(instance, messenger, nullptr);
  if (instance) functions.vkDestroyInstance(instance, nullptr);
}

bool has_validation_layer() { return open_loader() && has_layer(kValidationLayer); }

const std::vector<vk::Snapshot>& Instance::snapshots() const { return core_->snapshots; }

Result<Instance> create_instance_of_drivers(const vk::InstanceOptions& options) {
  if (!open_loader()) {
    return no_device(
        "no Vulkan loader on this machine (`libvulkan.so.1`); install it together with a driver (`slipway doctor` "
        "says which), or use a package with `-full` in its name, which brings both");
  }
  if (volkGetInstanceVersion() < VK_API_VERSION_1_3) {
    return no_device("the Vulkan loader of this machine is older than 1.3; install a newer one");
  }
  if ((options.validation || options.shader_prints) && !has_layer(kValidationLayer)) {
    return fail(DiagnosticKind::Unsupported, SourceLocation::nowhere(),
                formatted("{} the layer `{}`, which is not installed",
                          options.validation ? "validation needs" : "the output of shaders needs", kValidationLayer));
  }

  auto core = std::make_shared<InstanceCore>();
  core->options = options;
  const VkResult result = create_vulkan_instance(*core);
  if (result == VK_ERROR_INCOMPATIBLE_DRIVER) {
    return no_device("no usable Vulkan driver on this machine; install one (a software driver: Mesa's lavapipe)");
  }
  if (result != VK_SUCCESS) return vulkan_failed("vkCreateInstance", result, "instance");
  volkLoadInstanceTable(&core->functions, core->instance);
  if (core->debug_utils && options.on_message) {
    const VkDebugUtilsMessengerCreateInfoEXT info = messenger_info(*core);
    const VkResult made =
        core->functions.vkCreateDebugUtilsMessengerEXT(core->instance, &info, nullptr, &core->messenger);
    if (made != VK_SUCCESS) return vulkan_failed("vkCreateDebugUtilsMessengerEXT", made, "instance");
  }
  if (Result<> enumerated = enumerate_devices(*core); !enumerated) return fail(std::move(enumerated.error()));
  return Instance(std::move(core));
}

// The loader reads the variable when it makes an instance.
Result<Instance> create_instance(const vk::InstanceOptions& options) {
  [[maybe_unused]] static const bool separated = (separate_caches_of_drivers(), true);
  Result<Instance> made = create_instance_of_drivers(options);
  if (made || made.error().empty() || made.error().front().kind != DiagnosticKind::NoDevice) return made;
  const char* const own = std::getenv(vk::kSoftwareDriver);
  if (!own || std::getenv("VK_DRIVER_FILES") || std::getenv("VK_ICD_FILENAMES")) return made;
  platform::set_environment("VK_DRIVER_FILES", own);
  return create_instance_of_drivers(options);
}

}  // namespace slipway::gpu
