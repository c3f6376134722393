// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway bench`: a run of many files that measures them. What it shows of the samples in results.
#pragma once

#include <string>
#include <vector>

#include "cli/lab/results/result.hpp"
#include "cli/lab/results/significance.hpp"
#include "launch/report/samples.hpp"

namespace slipway::cli {

struct SampleStatistics {
  launch::SampleSummary summary;   // of all samples
  Quartiles quartiles;             // of all samples
  double median = 0;               // of the medians of the rounds
  double lowest = 0, highest = 0;  // of these medians
  // The distance of the quartiles in percent of the median.
  double spread() const { return median > 0 ? (quartiles.upper - quartiles.lower) / median * 100 : 0; }
  // The distance of the lowest and the highest median of a round in percent of the median.
  double spread_of_rounds() const { return median > 0 ? (highest - lowest) / median * 100 : 0; }
};
// Of one round at least, none of them empty, in their unit.
SampleStatistics statistics_of(const Rounds& rounds);

// A line for each list of samples, with percentiles and spread, and what drivers report of devices.
std::string bench_table(const LabResults& results);

// A line for each sample.
std::string bench_csv(const LabResults& results);

}  // namespace slipway::cli
