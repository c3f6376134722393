// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Written without records: the keys are those of the files of the emulation layer.
#include "launch/report/graph_profile.hpp"

#include <algorithm>
#include <map>

#include "json/writer.hpp"

namespace slipway::launch {
namespace {

constexpr double kNanosecondsPerMillisecond = 1e6;

// The instruction set that an operator is of, as the graph profiles of drivers call it.
std::string_view pipeline_kind(std::string_view name) { return name.contains("_SAD") ? "motion_engine" : "tosa"; }

void write_sample(json::Writer& out, const OperatorTime& time, float period) {
  out.object([&] {
    out.member("submission", time.iteration - 1).member("graph_dispatch", std::uint64_t{0});
    out.member("pipeline_index", std::uint64_t{time.operation}).member("pipeline_kind", pipeline_kind(time.name));
    out.member("operator_name", time.name).member("cycle_count_before", time.before);
    out.member("cycle_count_after", time.after).member("cycle_count_delta", time.after - time.before);
    out.member("time_ms", milliseconds(time, period));
  });
}

struct OperatorTotal {
  std::uint64_t count = 0;
  double total = 0, least = 0, most = 0;  // ms
};

void write_total(json::Writer& out, const std::string& name, const OperatorTotal& total) {
  out.object([&] {
    out.member("pipeline_kind", pipeline_kind(name)).member("operator_name", name);
    out.member("dispatch_count", total.count).member("total_time_ms", total.total);
    out.member("average_time_ms", total.total / static_cast<double>(total.count));
    out.member("min_time_ms", total.least).member("max_time_ms", total.most);
  });
}

}  // namespace

double milliseconds(const OperatorTime& time, float period) {
  return static_cast<double>(time.after - time.before) * static_cast<double>(period) / kNanosecondsPerMillisecond;
}

std::string graph_profile_text(std::span<const OperatorTime> samples, float period) {
  std::map<std::string, OperatorTotal> totals;
  for (const OperatorTime& time : samples) {
    OperatorTotal& total = totals[time.name];
    const double taken = milliseconds(time, period);
    total.least = total.count == 0 ? taken : std::min(total.least, taken);
    total.most = std::max(total.most, taken);
    total.total += taken;
    ++total.count;
  }
  json::Writer out(4);
  out.object([&] {
    out.member("timestamp_period_ns", static_cast<double>(period));
    out.key("samples").array([&] {
      for (const OperatorTime& time : samples) write_sample(out, time, period);
    });
    out.key("by_operator").array([&] {
      for (const auto& [name, total] : totals) write_total(out, name, total);
    });
  });
  return out.text();
}

}  // namespace slipway::launch
