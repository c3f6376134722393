// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway run` on many files.
#pragma once

#include "cli/command_line.hpp"

namespace slipway::cli {

int run_lab(const Arguments& arguments);

}  // namespace slipway::cli
