// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway run` on many files, and `slipway bench`.
#pragma once

#include "cli/command_line.hpp"

namespace slipway::cli {

int run_lab(const Arguments& arguments);
// `slipway bench`
int bench_verb(const Arguments& arguments);

}  // namespace slipway::cli
