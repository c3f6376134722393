// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The page of `slipway inspect --html` on Intel GPU kernels.
#pragma once

#include <span>
#include <string>

#include "zeinfo/zebin/inspect/inspect.hpp"

namespace slipway::cli {

// The chosen kernels with their numbers, arguments, layouts, occupancy by work-group size, and instructions if they
// were read.
std::string inspect_page(const std::string& file, std::span<const zebin::Input> inputs,
                         const zebin::InspectOptions& options);

}  // namespace slipway::cli
