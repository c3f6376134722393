// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The report page: one HTML file without network access that shows the results of runs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/lab/result.hpp"

namespace slipway::cli {

// `baseline`: earlier results to compare with; null: none.
std::string write_results_page(const Results& results, const Results* baseline);

// The change of a case against a baseline.
enum class Change : std::uint8_t { Worse, Better, New, Missing, Slower, Faster };
struct CaseChange {
  Change change = Change::New;
  std::string key;
  std::string before, now;  // verdicts, or seconds as text
};
// Changed verdicts first, then times that differ by more than a half and by 20 ms, the largest factors first.
std::vector<CaseChange> changes_of(const Results& results, const Results& baseline);
std::string_view name_of(Change change);

}  // namespace slipway::cli
