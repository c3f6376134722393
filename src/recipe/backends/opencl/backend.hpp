// The back end `opencl`: kernels in OpenCL-flavoured SPIR-V on any OpenCL device that takes it.
//
// Buffers are host memory that OpenCL uses (CL_MEM_USE_HOST_PTR): the host owns their contents between lists, the
// device while a list runs; giving them over is mapping and unmapping, which costs nothing on devices that share the
// host's memory. All lists of one back end go through one in-order queue.
#pragma once

#include <string_view>

#include "recipe/backend.hpp"

namespace slipway::recipe::opencl {

// `selector`: an index or a part of a device's name; empty for the environment variable SLIPWAY_OPENCL_DEVICE, else the
// first device that takes SPIR-V, processors last. Errors: no-backend, no-device, device-lacks.
Result<BackendPtr> open_backend(std::string_view selector = {}, const SourceLocation& location = {});

}  // namespace slipway::recipe::opencl
