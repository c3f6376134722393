#include "gpu/vulkan_error.hpp"

#include <algorithm>
#include <array>

#include "base/format.hpp"
#include "gpu/device.hpp"

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

// The result stands in the message itself, so that a failure needs no more than a diagnostic has.
bool failed_with(const Failure& failure, std::string_view result) {
  return std::ranges::any_of(failure, [&](const Diagnostic& diagnostic) {
    return diagnostic.kind == DiagnosticKind::DeviceFailed &&
           diagnostic.message.contains(formatted("failed with `{}`", result));
  });
}

}  // namespace

std::string name_of(VkResult result) {
  const auto found = std::ranges::find(kResults, result, &ResultName::value);
  return found == kResults.end() ? formatted("VkResult {}", static_cast<int>(result)) : std::string(found->name);
}

std::unexpected<Failure> vulkan_failed(std::string_view call, VkResult result, std::string_view object,
                                       std::string_view name) {
  const std::string which = name.empty() ? std::string(object) : formatted("{} `{}`", object, name);
  return fail(DiagnosticKind::DeviceFailed, SourceLocation::nowhere(),
              formatted("`{}` failed with `{}` ({})", call, name_of(result), which));
}

bool is_device_lost(const Failure& failure) {
  return std::ranges::contains(failure, DiagnosticKind::TimedOut, &Diagnostic::kind) ||
         failed_with(failure, "VK_ERROR_DEVICE_LOST");
}

bool is_out_of_memory(const Failure& failure) {
  return failed_with(failure, "VK_ERROR_OUT_OF_DEVICE_MEMORY") || failed_with(failure, "VK_ERROR_OUT_OF_HOST_MEMORY");
}

}  // namespace slipway::gpu
