// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/report/trace.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "json/writer.hpp"

namespace slipway::launch {
namespace {

constexpr int kProcess = 1, kHostTrack = 1, kGpuTrack = 2, kCallTrack = 3;

// The format requires that events of a track nest: what overlaps otherwise gets further tracks, `host 2` and so on.
struct Event {
  std::string_view name, category;
  double start, time;
  std::optional<std::uint32_t> iteration;
  int lane = 0;
};
constexpr double kRounding = 1e-6;  // microseconds: times are sums of products
int track_of(int base, int lane) { return lane == 0 ? base : 10 * base + lane; }

// Sets the lanes, and returns their count.
int choose_lanes(std::vector<Event>& events) {
  std::vector<std::size_t> order(events.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return std::pair(events[a].start, -events[a].time) < std::pair(events[b].start, -events[b].time);
  });
  std::vector<std::vector<double>> lanes;  // the ends of the events that are open, outer ones first
  for (const std::size_t i : order) {
    Event& event = events[i];
    const double end = event.start + event.time;
    std::size_t lane = 0;
    for (; lane < lanes.size(); ++lane) {
      while (!lanes[lane].empty() && lanes[lane].back() <= event.start + kRounding) lanes[lane].pop_back();
      if (lanes[lane].empty() || end <= lanes[lane].back() + kRounding) break;
    }
    if (lane == lanes.size()) lanes.emplace_back();
    lanes[lane].push_back(end);
    event.lane = static_cast<int>(lane);
  }
  return static_cast<int>(lanes.size());
}

double microseconds(HostClock::duration time) { return std::chrono::duration<double, std::micro>(time).count(); }

void write_metadata(json::Writer& out, std::string_view what, int track, std::string_view name) {
  out.object([&] {
    out.member("name", what).member("ph", "M").member("pid", kProcess).member("tid", track);
    out.key("args").object([&] { out.member("name", name); });
  });
}

// The events of a track and those beside it, as complete events ("X"); times in microseconds.
void write_events(json::Writer& out, int base, std::string_view name, std::vector<Event> events) {
  const int lanes = choose_lanes(events);
  write_metadata(out, "thread_name", base, name);
  for (int lane = 1; lane < lanes; ++lane)
    write_metadata(out, "thread_name", track_of(base, lane), formatted("{} {}", name, lane + 1));
  for (const Event& event : events) {
    out.object([&] {
      out.member("name", event.name).member("cat", event.category).member("ph", "X");
      out.member("pid", kProcess).member("tid", track_of(base, event.lane));
      out.member("ts", event.start).member("dur", event.time);
      out.key("args").object([&] {
        if (event.iteration) out.member("iteration", *event.iteration);
      });
    });
  }
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
      std::vector<Event> host, calls, gpu;
      for (const PerfCounter& counter : counters) {
        host.push_back({counter.name, name_of(counter.category), microseconds(counter.start - origin),
                        microseconds(counter.time), std::nullopt});
      }
      write_events(out, kHostTrack, "host", std::move(host));
      for (const CallTime& call : profile.calls) {
        for (const CallPart& part : call.parts) {
          calls.push_back({part.name, "operator", microseconds(part.begin - origin),
                           microseconds(part.end - part.begin), call.iteration});
        }
      }
      if (!calls.empty()) write_events(out, kCallTrack, "cpu", std::move(calls));
      if (profile.times.empty()) return;
      const std::uint64_t first = profile.times.front().before;
      const double tick = static_cast<double>(profile.period) / 1000;
      const auto add = [&](const auto& time, std::string_view category) {
        const double start = microseconds(profile.started - origin) + static_cast<double>(time.before - first) * tick;
        gpu.push_back(
            {time.name, category, start, static_cast<double>(time.after - time.before) * tick, time.iteration});
      };
      // Viewers show what lies within another event below it.
      for (const CommandTime& time : profile.times) add(time, "gpu");
      for (const OperatorTime& time : profile.operators) add(time, "operator");
      write_events(out, kGpuTrack, "gpu", std::move(gpu));
    });
  });
  return out.text();
}

}  // namespace slipway::launch
