// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/lab/results/changes.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <span>
#include <utility>

#include "base/format.hpp"

namespace slipway::cli {
namespace {

constexpr double kTimeFactor = 1.5, kTimeDifference = 0.02;

bool counts_as_success(const CaseResult& result) {
  return result.final_status() == 0 || (result.verdict == CaseVerdict::Skipped && result.is_ok);
}

std::string seconds_text(double seconds) {
  return seconds < 1 ? formatted("{:.3g} ms", seconds * 1000) : formatted("{:.3g} s", seconds);
}

std::string sample_text(const Quartiles& quartiles, bool with_spread) {
  if (!with_spread) return seconds_text(quartiles.median);
  return formatted("{} ({} to {})", seconds_text(quartiles.median), seconds_text(quartiles.lower),
                   seconds_text(quartiles.upper));
}

std::vector<double> times_of(const LabResults& results, const std::string& key) {
  const auto at = results.times.find(key);
  return at == results.times.end() ? std::vector<double>() : at->second;
}

// Times of one kind on both sides.
struct ComparedTimes {
  std::string key;
  Rounds before, now;  // one of each without rounds

  bool has_rounds() const { return std::min(before.size(), now.size()) > 1; }
  // How many times the rank test would have.
  std::size_t count() const {
    if (has_rounds()) return std::min(before.size(), now.size());
    return std::min(pooled(before).size(), pooled(now).size());
  }
  static std::vector<double> pooled(const Rounds& rounds) {
    std::vector<double> all;
    for (const std::vector<double>& round : rounds) all.append_range(round);
    return all;
  }
};

// The samples of a case if both sides have some; otherwise the times of its lines.
std::vector<ComparedTimes> compared_times(const LabResults& results, const LabResults& baseline,
                                          const std::string& key) {
  std::vector<ComparedTimes> compared;
  for (auto now = results.samples.lower_bound({key, ""}); now != results.samples.end() && now->first.first == key;
       ++now) {
    if (const auto before = baseline.samples.find(now->first); before != baseline.samples.end()) {
      const std::string& name = now->first.second;
      compared.push_back({name.empty() ? key : formatted("{} ({})", key, name), before->second, now->second});
    }
  }
  if (compared.empty()) compared.push_back({key, {times_of(baseline, key)}, {times_of(results, key)}});
  return compared;
}

std::vector<double> medians_of(const Rounds& rounds) {
  std::vector<double> medians;
  for (const std::vector<double>& round : rounds) medians.push_back(quartiles_of(round).median);
  return medians;
}

double range_of(std::span<const double> values) {
  const auto [lowest, highest] = std::ranges::minmax(values);
  return highest - lowest;
}

std::optional<TimeChange> time_change(const ComparedTimes& compared, double least) {
  const bool rounds = compared.has_rounds();
  const std::vector<double> all_before = ComparedTimes::pooled(compared.before),
                            all_now = ComparedTimes::pooled(compared.now);
  if (all_before.empty() || all_now.empty()) return std::nullopt;
  const std::vector<double> before = rounds ? medians_of(compared.before) : all_before,
                            now = rounds ? medians_of(compared.now) : all_now;
  TimeChange change{.before = quartiles_of(before), .now = quartiles_of(now), .of_rounds = rounds};
  change.factor = change.now.median / std::max(change.before.median, 1e-9);
  const double larger = std::max(change.factor, 1 / std::max(change.factor, 1e-9));
  const double difference = std::abs(change.now.median - change.before.median);
  if (compared.count() >= kMinSamples) {
    change.chance = rank_test(before, now);
    if (*change.chance < kMaxChance && larger > 1 + least) return change;
  } else if (rounds) {
    if (larger > 1 + least && difference > range_of(before) + range_of(now) &&
        rank_test(all_before, all_now) < kMaxChance)
      return change;
  } else if (larger > std::max(kTimeFactor, 1 + least) && difference >= kTimeDifference) {
    return change;
  }
  return std::nullopt;
}

}  // namespace

std::string_view name_of(ResultChange change) {
  switch (change) {
    case ResultChange::Worse:
      return "worse";
    case ResultChange::Better:
      return "better";
    case ResultChange::New:
      return "new";
    case ResultChange::Missing:
      return "missing";
    case ResultChange::Slower:
      return "slower";
    case ResultChange::Faster:
      return "faster";
  }
  return "";
}

std::vector<CaseChange> changes_of(const LabResults& results, const LabResults& baseline,
                                   const ResultCompareOptions& options) {
  std::map<std::string, const CaseResult*, std::less<>> before;
  for (const CaseResult& result : baseline.cases) before.emplace(result.key(), &result);
  std::vector<CaseChange> changes, times;
  for (const CaseResult& now : results.cases) {
    const std::string key = now.key();
    const auto at = before.find(key);
    if (at == before.end()) {
      changes.push_back({ResultChange::New, key, "", std::string(name_of(now.verdict)), {}});
      continue;
    }
    const CaseResult& old = *at->second;
    before.erase(at);
    if (old.verdict != now.verdict) {
      const bool was_ok = counts_as_success(old), is_ok = counts_as_success(now);
      const ResultChange change = was_ok && !is_ok          ? ResultChange::Worse
                                  : !was_ok && is_ok        ? ResultChange::Better
                                  : is_success(now.verdict) ? ResultChange::Better
                                                            : ResultChange::Worse;
      changes.push_back({change, key, std::string(name_of(old.verdict)), std::string(name_of(now.verdict)), {}});
      continue;
    }
    if (!is_success(now.verdict)) continue;
    for (const ComparedTimes& compared : compared_times(results, baseline, key)) {
      const auto time = time_change(compared, options.least);
      if (!time) continue;
      const bool with_spread = time->chance || time->of_rounds;
      times.push_back({time->factor > 1 ? ResultChange::Slower : ResultChange::Faster, compared.key,
                       sample_text(time->before, with_spread), sample_text(time->now, with_spread), time});
    }
  }
  for (const auto& [key, old] : before)
    changes.push_back({ResultChange::Missing, key, std::string(name_of(old->verdict)), "", {}});
  std::ranges::stable_sort(changes, {}, &CaseChange::change);
  std::ranges::stable_sort(times, std::greater(),
                           [](const CaseChange& change) { return std::abs(std::log(change.time->factor)); });
  changes.append_range(std::move(times));
  return changes;
}

Lacks lacks_samples(const LabResults& results, const LabResults& baseline) {
  Lacks lacks;
  for (const auto& [key, times] : baseline.times) {
    if (!results.times.contains(key)) continue;
    for (const ComparedTimes& compared : compared_times(results, baseline, key)) {
      if (compared.count() < kMinSamples) (compared.has_rounds() ? lacks.rounds : lacks.samples) = true;
    }
  }
  return lacks;
}

}  // namespace slipway::cli
