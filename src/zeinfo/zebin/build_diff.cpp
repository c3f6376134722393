// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "zeinfo/zebin/build_diff.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "base/format.hpp"

namespace slipway::zebin {
namespace {

using zeinfo::Change;
using zeinfo::Direction;
using zeinfo::Kernel;

std::string device_name(const Input& input) {
  if (input.target.device) return std::string(input.target.device->name());
  return input.target.family ? formatted("family {}", *input.target.family) : std::string("unknown");
}

// A kernel of one side.
struct Entry {
  const BuildInput* from;
  const Kernel* kernel;
  std::string device;
  const Entry* match = nullptr;

  zeinfo::Side side() const { return {&from->input.document, &from->input.target}; }
};

std::vector<Entry> entries_of(std::span<const BuildInput> build, const std::string& only) {
  std::vector<Entry> entries;
  for (const BuildInput& one : build) {
    for (const Kernel& kernel : one.input.document.kernels) {
      if (is_pseudo_kernel(kernel) || (!only.empty() && kernel.name != only)) continue;
      entries.push_back({&one, &kernel, device_name(one.input)});
    }
  }
  return entries;
}

// Matches the kernels without a match that have equal keys: in order, or only those whose key both sides have once.
template <class KeyOf>
void match(std::vector<Entry>& a, std::vector<Entry>& b, bool only_unique, KeyOf key_of) {
  using Key = decltype(key_of(a.front()));
  std::map<Key, std::vector<Entry*>> left;
  std::map<Key, std::size_t> count;
  for (Entry& entry : b) {
    if (!entry.match) left[key_of(entry)].push_back(&entry);
  }
  for (const Entry& entry : a) count[key_of(entry)] += entry.match == nullptr;
  std::map<Key, std::size_t> used;
  for (Entry& entry : a) {
    if (entry.match) continue;
    const Key key = key_of(entry);
    const auto found = left.find(key);
    if (found == left.end()) continue;
    if (only_unique && (found->second.size() != 1 || count[key] != 1)) continue;
    std::size_t& next = used[key];
    if (next == found->second.size()) continue;
    Entry& other = *found->second[next++];
    entry.match = &other;
    other.match = &entry;
  }
}

KernelVerdict verdict_of(std::span<const Change> changes) {
  const auto any = [&](Direction direction) {
    return std::ranges::any_of(changes, [&](const Change& change) { return direction_of(change) == direction; });
  };
  const bool better = any(Direction::Better), worse = any(Direction::Worse);
  if (better && worse) return KernelVerdict::Mixed;
  return better ? KernelVerdict::Better : worse ? KernelVerdict::Worse : KernelVerdict::Different;
}

// Sums over the kernels that both sides have.
class Totals {
 public:
  void add(const Entry& a, const Entry& b, const zeinfo::CompareOptions& options) {
    const std::vector<zeinfo::Metric> before = metrics_of(*a.kernel, a.side(), options);
    const std::vector<zeinfo::Metric> after = metrics_of(*b.kernel, b.side(), options);
    sums_.resize(before.size());
    for (std::size_t i = 0; i < before.size(); ++i) {
      Sum& sum = sums_[i];
      sum.total.field = before[i].field;
      if (!before[i].value || !after[i].value) continue;
      const Change change{.field = before[i].field,
                          .from = {},
                          .to = {},
                          .before = static_cast<double>(*before[i].value),
                          .after = static_cast<double>(*after[i].value)};
      sum.total.before += *change.before;
      sum.total.after += *change.after;
      sum.total.smaller += *change.after < *change.before;
      sum.total.larger += *change.after > *change.before;
      sum.total.better += direction_of(change) == Direction::Better;
      sum.total.worse += direction_of(change) == Direction::Worse;
      if (*change.before == 0 || *change.after == 0) continue;
      sum.log_ratios += std::log(*change.after / *change.before);
      ++sum.ratios;
    }
  }

  std::vector<MetricTotal> totals(std::span<const std::string> ignored) {
    std::vector<MetricTotal> totals;
    for (Sum& sum : sums_) {
      if (sum.total.smaller + sum.total.larger == 0 || std::ranges::contains(ignored, sum.total.field)) continue;
      if (sum.ratios > 0) sum.total.ratio = std::exp(sum.log_ratios / static_cast<double>(sum.ratios));
      totals.push_back(sum.total);
    }
    return totals;
  }

 private:
  struct Sum {
    MetricTotal total;
    double log_ratios = 0;
    std::size_t ratios = 0;
  };
  std::vector<Sum> sums_;
};

// The different values of all inputs, in order, with commas between them.
template <class Of>
std::string all_of(std::span<const BuildInput> build, Of of) {
  std::set<std::string> seen;
  std::string text;
  for (const BuildInput& one : build) {
    const std::string value = of(one.input);
    if (seen.insert(value).second) text += formatted("{}{}", text.empty() ? "" : ", ", value);
  }
  return text;
}

// `single`: of two files, whose kernels match by name alone.
void match_all(std::vector<Entry>& before, std::vector<Entry>& after, bool single) {
  if (single) {
    match(before, after, false, [](const Entry& entry) { return std::string_view(entry.kernel->name); });
  } else {
    match(before, after, false, [](const Entry& entry) {
      return std::tuple<std::string, std::string, std::string_view>(entry.from->path, entry.device, entry.kernel->name);
    });
    match(before, after, true, [](const Entry& entry) {
      return std::tuple<std::string, std::string_view>(entry.device, entry.kernel->name);
    });
  }
}

}  // namespace

std::string_view name_of(KernelVerdict verdict) { return kKernelVerdictNames[static_cast<std::size_t>(verdict)]; }

std::size_t BuildDiff::count(KernelVerdict verdict) const {
  return static_cast<std::size_t>(std::ranges::count(kernels, verdict, &KernelDiff::verdict));
}

BuildDiff compare_builds(std::span<const BuildInput> a, std::span<const BuildInput> b,
                         const BuildDiffOptions& options) {
  BuildDiff result;
  std::vector<Entry> before = entries_of(a, options.kernel), after = entries_of(b, options.kernel);
  match_all(before, after, a.size() == 1 && b.size() == 1);

  const auto is_ignored = [&](const Change& change) { return std::ranges::contains(options.ignored, change.field); };
  const auto add = [&](const Entry& entry, KernelVerdict verdict, std::vector<Change> changes) {
    std::erase_if(changes, is_ignored);
    if (changes.empty()) return false;
    if (entry.match) verdict = verdict_of(changes);
    result.kernels.push_back(
        {entry.from->path, entry.device, std::string(entry.kernel->name), verdict, std::move(changes)});
    return true;
  };
  Totals totals;
  for (const Entry& entry : before) {
    if (!entry.match) {
      add(entry, KernelVerdict::Removed,
          {{.field = "removed", .from = std::string(entry.kernel->name), .to = "", .before = {}, .after = {}}});
      continue;
    }
    ++result.compared;
    totals.add(entry, *entry.match, options.compare);
    const bool differs =
        add(entry, KernelVerdict::Different,
            compare_kernels(*entry.kernel, entry.side(), *entry.match->kernel, entry.match->side(), options.compare));
    result.equal_kernels += !differs;
  }
  for (const Entry& entry : after) {
    if (entry.match) continue;
    add(entry, KernelVerdict::Added,
        {{.field = "added", .from = "", .to = std::string(entry.kernel->name), .before = {}, .after = {}}});
  }
  std::ranges::stable_sort(result.kernels, {}, &KernelDiff::verdict);
  result.totals = totals.totals(options.ignored);

  std::set<std::string_view> paths;
  for (const BuildInput& one : a) paths.insert(one.path);
  for (const BuildInput& one : b) paths.insert(one.path);
  result.files = paths.size();
  result.has_places = a.size() > 1 || b.size() > 1 || result.files > 1 || (!paths.empty() && !paths.begin()->empty());
  if (!options.kernel.empty() || a.empty() || b.empty()) return result;
  const auto version = [](const Input& input) { return text_of(input.version()); };
  const auto whole = [&](std::string_view field, std::string from, std::string to) {
    Change change{.field = field, .from = std::move(from), .to = std::move(to), .before = {}, .after = {}};
    if (change.from != change.to && !is_ignored(change)) result.whole.push_back(std::move(change));
  };
  whole("target", all_of(a, device_name), all_of(b, device_name));
  whole("version", all_of(a, version), all_of(b, version));
  return result;
}

}  // namespace slipway::zebin
