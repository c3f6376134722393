// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Failures of Vulkan calls as diagnostics. Inside this module only.
#pragma once

#include <volk.h>

#include <string>
#include <string_view>

#include "base/diagnostic.hpp"

namespace slipway::gpu {

// `VK_ERROR_DEVICE_LOST`; the number for a result that is not known.
std::string name_of(VkResult result);

// "`vkCreateBuffer` failed with `VK_ERROR_OUT_OF_DEVICE_MEMORY` (buffer `x`)" of the kind device-failed, with the cause
// of a lost device or of too little memory.
std::unexpected<Failure> vulkan_failed(std::string_view call, VkResult result, std::string_view object,
                                       std::string_view name = {});

}  // namespace slipway::gpu
