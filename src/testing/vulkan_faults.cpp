// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "testing/vulkan_faults.hpp"

#include <atomic>
#include <cassert>
#include <type_traits>

#include "gpu/device/device_functions.hpp"

namespace slipway::testing {
namespace {

// Vulkan's functions take no user data, so the state of the one VulkanFaults is here.
std::atomic<std::uint64_t> calls_so_far = 0;
std::atomic<std::uint64_t> fail_at_call = 0;
std::atomic<const char*> failed_function = nullptr;
VkResult injected = VK_ERROR_OUT_OF_DEVICE_MEMORY;
bool in_use = false;

bool fails_now(const char* name) {
  if (++calls_so_far != fail_at_call) return false;
  failed_function = name;
  return true;
}

// Replaces the function that `Member` points to.
template <auto Member, class Function>
struct Wrapper;

template <auto Member, class... Arguments>
struct Wrapper<Member, VkResult(VKAPI_PTR*)(Arguments...)> {
  static inline VkResult(VKAPI_PTR* original)(Arguments...) = nullptr;
  static inline const char* name = nullptr;
  static VKAPI_ATTR VkResult VKAPI_CALL call(Arguments... arguments) {
    return fails_now(name) ? injected : original(arguments...);
  }
};

template <auto Member, class Function>
void wrap(Function& function, const char* name) {
  if constexpr (requires { Wrapper<Member, Function>::original; }) {
    if (!function) return;
    Wrapper<Member, Function>::original = function;
    Wrapper<Member, Function>::name = name;
    function = Wrapper<Member, Function>::call;
  }
}

}  // namespace

VulkanFaults::VulkanFaults(std::uint64_t fail_at, Fault fault) {
  assert(!in_use && "one VulkanFaults at a time");
  in_use = true;
  calls_so_far = 0;
  fail_at_call = fail_at;
  failed_function = nullptr;
  injected = fault == Fault::DeviceLost ? VK_ERROR_DEVICE_LOST : VK_ERROR_OUT_OF_DEVICE_MEMORY;
}

VulkanFaults::~VulkanFaults() {
  fail_at_call = 0;
  in_use = false;
}

std::function<void(gpu::DeviceFunctions&)> VulkanFaults::hook() {
  return [](gpu::DeviceFunctions& functions) {
#define DEVICE_FUNCTION(name) wrap<&gpu::DeviceFunctions::name>(functions.name, #name);
#include "gpu/device/device_functions.def"
  };
}

bool VulkanFaults::happened() const { return failed_function != nullptr; }
std::uint64_t VulkanFaults::calls() const { return calls_so_far; }
std::string VulkanFaults::function() const { return failed_function ? failed_function.load() : ""; }

}  // namespace slipway::testing
