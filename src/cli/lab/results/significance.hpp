// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Statistics of times.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace slipway::cli {

// Order statistics of a sample that is not empty, linear between neighbours.
struct Quartiles {
  double lower = 0, median = 0, upper = 0;
};
Quartiles quartiles_of(std::vector<double> sample);

// The probability that two samples of one distribution differ in their ranks as these do, or more (the two-sided test
// of Mann, Whitney and Wilcoxon): exact for up to 20 values each without equal ones, otherwise the normal approximation
// with a correction for ties and continuity. 1 if a sample is empty.
double rank_test(std::span<const double> a, std::span<const double> b);

}  // namespace slipway::cli
