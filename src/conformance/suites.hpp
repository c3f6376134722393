// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The suites: which rows each has, without its name, and what a row runs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/item_progress.hpp"
#include "conformance/outcome.hpp"
#include "conformance/run_target.hpp"

namespace slipway::conformance {

// A row while it runs.
struct SuiteRun {
  std::string_view row;
  const RowRequest& request;
  RunTarget& target;
  const ItemProgress& progress;
  RowOutcome outcome = {};

  bool whole() const { return request.extent == Extent::Whole; }
};

std::vector<std::string> operator_rows(Extent extent);
Result<> run_operator_row(SuiteRun& run);
std::vector<std::string> graph_rows(Extent extent);
Result<> run_graph_row(SuiteRun& run);
std::vector<std::string> tensor_rows(Extent extent);
Result<> run_tensor_row(SuiteRun& run);
std::vector<std::string> data_graph_rows(Extent extent);
Result<> run_data_graph_row(SuiteRun& run);
std::vector<std::string> optical_flow_rows(Extent extent);
Result<> run_optical_flow_row(SuiteRun& run);
std::vector<std::string> scenario_rows(Extent extent);
Result<> run_scenario_row(SuiteRun& run);
std::vector<std::string> rpl_rows(Extent extent);
Result<> run_rpl_row(SuiteRun& run);
std::vector<std::string> known_wrong_rows(Extent extent);
Result<> run_known_wrong_row(SuiteRun& run);

}  // namespace slipway::conformance
