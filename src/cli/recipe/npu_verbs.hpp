// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The verbs for files of NPU designs.
#pragma once

#include "cli/command_line.hpp"
#include "cli/content.hpp"

namespace slipway::cli {

// Whether the first eight bytes are those of an xclbin file.
bool is_xclbin(const Content& content);
int inspect_xclbin(const Arguments& arguments);
int check_xclbin(const Arguments& arguments);

// A 32-bit ELF file of one of the NPU platforms.
bool is_control_code(const Content& content);
int inspect_control_code(const Arguments& arguments);
int check_control_code(const Arguments& arguments);

}  // namespace slipway::cli
