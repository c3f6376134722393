// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses the queue of a device for each run list, and what the list must wait for.
//
// A list goes to the queue with the fewest lists in flight. Queues are not ordered with each other, so a list waits for
// the end of each list in flight on another queue with which it conflicts: both use the same bytes and one writes them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "slipway/buffer_storage.hpp"
#include "vk/queue_point.hpp"

namespace slipway::recipe {

// Bytes of a buffer, and whether they may be written.
struct AccessedRange {
  const buffer_storage* buffer = nullptr;
  std::uint64_t begin = 0, end = 0;
  bool writes = false;
};

inline bool conflict(const AccessedRange& a, const AccessedRange& b) {
  return (a.writes || b.writes) && a.buffer == b.buffer && a.begin < b.end && b.begin < a.end;
}

class QueueSpread {
 public:
  explicit QueueSpread(std::uint32_t queues = 1) : in_flight_(queues) {}

  std::uint32_t queues() const { return static_cast<std::uint32_t>(in_flight_.size()); }

  // Chooses a queue for a list. `ranges` are those of its ranges that other lists may use too. With `in_order`, a list
  // that conflicts with a list in flight goes to the queue of that list, because no part of it could start earlier on
  // another queue.
  std::uint32_t choose(std::span<const AccessedRange> ranges, bool in_order);
  // Returns what work with these ranges must wait for on this queue: at most one point of each other queue.
  std::vector<vk::QueuePoint> waits(std::uint32_t queue, std::span<const AccessedRange> ranges) const;

  // Adds a list in flight, and returns the id with which `remove` removes it. `ranges` are not copied: they must
  // outlive the entry.
  std::uint64_t add(vk::QueuePoint end, std::span<const AccessedRange> ranges);
  void remove(std::uint64_t number);

 private:
  struct Entry {
    std::uint64_t number = 0;
    vk::QueuePoint end;
    std::span<const AccessedRange> ranges;
  };
  std::vector<std::uint32_t> in_flight_;  // lists, by queue
  std::vector<Entry> entries_;            // in the order in which they were submitted
  std::uint64_t next_number_ = 0;
  std::uint32_t next_queue_ = 0;  // the first to be checked, so that idle queues take turns
};

}  // namespace slipway::recipe
