// Times of iterations, and what reports say of them (recipe page 3.7).
#pragma once

#include <cstdint>
#include <vector>

namespace slipway::recipe {

struct SampleSummary {
  std::uint64_t count = 0;
  double min = 0, mean = 0, stddev = 0, p50 = 0, p90 = 0, p95 = 0, p99 = 0, max = 0;
};

// Keeps at most a million samples, evenly spread over all that were added; count, minimum, mean, deviation and maximum
// are of all.
class Samples {
 public:
  void add(double value);
  SampleSummary summary() const;

 private:
  std::vector<double> kept_;
  std::uint64_t stride_ = 1;  // of those added one in so many is kept
  std::uint64_t count_ = 0;
  double min_ = 0, max_ = 0, mean_ = 0, squares_ = 0;  // squares_: of the distances from the mean
};

// Value number ceil(p / 100 * n) of the n sorted values, counted from 1; 0 for none.
double percentile(const std::vector<double>& sorted, double p);

}  // namespace slipway::recipe
