// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The report page: one HTML file without network access that shows the results of runs.
#pragma once

#include <string>

#include "cli/lab/results/result.hpp"

namespace slipway::cli {

// `baseline`: earlier results to compare with; null: none.
std::string write_results_page(const LabResults& results, const LabResults* baseline);

}  // namespace slipway::cli
