// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What changed between two sets of results.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/lab/result.hpp"
#include "cli/lab/significance.hpp"

namespace slipway::cli {

enum class Change : std::uint8_t { Worse, Better, New, Missing, Slower, Faster };
std::string_view name_of(Change change);

struct TimeChange {
  Quartiles before, now;         // seconds
  std::optional<double> chance;  // of the rank test; absent: a sample has fewer than kMinSamples
  double factor = 1;             // of the medians
};

struct CaseChange {
  Change change = Change::New;
  std::string key;
  std::string before, now;  // verdicts, or times as text
  std::optional<TimeChange> time;
};

// Times are compared by the rank test where both sides have kMinSamples of a case at least: it must be less likely than
// kMaxChance that the difference is one of chance, and the medians must differ by `least`. With fewer samples only
// differences of a half and of 20 ms are reported. The times are the samples of single runs if both sides have them,
// otherwise those of whole cases.
inline constexpr std::size_t kMinSamples = 5;
inline constexpr double kMaxChance = 0.01;
struct CompareOptions {
  double least = 0.02;  // 0.05: 5 %
};

// Changed verdicts first, then times, the largest factors first.
std::vector<CaseChange> changes_of(const Results& results, const Results& baseline, const CompareOptions& options = {});
// Whether some case has too few times for the rank test.
bool lacks_samples(const Results& results, const Results& baseline);

}  // namespace slipway::cli
