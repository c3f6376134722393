// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gpu/device/vulkan_error.hpp"

#include <algorithm>
#include <array>

#include "base/format.hpp"

namespace slipway::gpu {
namespace {

struct ResultName {
  VkResult value;
  std::string_view name;
};

#define RESULT(name) \
  ResultName { name, #name }
constexpr std::array kResults = {
    RESULT(VK_NOT_READY),
    RESULT(VK_TIMEOUT),
    RESULT(VK_INCOMPLETE),
    RESULT(VK_PIPELINE_COMPILE_REQUIRED),
    RESULT(VK_ERROR_OUT_OF_HOST_MEMORY),
    RESULT(VK_ERROR_OUT_OF_DEVICE_MEMORY),
    RESULT(VK_ERROR_INITIALIZATION_FAILED),
    RESULT(VK_ERROR_DEVICE_LOST),
    RESULT(VK_ERROR_MEMORY_MAP_FAILED),
    RESULT(VK_ERROR_LAYER_NOT_PRESENT),
    RESULT(VK_ERROR_EXTENSION_NOT_PRESENT),
    RESULT(VK_ERROR_FEATURE_NOT_PRESENT),
    RESULT(VK_ERROR_INCOMPATIBLE_DRIVER),
    RESULT(VK_ERROR_TOO_MANY_OBJECTS),
    RESULT(VK_ERROR_FORMAT_NOT_SUPPORTED),
    RESULT(VK_ERROR_FRAGMENTED_POOL),
    RESULT(VK_ERROR_OUT_OF_POOL_MEMORY),
    RESULT(VK_ERROR_INVALID_EXTERNAL_HANDLE),
    RESULT(VK_ERROR_FRAGMENTATION),
    RESULT(VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS),
    RESULT(VK_ERROR_INVALID_SHADER_NV),
    RESULT(VK_ERROR_VALIDATION_FAILED_EXT),
    RESULT(VK_ERROR_NOT_PERMITTED),
    RESULT(VK_ERROR_UNKNOWN),
};
#undef RESULT

Cause cause_of(VkResult result) {
  if (result == VK_ERROR_DEVICE_LOST) return Cause::DeviceLost;
  if (result == VK_ERROR_OUT_OF_DEVICE_MEMORY) return Cause::OutOfDeviceMemory;
  if (result == VK_ERROR_OUT_OF_HOST_MEMORY) return Cause::OutOfHostMemory;
  return Cause::None;
}

}  // namespace

std::string name_of(VkResult result) {
  const auto found = std::ranges::find(kResults, result, &ResultName::value);
  return found == kResults.end() ? formatted("VkResult {}", static_cast<int>(result)) : std::string(found->name);
}

std::unexpected<Failure> vulkan_failed(std::string_view call, VkResult result, std::string_view object,
                                       std::string_view name) {
  const std::string which = name.empty() ? std::string(object) : formatted("{} `{}`", object, name);
  return fail({.kind = DiagnosticKind::DeviceFailed,
               .message = formatted("`{}` failed with `{}` ({})", call, name_of(result), which),
               .cause = cause_of(result)});
}

}  // namespace slipway::gpu
