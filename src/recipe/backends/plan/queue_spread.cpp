// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/backends/plan/queue_spread.hpp"

#include <algorithm>
#include <ranges>

namespace slipway::recipe {
namespace {

bool conflicts(std::span<const AccessedRange> a, std::span<const AccessedRange> b) {
  return std::ranges::any_of(a, [&](const AccessedRange& range) {
    return std::ranges::any_of(b, [&](const AccessedRange& other) { return conflict(range, other); });
  });
}

}  // namespace

std::uint32_t QueueSpread::choose(std::span<const AccessedRange> ranges, bool in_order) {
  if (queues() == 1) return 0;
  if (in_order) {
    for (const Entry& entry : entries_ | std::views::reverse) {
      if (conflicts(ranges, entry.ranges)) return entry.end.queue;
    }
  }
  std::uint32_t best = next_queue_;
  for (std::uint32_t i = 1; i < queues(); ++i) {
    const std::uint32_t queue = (next_queue_ + i) % queues();
    if (in_flight_[queue] < in_flight_[best]) best = queue;
  }
  next_queue_ = (best + 1) % queues();
  return best;
}

std::vector<vk::QueuePoint> QueueSpread::waits(std::uint32_t queue, std::span<const AccessedRange> ranges) const {
  std::vector<vk::QueuePoint> points;
  for (const Entry& entry : entries_) {
    if (entry.end.queue == queue || !conflicts(ranges, entry.ranges)) continue;
    const auto same = std::ranges::find(points, entry.end.queue, &vk::QueuePoint::queue);
    if (same == points.end())
      points.push_back(entry.end);
    else
      same->value = std::max(same->value, entry.end.value);
  }
  return points;
}

std::uint64_t QueueSpread::add(vk::QueuePoint end, std::span<const AccessedRange> ranges) {
  ++in_flight_[end.queue];
  entries_.push_back({++next_number_, end, ranges});
  return next_number_;
}

void QueueSpread::remove(std::uint64_t number) {
  const auto entry = std::ranges::find(entries_, number, &Entry::number);
  if (entry == entries_.end()) return;
  --in_flight_[entry->end.queue];
  entries_.erase(entry);
}

}  // namespace slipway::recipe
