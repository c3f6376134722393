// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/run/coherence.hpp"

#include <algorithm>

namespace slipway::recipe {

Coherence::Intervals Coherence::remove(Intervals& all, Interval one) {
  Intervals removed, kept;
  for (const Interval& interval : all) {
    const Interval common{std::max(interval.begin, one.begin), std::min(interval.end, one.end)};
    if (common.begin >= common.end) {
      kept.push_back(interval);
      continue;
    }
    removed.push_back(common);
    if (interval.begin < common.begin) kept.push_back({interval.begin, common.begin});
    if (common.end < interval.end) kept.push_back({common.end, interval.end});
  }
  if (!removed.empty()) all = std::move(kept);
  return removed;
}

void Coherence::add(Intervals& all, Interval one) {
  if (one.begin >= one.end) return;
  const auto covers = [&](const Interval& other) { return other.begin <= one.begin && one.end <= other.end; };
  if (std::ranges::any_of(all, covers)) return;
  // Merges with its neighbours, so that the list stays short.
  std::erase_if(all, [&](const Interval& other) {
    if (other.end < one.begin || one.end < other.begin) return false;
    one = {std::min(one.begin, other.begin), std::max(one.end, other.end)};
    return true;
  });
  all.push_back(one);
}

void Coherence::wrote_host(const BufferRange& range) {
  const std::scoped_lock lock(mutex_);
  Sides& sides = sides_[range.storage.get()];
  remove(sides.device, {range.offset, range.offset + range.size});
  add(sides.host, {range.offset, range.offset + range.size});
}

void Coherence::wrote_device(const BufferRange& range) {
  const std::scoped_lock lock(mutex_);
  Sides& sides = sides_[range.storage.get()];
  if (!sides.host.empty()) remove(sides.host, {range.offset, range.offset + range.size});
  add(sides.device, {range.offset, range.offset + range.size});
}

Result<> Coherence::sync(const BufferRange& range, sync_direction direction) {
  const auto found = sides_.find(range.storage.get());
  if (found == sides_.end()) return {};
  Intervals& newer = direction == sync_direction::to_device ? found->second.host : found->second.device;
  if (newer.empty()) return {};
  for (const Interval& one : remove(newer, {range.offset, range.offset + range.size})) {
    SLIPWAY_TRY_VOID(sync_buffer(*range.storage, direction, one.begin, one.end - one.begin));
  }
  return {};
}

Result<> Coherence::to_device(const BufferRange& range) {
  const std::scoped_lock lock(mutex_);
  return sync(range, sync_direction::to_device);
}

Result<> Coherence::to_host(const BufferRange& range) {
  const std::scoped_lock lock(mutex_);
  return sync(range, sync_direction::from_device);
}

Result<> Coherence::read(const BufferRange& range) {
  const std::scoped_lock lock(mutex_);
  SLIPWAY_TRY_VOID(sync(range, sync_direction::to_device));
  if (const auto found = sides_.find(range.storage.get()); found != sides_.end()) {
    remove(found->second.device, {range.offset, range.offset + range.size});
  }
  return sync_buffer(*range.storage, sync_direction::from_device, range.offset, range.size);
}

}  // namespace slipway::recipe
