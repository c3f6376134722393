// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The back end `opencl`: OpenCL kernels in SPIR-V or OpenCL C, on OpenCL devices that accept SPIR-V.
//
// Buffers are host memory that OpenCL uses (CL_MEM_USE_HOST_PTR). The host owns their contents between lists, the
// device while a list runs. Ownership is transferred by mapping and unmapping, which costs nothing on devices that
// share the host's memory. All lists of one back end use one in-order queue.
#pragma once

#include <string_view>

#include "recipe/backend.hpp"

namespace slipway::recipe::opencl {

// `selector`: an index or a part of a device's name; if empty, the environment variable SLIPWAY_OPENCL_DEVICE, else the
// first device that accepts SPIR-V, CPUs last. Errors: no-backend, no-device, device-lacks.
Result<BackendPtr> open_backend(std::string_view selector = {}, const SourceLocation& location = {});

}  // namespace slipway::recipe::opencl
