// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The OpenCL devices of a machine, and the choice of one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "recipe/backends/opencl/library.hpp"

namespace slipway::recipe::opencl {

struct DeviceInfo {
  cl_device_id id = nullptr;
  cl_device_type type = 0;
  std::string name, driver, platform;
  std::string il_version;            // "SPIR-V_1.2 ..."; empty without support for SPIR-V
  std::uint64_t base_alignment = 1;  // bytes, of the offsets of sub-buffers
  std::uint64_t max_allocation = 0;  // bytes
};

// In the order of platforms and their devices, at least one. Errors: no-device.
Result<std::vector<DeviceInfo>> list_devices(const OpenClFunctions& functions, const SourceLocation& location = {});

// `selector`: an index or a part of the name; if empty, the first GPU or accelerator that accepts SPIR-V, else the
// first device that does. Errors: no-device; device-lacks if the device does not accept SPIR-V.
Result<DeviceInfo> choose_device(const std::vector<DeviceInfo>& devices, std::string_view selector,
                                 const SourceLocation& location = {});

}  // namespace slipway::recipe::opencl
