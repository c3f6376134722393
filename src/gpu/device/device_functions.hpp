// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of device_functions.def as pointers. Inside this module and for tests that replace some of them.
#pragma once

#include <volk.h>

namespace slipway::gpu {

struct DeviceFunctions {
#define DEVICE_FUNCTION(name) PFN_##name name = nullptr;
#define DEVICE_FUNCTION_OPTIONAL(name) PFN_##name name = nullptr;
#include "gpu/device/device_functions.def"
};

}  // namespace slipway::gpu
