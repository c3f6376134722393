// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a module is validated and optimised for.
#pragma once

namespace slipway::spirv {

enum class Environment { Vulkan11, Vulkan12, Vulkan13, Vulkan14, Universal16 };

}  // namespace slipway::spirv
