// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `slipway conformance` prints of its results: a table for each suite, operators or kinds of graphs by types.
#pragma once

#include <string>

#include "cli/lab/results/result.hpp"

namespace slipway::cli {

std::string conformance_table(const LabResults& results);

}  // namespace slipway::cli
