// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vk/device_failure.hpp"

#include <algorithm>

namespace slipway::vk {

bool is_device_lost(const Failure& failure) {
  return std::ranges::contains(failure, DiagnosticKind::TimedOut, &Diagnostic::kind) ||
         std::ranges::contains(failure, Cause::DeviceLost, &Diagnostic::cause);
}

bool is_out_of_memory(const Failure& failure) {
  return std::ranges::contains(failure, Cause::OutOfDeviceMemory, &Diagnostic::cause) ||
         std::ranges::contains(failure, Cause::OutOfHostMemory, &Diagnostic::cause);
}

}  // namespace slipway::vk
