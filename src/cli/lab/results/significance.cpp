// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/lab/results/significance.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace slipway::cli {
namespace {

constexpr std::size_t kMaxExact = 20;

// How many of all arrangements of n and m values have each statistic U, from 0 to n m.
std::vector<double> arrangements(std::size_t n, std::size_t m) {
  // counts[j] for i values of the first sample and j of the second one. The largest value is of the first sample, which
  // adds j to U, or of the second one, which adds nothing.
  std::vector<std::vector<double>> counts(m + 1, {1});
  for (std::size_t i = 1; i <= n; ++i) {
    for (std::size_t j = 1; j <= m; ++j) {
      std::vector<double> next(i * j + 1);
      const std::vector<double>&without_second = counts[j - 1], &without_first = counts[j];
      for (std::size_t u = 0; u < without_second.size(); ++u) next[u] += without_second[u];
      for (std::size_t u = 0; u < without_first.size(); ++u) next[u + j] += without_first[u];
      counts[j] = std::move(next);
    }
  }
  return counts[m];
}

double exact(std::size_t n, std::size_t m, double u) {
  const std::vector<double> counts = arrangements(n, m);
  double all = 0, as_far = 0;
  const double smaller = std::min(u, static_cast<double>(n * m) - u);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    all += counts[i];
    if (static_cast<double>(i) <= smaller) as_far += counts[i];
  }
  return std::min(1.0, 2 * as_far / all);
}

}  // namespace

Quartiles quartiles_of(std::vector<double> sample) {
  std::ranges::sort(sample);
  const auto at = [&](double part) {
    const double position = part * static_cast<double>(sample.size() - 1);
    const auto index = static_cast<std::size_t>(position);
    const double above = sample[std::min(index + 1, sample.size() - 1)];
    return sample[index] + (above - sample[index]) * (position - static_cast<double>(index));
  };
  return {at(0.25), at(0.5), at(0.75)};
}

double rank_test(std::span<const double> a, std::span<const double> b) {
  if (a.empty() || b.empty()) return 1;
  std::vector<std::pair<double, bool>> all;  // the value, and whether it is one of `a`
  for (const double value : a) all.emplace_back(value, true);
  for (const double value : b) all.emplace_back(value, false);
  std::ranges::sort(all);
  double ranks_of_a = 0, ties = 0;
  for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
    while (end < all.size() && all[end].first == all[begin].first) ++end;
    const double count = static_cast<double>(end - begin), rank = static_cast<double>(begin + end + 1) / 2;
    ties += count * count * count - count;
    for (std::size_t i = begin; i < end; ++i) ranks_of_a += all[i].second ? rank : 0;
  }
  const auto n = static_cast<double>(a.size()), m = static_cast<double>(b.size()), sum = n + m;
  const double u = ranks_of_a - n * (n + 1) / 2;
  if (ties == 0 && a.size() <= kMaxExact && b.size() <= kMaxExact) return exact(a.size(), b.size(), u);
  const double variance = n * m / 12 * (sum + 1 - ties / (sum * (sum - 1)));
  if (variance <= 0) return 1;
  const double distance = std::max(0.0, std::abs(u - n * m / 2) - 0.5);
  return std::erfc(distance / std::sqrt(2 * variance));
}

}  // namespace slipway::cli
