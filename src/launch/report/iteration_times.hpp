// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The times of the iterations of a plan: submission, waiting and calls, without what is prepared once.
#pragma once

#include <optional>
#include <vector>

#include "launch/report/report.hpp"
#include "launch/report/samples.hpp"

namespace slipway::launch {

// Milliseconds by iteration, those that warm up included. Empty for a run that executed nothing.
std::vector<double> iteration_times(const Report& report);

// Milliseconds of the iterations after those that warm up; empty if there are fewer than two.
std::vector<double> measured_times(const Report& report);

// Of the measured times, in microseconds. Absent if there are fewer than two.
std::optional<SampleSummary> measured_summary(const Report& report);

}  // namespace slipway::launch
