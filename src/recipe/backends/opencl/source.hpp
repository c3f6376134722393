// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the kernels of OpenCL C text and their arguments from declarations, so that recipes are checked and planned
// without a device.
//
// Nothing is preprocessed: directives are skipped and macros are names. An argument whose type is not one of OpenCL C's
// own is therefore of kind Other, which recipes cannot set. After a device has built the text, the back end compares
// the argument counts.
#pragma once

#include <string_view>
#include <vector>

#include "recipe/backends/opencl/kernel.hpp"

namespace slipway::recipe::opencl {

// In the order of the text. A kernel with a declaration and a definition is returned once.
std::vector<KernelInfo> kernels_of_source(std::string_view text);

}  // namespace slipway::recipe::opencl
