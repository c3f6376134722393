// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway conformance`, and the rows as cases of a run of many.
#pragma once

#include <string_view>

#include "cli/run/job.hpp"

namespace slipway::cli {

// Stands for the format of a file in results: a case is the name of a row.
inline constexpr std::string_view kRowFormat = "conformance";

// The rows of a worker, which keeps its device open.
std::unique_ptr<JobSource> row_jobs();

}  // namespace slipway::cli
