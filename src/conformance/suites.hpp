// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The suites: which rows each has, without its name, and what a row runs.
#pragma once

#include "base/item_progress.hpp"
#include "conformance/case_runner.hpp"

namespace slipway::conformance {

std::vector<std::string> operator_rows(Extent extent);
Result<> run_operator_row(std::string_view row, const RowRequest& request, CaseRunner& runner,
                          const ItemProgress& progress);

std::vector<std::string> graph_rows(Extent extent);
Result<> run_graph_row(std::string_view row, const RowRequest& request, CaseRunner& runner,
                       const ItemProgress& progress);

}  // namespace slipway::conformance
