// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/lab/changes.hpp"

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
  return result.final_status() == 0 || result.verdict == Verdict::Skipped;
}

std::string seconds_text(double seconds) {
  return seconds < 1 ? formatted("{:.3g} ms", seconds * 1000) : formatted("{:.3g} s", seconds);
}

std::string sample_text(const Quartiles& quartiles, bool with_spread) {
  if (!with_spread) return seconds_text(quartiles.median);
  return formatted("{} ({} to {})", seconds_text(quartiles.median), seconds_text(quartiles.lower),
                   seconds_text(quartiles.upper));
}

std::span<const double> times_of(const Results& results, const std::string& key) {
  const auto at = results.times.find(key);
  return at == results.times.end() ? std::span<const double>() : std::span(at->second);
}

// Times of one kind on both sides.
struct ComparedTimes {
  std::string key;
  std::span<const double> before, now;
};

// The samples of a case if both sides have some; otherwise the times of its lines.
std::vector<ComparedTimes> compared_times(const Results& results, const Results& baseline, const std::string& key) {
  std::vector<ComparedTimes> compared;
  for (auto now = results.samples.lower_bound({key, ""}); now != results.samples.end() && now->first.first == key;
       ++now) {
    if (const auto before = baseline.samples.find(now->first); before != baseline.samples.end()) {
      const std::string& name = now->first.second;
      compared.push_back({name.empty() ? key : formatted("{} ({})", key, name), before->second, now->second});
    }
  }
  if (compared.empty()) compared.push_back({key, times_of(baseline, key), times_of(results, key)});
  return compared;
}

std::optional<TimeChange> time_change(std::span<const double> before, std::span<const double> now, double least) {
  if (before.empty() || now.empty()) return std::nullopt;
  TimeChange change{quartiles_of({before.begin(), before.end()}), quartiles_of({now.begin(), now.end()}), {}, 1};
  change.factor = change.now.median / std::max(change.before.median, 1e-9);
  const double larger = std::max(change.factor, 1 / std::max(change.factor, 1e-9));
  if (std::min(before.size(), now.size()) >= kMinSamples) {
    change.chance = rank_test(before, now);
    if (*change.chance < kMaxChance && larger > 1 + least) return change;
  } else if (larger > std::max(kTimeFactor, 1 + least) &&
             std::abs(change.now.median - change.before.median) >= kTimeDifference) {
    return change;
  }
  return std::nullopt;
}

}  // namespace

std::string_view name_of(Change change) {
  switch (change) {
    case Change::Worse:
      return "worse";
    case Change::Better:
      return "better";
    case Change::New:
      return "new";
    case Change::Missing:
      return "missing";
    case Change::Slower:
      return "slower";
    case Change::Faster:
      return "faster";
  }
  return "";
}

std::vector<CaseChange> changes_of(const Results& results, const Results& baseline, const CompareOptions& options) {
  std::map<std::string, const CaseResult*, std::less<>> before;
  for (const CaseResult& result : baseline.cases) before.emplace(result.key(), &result);
  std::vector<CaseChange> changes, times;
  for (const CaseResult& now : results.cases) {
    const std::string key = now.key();
    const auto at = before.find(key);
    if (at == before.end()) {
      changes.push_back({Change::New, key, "", std::string(name_of(now.verdict)), {}});
      continue;
    }
    const CaseResult& old = *at->second;
    before.erase(at);
    if (old.verdict != now.verdict) {
      const bool was_ok = counts_as_success(old), is_ok = counts_as_success(now);
      const Change change = was_ok && !is_ok          ? Change::Worse
                            : !was_ok && is_ok        ? Change::Better
                            : is_success(now.verdict) ? Change::Better
                                                      : Change::Worse;
      changes.push_back({change, key, std::string(name_of(old.verdict)), std::string(name_of(now.verdict)), {}});
      continue;
    }
    if (!is_success(now.verdict)) continue;
    for (const ComparedTimes& compared : compared_times(results, baseline, key)) {
      const auto time = time_change(compared.before, compared.now, options.least);
      if (!time) continue;
      const bool with_spread = time->chance.has_value();
      times.push_back({time->factor > 1 ? Change::Slower : Change::Faster, compared.key,
                       sample_text(time->before, with_spread), sample_text(time->now, with_spread), time});
    }
  }
  for (const auto& [key, old] : before)
    changes.push_back({Change::Missing, key, std::string(name_of(old->verdict)), "", {}});
  std::ranges::stable_sort(changes, {}, &CaseChange::change);
  std::ranges::stable_sort(times, std::greater(),
                           [](const CaseChange& change) { return std::abs(std::log(change.time->factor)); });
  changes.append_range(std::move(times));
  return changes;
}

bool lacks_samples(const Results& results, const Results& baseline) {
  return std::ranges::any_of(baseline.times, [&](const auto& entry) {
    if (!results.times.contains(entry.first)) return false;
    return std::ranges::any_of(compared_times(results, baseline, entry.first), [](const ComparedTimes& compared) {
      return std::min(compared.before.size(), compared.now.size()) < kMinSamples;
    });
  });
}

}  // namespace slipway::cli
