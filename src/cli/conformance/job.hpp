// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway conformance`, and the rows as cases of a run of many.
#pragma once

#include <string_view>

#include "cli/run/job.hpp"

namespace slipway::cli {

// The format of rows in results, whose cases are names of rows.
inline constexpr std::string_view kRowFormat = "conformance";

// The rows of a worker, which keeps its device open.
std::unique_ptr<JobSource> row_jobs();

}  // namespace slipway::cli
