// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/report/samples.hpp"

#include <algorithm>
#include <cmath>

namespace slipway::launch {
namespace {

constexpr std::size_t kMaxKept = std::size_t{1} << 20;

}  // namespace

void Samples::add(double value) {
  if (count_ == 0) min_ = max_ = value;
  min_ = std::min(min_, value);
  max_ = std::max(max_, value);
  if (count_ % stride_ == 0) {
    if (kept_.size() == kMaxKept) {  // drop every other sample
      for (std::size_t i = 0; i < kMaxKept / 2; ++i) kept_[i] = kept_[2 * i];
      kept_.resize(kMaxKept / 2);
      stride_ *= 2;
    }
    if (count_ % stride_ == 0) kept_.push_back(value);
  }
  ++count_;
  const double before = value - mean_;  // Welford's method
  mean_ += before / static_cast<double>(count_);
  squares_ += before * (value - mean_);
}

SampleSummary Samples::summary() const {
  std::vector<double> sorted = kept_;
  std::ranges::sort(sorted);
  return {.count = count_,
          .min = min_,
          .mean = mean_,
          .stddev = count_ > 1 ? std::sqrt(squares_ / static_cast<double>(count_ - 1)) : 0,
          .p50 = percentile(sorted, 50),
          .p90 = percentile(sorted, 90),
          .p95 = percentile(sorted, 95),
          .p99 = percentile(sorted, 99),
          .max = max_};
}

double percentile(const std::vector<double>& sorted, double p) {
  if (sorted.empty()) return 0;
  const auto rank = static_cast<std::size_t>(std::ceil(p / 100 * static_cast<double>(sorted.size())));
  return sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1];
}

}  // namespace slipway::launch
