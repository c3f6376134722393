// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The back end `opencl`: OpenCL kernels in SPIR-V or OpenCL C, on OpenCL devices that accept SPIR-V.
//
// Buffers are host memory that OpenCL uses (CL_MEM_USE_HOST_PTR). The host owns their contents between lists, the
// device while a list runs. Ownership is transferred by mapping and unmapping, which costs nothing on devices that
// share the host's memory. All lists of one back end use one in-order queue.
//
// A build without OpenCL's headers has without_opencl.cpp instead: both functions report no-backend.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "recipe/backend.hpp"

namespace slipway::recipe::opencl {

// `selector`: an index or a part of a device's name; if empty, the environment variable SLIPWAY_OPENCL_DEVICE, else the
// first device that accepts SPIR-V, CPUs last. Errors: no-backend, no-device, device-lacks.
Result<BackendPtr> open_backend(std::string_view selector = {}, const SourceLocation& location = {});

struct DeviceDescription {
  std::string name, platform, driver;
  std::string type;                  // "gpu", "accelerator", "cpu" or "other"
  std::string il_version;            // "SPIR-V_1.2 ..."; empty without support for SPIR-V
  std::uint64_t base_alignment = 1;  // bytes, of the offsets of sub-buffers
  std::uint64_t max_allocation = 0;  // bytes
};

// In the order of platforms and their devices, at least one. Errors: no-backend, no-device.
Result<std::vector<DeviceDescription>> describe_devices();

}  // namespace slipway::recipe::opencl
