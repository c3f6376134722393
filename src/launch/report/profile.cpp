// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/report/profile.hpp"

#include <algorithm>
#include <array>
#include <ranges>
#include <string_view>

#include "json/writer.hpp"

namespace slipway::launch {
namespace {

constexpr double kNanosecondsPerMillisecond = 1e6;

std::string_view name_of(CommandType type) {
  constexpr std::array<std::string_view, 3> kNames = {"ComputeDispatch", "DataGraphDispatch", "GraphicsDispatch"};
  return kNames[static_cast<std::size_t>(type)];
}

void write_time(json::Writer& out, const CommandTime& time, float period) {
  out.object([&] {
    out.member("Command name", time.name).member("Command type", name_of(time.type));
    out.member("Cycle count after command", time.after).member("Cycle count before command", time.before);
    out.member("Cycle count for command", time.after - time.before).member("Iteration", time.iteration);
    out.member("Time for command [ms]", milliseconds(time, period))
        .member("Timestamp Period", static_cast<double>(period));
  });
}

void write_memory(json::Writer& out, const SessionMemory& memory) {
  out.object([&] {
    out.member("Command name", memory.name).member("Command type", name_of(CommandType::DataGraphDispatch));
    out.member("Iteration", memory.iteration).member("Session memory [bytes]", memory.size);
  });
}

void write_call(json::Writer& out, const CallTime& call) {
  out.object([&] {
    out.member("Command name", call.name).member("Iteration", call.iteration);
    out.member("Time for command [ms]", call.milliseconds);
  });
}

}  // namespace

StepSpan span_of(const CallTime& call) {
  const double begin = std::chrono::duration<double, std::nano>(call.begin.time_since_epoch()).count();
  return {.step = call.step, .begin = begin, .end = begin + 1e6 * call.milliseconds, .is_call = true};
}

double milliseconds(const CommandTime& time, float period) {
  return static_cast<double>(time.after - time.before) * static_cast<double>(period) / kNanosecondsPerMillisecond;
}

double total_milliseconds(const Profile& profile) {
  double total = 0;
  for (const auto iteration : std::views::chunk_by(
           profile.times, [](const CommandTime& a, const CommandTime& b) { return a.iteration == b.iteration; })) {
    const CommandTime whole{.before = std::ranges::min(iteration, {}, &CommandTime::before).before,
                            .after = std::ranges::max(iteration, {}, &CommandTime::after).after};
    total += milliseconds(whole, profile.period);
  }
  return total;
}

// Written without records, which describe formats of Slipway: the keys are those of the existing scenario runner
// (docs/spec/scenario.md#output-files), and `Host Calls`, which it does not have, has the same form.
std::string write_profile(const Profile& profile) {
  json::Writer out(4);
  out.object([&] {
    if (!profile.calls.empty()) {
      out.key("Host Calls").array([&] {
        for (const CallTime& call : profile.calls) write_call(out, call);
      });
    }
    if (!profile.memory.empty()) {
      out.key("Memory Usage").array([&] {
        for (const SessionMemory& memory : profile.memory) write_memory(out, memory);
      });
    }
    if (!profile.times.empty()) {
      out.key("Timestamps").array([&] {
        for (const CommandTime& time : profile.times) write_time(out, time, profile.period);
      });
      out.member("Total execution time [ms]", total_milliseconds(profile));
    }
  });
  return out.text();
}

}  // namespace slipway::launch
