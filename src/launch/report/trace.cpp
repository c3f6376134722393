// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/report/trace.hpp"

#include <algorithm>

#include "json/writer.hpp"

namespace slipway::launch {
namespace {

constexpr int kProcess = 1, kHostTrack = 1, kGpuTrack = 2, kCallTrack = 3;

double microseconds(HostClock::duration time) { return std::chrono::duration<double, std::micro>(time).count(); }

void write_metadata(json::Writer& out, std::string_view what, int track, std::string_view name) {
  out.object([&] {
    out.member("name", what).member("ph", "M").member("pid", kProcess).member("tid", track);
    out.key("args").object([&] { out.member("name", name); });
  });
}

// One complete event ("X"); times in microseconds. `arguments` writes members.
template <class F>
void write_event(json::Writer& out, std::string_view name, std::string_view category, int track, double start,
                 double time, F arguments) {
  out.object([&] {
    out.member("name", name).member("cat", category).member("ph", "X").member("pid", kProcess).member("tid", track);
    out.member("ts", start).member("dur", time);
    out.key("args").object(arguments);
  });
}

}  // namespace

// Written without records: this is the Trace Event Format, which Perfetto and chrome://tracing read.
std::string write_trace(std::string_view name, std::span<const PerfCounter> counters, const Profile& profile) {
  HostClock::time_point origin = profile.times.empty() ? HostClock::time_point::max() : profile.started;
  for (const PerfCounter& counter : counters) origin = std::min(origin, counter.start);

  json::Writer out(0);
  out.object([&] {
    out.member("displayTimeUnit", "ns");
    out.key("traceEvents").array([&] {
      write_metadata(out, "process_name", kHostTrack, name);
      write_metadata(out, "thread_name", kHostTrack, "host");
      for (const PerfCounter& counter : counters) {
        write_event(out, counter.name, name_of(counter.category), kHostTrack, microseconds(counter.start - origin),
                    microseconds(counter.time), [] {});
      }
      if (std::ranges::any_of(profile.calls, [](const CallTime& call) { return !call.parts.empty(); }))
        write_metadata(out, "thread_name", kCallTrack, "cpu");
      for (const CallTime& call : profile.calls) {
        for (const CallPart& part : call.parts) {
          write_event(out, part.name, "operator", kCallTrack, microseconds(part.begin - origin),
                      microseconds(part.end - part.begin), [&] { out.member("iteration", call.iteration); });
        }
      }
      if (profile.times.empty()) return;
      write_metadata(out, "thread_name", kGpuTrack, "gpu");
      const std::uint64_t first = profile.times.front().before;
      const double tick = static_cast<double>(profile.period) / 1000;
      const auto write = [&](const auto& time, std::string_view category) {
        const double start = microseconds(profile.started - origin) + static_cast<double>(time.before - first) * tick;
        write_event(out, time.name, category, kGpuTrack, start, static_cast<double>(time.after - time.before) * tick,
                    [&] { out.member("iteration", time.iteration); });
      };
      // Viewers show what lies within another event below it.
      for (const CommandTime& time : profile.times) write(time, "gpu");
      for (const OperatorTime& time : profile.operators) write(time, "operator");
    });
  });
  return out.text();
}

}  // namespace slipway::launch
