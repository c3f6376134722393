// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Failures injected into a device: the n-th call of a device-level Vulkan function that returns a VkResult fails; all
// other calls go to the driver.
//
//   for (std::uint64_t n = 1;; ++n) {
//     VulkanFaults faults(n);
//     Result<> result = run_all(DeviceOptions{.hook = faults.hook()});
//     if (!faults.happened()) break;   // fewer than n calls
//     EXPECT_FALSE(result);
//   }
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "gpu/device/device.hpp"

namespace slipway::testing {

enum class Fault { OutOfDeviceMemory, DeviceLost };

// Only one instance may exist in a process.
class VulkanFaults {
 public:
  // `fail_at` counts from 1; 0: none fails, and the calls are only counted.
  explicit VulkanFaults(std::uint64_t fail_at, Fault fault = Fault::OutOfDeviceMemory);
  VulkanFaults(const VulkanFaults&) = delete;
  VulkanFaults& operator=(const VulkanFaults&) = delete;
  ~VulkanFaults();

  std::function<void(gpu::DeviceFunctions&)> hook();

  bool happened() const;
  std::uint64_t calls() const;
  // The name of the function that failed; empty before that.
  std::string function() const;
};

}  // namespace slipway::testing
