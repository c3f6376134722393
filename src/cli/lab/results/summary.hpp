// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What results are for people and for CI systems.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/lab/results/result.hpp"
#include "json/document.hpp"

namespace slipway::cli {

// A string or a number of results that another program may have written: empty or 0 for other values.
std::string text_in(json::Value value);
double number_in(json::Value value);

// The messages of the errors of a case.
std::vector<std::string> error_messages(const CaseResult& result);

// The kinds of its diagnostics.
std::vector<std::string> diagnostic_kinds_of(const CaseResult& result);

// "812 cases: 800 passed, 3 failed (2 of them expected), 1 crashed", and a line for each case that is not ok.
std::string print_summary(std::span<const CaseResult> cases, bool with_list);

// SARIF 2.1.0: the diagnostics of all cases. `version` is that of the program. Files are read for the columns, which
// results files have in bytes; a file that was changed or is missing has lines only.
std::string write_lab_sarif(const LabResults& results, std::string_view version);

// JUnit XML: a test case for each case, with what it printed. Expected failures count as skipped.
std::string write_lab_junit(const LabResults& results);

}  // namespace slipway::cli
