// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gpu/device/device_failure.hpp"

#include <algorithm>
#include <string_view>

#include "base/format.hpp"

namespace slipway::gpu {
namespace {

// The message itself names the result, so that a failure needs no fields of its own.
bool failed_with(const Failure& failure, std::string_view result) {
  return std::ranges::any_of(failure, [&](const Diagnostic& diagnostic) {
    return diagnostic.kind == DiagnosticKind::DeviceFailed &&
           diagnostic.message.contains(formatted("failed with `{}`", result));
  });
}

}  // namespace

bool is_device_lost(const Failure& failure) {
  return std::ranges::contains(failure, DiagnosticKind::TimedOut, &Diagnostic::kind) ||
         failed_with(failure, "VK_ERROR_DEVICE_LOST");
}

bool is_out_of_memory(const Failure& failure) {
  return failed_with(failure, "VK_ERROR_OUT_OF_DEVICE_MEMORY") || failed_with(failure, "VK_ERROR_OUT_OF_HOST_MEMORY");
}

}  // namespace slipway::gpu
