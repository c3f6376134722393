// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The times of the runs of a scenario or a model for people and for spreadsheets.
#pragma once

#include <string>
#include <string_view>

#include "launch/report/report.hpp"

namespace slipway::cli {

// A line with the count, median, minimum, percentiles and maximum of the iterations after those that warm up; empty if
// there are fewer than two.
std::string times_text(const launch::Report& report);

// A line for each iteration.
std::string times_csv(const std::string& file, const launch::Report& report);

// The text, in quotes if CSV requires them.
std::string csv_field(std::string_view text);

}  // namespace slipway::cli
