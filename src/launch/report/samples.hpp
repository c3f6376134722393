// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Times of iterations, and their summary for reports (docs/spec/recipe.md#reports).
#pragma once

#include <cstdint>
#include <vector>

namespace slipway::launch {

struct SampleSummary {
  std::uint64_t count = 0;
  double min = 0, mean = 0, stddev = 0, p50 = 0, p90 = 0, p95 = 0, p99 = 0, max = 0;
};

// Keeps at most 2^20 samples, evenly spread over those that were added. Percentiles are of these; count, minimum, mean,
// deviation and maximum are of all samples.
class Samples {
 public:
  void add(double value);
  SampleSummary summary() const;
  const std::vector<double>& kept() const { return kept_; }

 private:
  std::vector<double> kept_;
  std::uint64_t stride_ = 1;  // one of this many samples is kept
  std::uint64_t count_ = 0;
  double min_ = 0, max_ = 0, mean_ = 0, squares_ = 0;  // squares_: sum of squared distances from the mean
};

// The value of rank ceil(p / 100 * n), counted from 1, of n sorted values; 0 if n is 0.
double percentile(const std::vector<double>& sorted, double p);

}  // namespace slipway::launch
