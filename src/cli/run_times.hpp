// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The times of the iterations of a scenario or a model: submission, waiting and calls, without what is prepared once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "launch/report/report.hpp"

namespace slipway::cli {

struct LaunchGroup;

// Milliseconds by iteration, those that warm up included. Empty for a run that executed nothing.
std::vector<double> iteration_times(const launch::Report& report);

// A line with the count, median, minimum, percentiles and maximum of the iterations after those that warm up; empty if
// there are fewer than two.
std::string times_text(const LaunchGroup& options, const launch::Report& report);

// A line for each iteration.
std::string times_csv(const LaunchGroup& options, const std::string& file, const launch::Report& report);

}  // namespace slipway::cli
