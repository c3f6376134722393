// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What changed between two sets of results.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/lab/results/result.hpp"
#include "cli/lab/results/significance.hpp"

namespace slipway::cli {

enum class ResultChange : std::uint8_t { Worse, Better, New, Missing, Slower, Faster };
std::string_view name_of(ResultChange change);

struct TimeChange {
  Quartiles before, now;         // seconds; of single runs, whole cases, or the medians of rounds
  std::optional<double> chance;  // of the rank test; absent: a side has fewer than kMinSamples
  double factor = 1;             // of the medians
  bool of_rounds = false;
};

struct CaseChange {
  ResultChange change = ResultChange::New;
  std::string key;
  std::string before, now;  // verdicts, or times as text
  std::optional<TimeChange> time;
};

// Times are compared by the rank test where both sides have kMinSamples of a case at least: it must be less likely than
// kMaxChance that the difference is one of chance, and the medians must differ by `least`. With fewer samples only
// differences of a half and of 20 ms are reported. The times are, if both sides have them, the medians of rounds (two
// at least), the samples of single runs, or those of whole cases.
//
// Runs of one round are not independent: a machine that is slow for a while makes all of them slow. Fewer than
// kMinSamples rounds are compared by the rank test of all their runs, and then the medians must also differ by more
// than the medians of the rounds do on both sides together.
inline constexpr std::size_t kMinSamples = 5;
inline constexpr double kMaxChance = 0.01;
struct ResultCompareOptions {
  double least = 0.02;  // 0.05: 5 %
};

// Changed verdicts first, then times, the largest factors first.
std::vector<CaseChange> changes_of(const LabResults& results, const LabResults& baseline,
                                   const ResultCompareOptions& options = {});
// Whether some case has too few times, or too few rounds, for the rank test.
struct Lacks {
  bool samples = false, rounds = false;
};
Lacks lacks_samples(const LabResults& results, const LabResults& baseline);

}  // namespace slipway::cli
