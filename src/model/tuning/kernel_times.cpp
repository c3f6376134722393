// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/tuning/kernel_times.hpp"

#include <algorithm>
#include <map>
#include <ranges>
#include <set>

#include "base/format.hpp"
#include "tosa/cost.hpp"

namespace slipway::model {
namespace {

double middle_of(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

// By step of the plan, and by part of a step that has parts.
using StepPart = std::pair<std::size_t, std::size_t>;
std::map<StepPart, std::vector<double>> times_of_steps(const launch::Plan& plan, const launch::Profile& profile) {
  std::map<StepPart, std::vector<double>> times;
  const auto milliseconds = [&](std::uint64_t before, std::uint64_t after) {
    return launch::milliseconds(launch::CommandTime{.before = before, .after = after}, profile.period);
  };
  for (const launch::CommandTime& time : profile.times) {
    if (time.type == launch::CommandType::ComputeDispatch)
      times[{time.step, 0}].push_back(milliseconds(time.before, time.after));
  }
  for (const launch::OperatorTime& time : profile.operators) {
    times[{plan.graphs[time.graph].first_step + time.operation, 0}].push_back(milliseconds(time.before, time.after));
  }
  for (const launch::CallTime& call : profile.calls) {
    if (call.parts.empty()) times[{call.step, 0}].push_back(call.milliseconds);
    for (std::size_t i = 0; i < call.parts.size(); ++i) {
      const auto took = call.parts[i].end - call.parts[i].begin;
      times[{call.step, i}].push_back(std::chrono::duration<double, std::milli>(took).count());
    }
  }
  return times;
}

void describe_dispatch(const SegmentSteps& steps, std::size_t dispatch, KernelTime& time) {
  const lower::ProgramDispatch& of = steps.program->dispatches[dispatch];
  time.name = steps.program->kernels[of.kernel].name;
  for (const std::uint32_t buffer : std::set(of.buffers.begin(), of.buffers.end()))
    time.bytes += steps.program->buffers[buffer].size;
  if (!of.buffers.empty()) {
    const tosa::ValueId written = steps.program->buffers[of.buffers.back()].value;
    if (index(written) < steps.graph->values.size()) time.result = tosa::text_of((*steps.graph)[written].type);
  }
  if (!computes(*steps.graph, *steps.program, of)) return;
  std::uint64_t most = 0;
  for (const std::uint32_t node : of.nodes) {
    const std::uint64_t operations = tosa::cost_of(*steps.graph, steps.graph->nodes[node]).operations;
    time.operations += operations;
    if (operations <= most) continue;
    most = operations;
    time.main_node = node;
  }
}

// Throughput in 10^9 per second; empty if there is nothing to count.
std::string rate(std::uint64_t amount, double milliseconds) {
  return amount > 0 && milliseconds > 0 ? formatted("{:.2f}", static_cast<double>(amount) / milliseconds / 1e6) : "";
}

}  // namespace

std::vector<KernelTime> kernel_times(const Standalone& alone, const launch::Profile& profile) {
  const auto measured = times_of_steps(alone.plan, profile);
  std::vector<KernelTime> times;
  for (std::size_t s = 0; s < alone.segments.size(); ++s) {
    const SegmentSteps& steps = alone.segments[s];
    std::size_t dispatch = 0;
    // A step without a time is a barrier.
    const auto end = measured.lower_bound({steps.first_step + steps.step_count, 0});
    for (auto found = measured.lower_bound({steps.first_step, 0}); found != end; ++found) {
      KernelTime time{.segment = s, .step = dispatch, .name = steps.name, .result = {}};
      time.milliseconds = middle_of(found->second);
      time.shortest = std::ranges::min(found->second);
      if (steps.program && dispatch < steps.program->dispatches.size())
        describe_dispatch(steps, dispatch, time);
      else if (steps.graph)
        time.operations = tosa::cost_of(*steps.graph).operations;
      times.push_back(std::move(time));
      ++dispatch;
    }
  }
  return times;
}

std::string print_times(const Standalone& alone, const std::vector<KernelTime>& times, const launch::Profile& profile) {
  double total = 0;
  std::size_t name_width = 6, result_width = 6;
  for (const KernelTime& time : times) {
    total += time.milliseconds;
    name_width = std::max(name_width, time.name.size());
    result_width = std::max(result_width, time.result.size());
  }
  name_width = std::min<std::size_t>(name_width, 48);
  const auto share = [&](double milliseconds) { return total > 0 ? 100 * milliseconds / total : 0; };
  std::string text = formatted("{:>4}  {:<{}}  {:<{}}  {:>9}  {:>6}  {:>7}  {:>7}\n", "", "kernel", name_width,
                               "result", result_width, "ms", "share", "GB/s", "GOP/s");
  for (std::size_t s = 0; s < alone.segments.size(); ++s) {
    double of_segment = 0;
    for (const KernelTime& time : times) of_segment += time.segment == s ? time.milliseconds : 0;
    text += formatted("segment {} `{}`: {:.3f} ms, {:.1f} %\n", alone.segments[s].segment, alone.segments[s].name,
                      of_segment, share(of_segment));
    for (const KernelTime& time : times) {
      if (time.segment != s) continue;
      const std::string name = time.name.size() > name_width ? time.name.substr(0, name_width - 3) + "..." : time.name;
      std::string line = formatted("{:>4}  {:<{}}  {:<{}}  {:>9.3f}  {:>4.1f} %  {:>7}  {:>7}", time.step, name,
                                   name_width, time.result, result_width, time.milliseconds, share(time.milliseconds),
                                   rate(time.bytes, time.milliseconds), rate(time.operations, time.milliseconds));
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + "\n";
    }
  }
  std::map<std::uint32_t, launch::Profile> iterations;
  for (const launch::CommandTime& time : profile.times) {
    iterations[time.iteration].period = profile.period;
    iterations[time.iteration].times.push_back(time);
  }
  std::vector<double> whole;  // from the first kernel to the last
  for (const auto& [number, iteration] : iterations) whole.push_back(launch::total_milliseconds(iteration));
  std::map<std::uint32_t, std::pair<launch::HostClock::time_point, launch::HostClock::time_point>> calls;
  for (const launch::CallTime& call : profile.calls) {
    if (call.parts.empty() || !iterations.empty()) continue;
    const auto [known, is_new] = calls.try_emplace(call.iteration, call.parts.front().begin, call.parts.back().end);
    if (!is_new) known->second.second = call.parts.back().end;
  }
  for (const auto& [number, span] : calls)
    whole.push_back(std::chrono::duration<double, std::milli>(span.second - span.first).count());
  text += formatted("{} steps, {:.3f} ms in them", times.size(), total);
  if (!whole.empty()) text += formatted(", {:.3f} ms from the first to the last", middle_of(whole));
  if (whole.size() > 1) text += formatted(" (median of {} iterations)", whole.size());
  return text + "\n";
}

std::vector<DiagramSegment> diagram_segments(const Standalone& alone, const std::vector<KernelTime>& times) {
  std::vector<DiagramSegment> segments;
  for (std::size_t s = 0; s < alone.segments.size(); ++s) {
    DiagramSegment segment{.graph = alone.segments[s].graph.get(), .program = alone.segments[s].program, .times = {}};
    for (const KernelTime& time : times) {
      if (time.segment == s) segment.times.push_back(time.milliseconds);
    }
    segments.push_back(std::move(segment));
  }
  return segments;
}

}  // namespace slipway::model
