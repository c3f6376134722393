// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The verb for recordings of the Vulkan layer.
#pragma once

#include "cli/command_line.hpp"
#include "cli/content.hpp"

namespace slipway::cli {

// An `ar` archive whose first member is called `recording`.
bool is_recording(const Content& content);
bool is_recording(Bytes bytes);

int run_recording(const Arguments& arguments);

}  // namespace slipway::cli
