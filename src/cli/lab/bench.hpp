// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway bench`: a run of many files that measures them. What it shows of the samples in results.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/lab/result.hpp"
#include "cli/lab/significance.hpp"
#include "launch/report/samples.hpp"

namespace slipway::cli {

struct SampleStatistics {
  launch::SampleSummary summary;
  Quartiles quartiles;
  // The distance of the quartiles in percent of the median.
  double spread() const {
    return quartiles.median > 0 ? (quartiles.upper - quartiles.lower) / quartiles.median * 100 : 0;
  }
};
// Of a list that is not empty, in its unit.
SampleStatistics statistics_of(const std::vector<double>& samples);

// A line for each list of samples, with percentiles and spread, and what drivers report of devices.
std::string bench_table(std::span<const CaseResult> cases);

// A line for each sample.
std::string bench_csv(std::span<const CaseResult> cases);

}  // namespace slipway::cli
