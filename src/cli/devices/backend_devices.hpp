// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lists the devices of the OpenCL and XRT back ends of recipes, for `slipway devices`.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.hpp"

namespace slipway::cli {

// Names of XRT's devices; empty if the back end is not installed or cannot be used.
std::vector<std::string> xrt_devices();

// The names of the back ends that have such a list.
std::vector<std::string> backends_with_devices();

// `slipway devices --backend`: returns a line for each device of the back end with the name, or JSON.
// Errors: no-backend, no-device.
Result<std::string> list_backend_devices(const std::string& backend, bool json);

}  // namespace slipway::cli
