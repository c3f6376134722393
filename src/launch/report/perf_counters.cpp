// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/report/perf_counters.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "json/writer.hpp"

namespace slipway::launch {
namespace {

struct CategoryInfo {
  CounterCategory category;
  std::string_view name;
  bool before_inference;  // counts into "Time to Inference"
};

constexpr std::array kCategories = {
    CategoryInfo{CounterCategory::ScenarioSetup, "Scenario Setup", true},
    CategoryInfo{CounterCategory::LoadPipelineCache, "Load Pipeline Cache", true},
    CategoryInfo{CounterCategory::PipelineSetup, "Pipeline Setup", true},
    CategoryInfo{CounterCategory::SavePipelineCache, "Save Pipeline Cache", false},
    CategoryInfo{CounterCategory::RunScenario, "Run Scenario", false},
    CategoryInfo{CounterCategory::SaveResults, "Save Results", false},
    CategoryInfo{CounterCategory::None, "Uncategorized", false},
};

const CategoryInfo& info_of(CounterCategory category) { return kCategories[static_cast<std::size_t>(category)]; }

template <class Predicate>
HostClock::duration sum(std::span<const PerfCounter> counters, Predicate counts) {
  return std::accumulate(counters.begin(), counters.end(), HostClock::duration{},
                         [&](HostClock::duration total, const PerfCounter& counter) {
                           return counts(counter) ? total + counter.time : total;
                         });
}

void write_counters(json::Writer& out, std::span<const PerfCounter> counters, CounterCategory category) {
  out.array([&] {
    for (const PerfCounter& counter : counters) {
      if (counter.category != category) continue;
      out.object([&] {
        out.member("name", counter.name)
            .member("unit", "microseconds")
            .member("value", whole_microseconds(counter.time));
      });
    }
  });
}

void write_category(json::Writer& out, std::span<const PerfCounter> counters, CounterCategory category) {
  const auto is_in = [&](const PerfCounter& counter) { return counter.category == category; };
  if (std::ranges::none_of(counters, is_in)) return;
  out.key(name_of(category));
  if (category == CounterCategory::None) return write_counters(out, counters, category);
  out.object([&] {
    out.key("counters");
    write_counters(out, counters, category);
    out.member("total time", whole_microseconds(sum(counters, is_in))).member("unit", "microseconds");
  });
}

}  // namespace

std::string_view name_of(CounterCategory category) { return info_of(category).name; }

HostClock::duration time_to_inference(std::span<const PerfCounter> counters) {
  return sum(counters, [](const PerfCounter& counter) { return info_of(counter.category).before_inference; });
}

HostClock::duration run_time(std::span<const PerfCounter> counters) {
  return sum(counters, [](const PerfCounter& counter) { return counter.category == CounterCategory::RunScenario; });
}

HostClock::duration total_time(std::span<const PerfCounter> counters) {
  return sum(counters, [](const PerfCounter&) { return true; });
}

std::int64_t whole_microseconds(HostClock::duration time) {
  return std::chrono::duration_cast<std::chrono::microseconds>(time).count();
}

// Written without a record: the keys are those of the existing scenario runner (docs/spec/scenario.md#output-files).
std::string write_perf_counters(std::span<const PerfCounter> counters) {
  using enum CounterCategory;
  json::Writer out(4);
  out.object([&] {
    for (const auto category :
         {LoadPipelineCache, PipelineSetup, RunScenario, SavePipelineCache, SaveResults, ScenarioSetup}) {
      write_category(out, counters, category);
    }
    out.member("Time to Inference", whole_microseconds(time_to_inference(counters)));
    out.member("Total Scenario Time", whole_microseconds(total_time(counters)));
    write_category(out, counters, None);
    out.member("unit", "microseconds");
  });
  return out.text();
}

}  // namespace slipway::launch
