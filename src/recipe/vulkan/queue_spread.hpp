// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which queue of a device a run list goes to, and for what it must wait. No Vulkan: data in, data out.
//
// Lists go to the queue with the fewest lists under way. Different queues have no order between them, so a list that
// uses bytes which a list under way on another queue writes (or writes what that one uses) waits for its end.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/commands/submit.hpp"

namespace slipway::recipe {

// Bytes of a buffer, and whether they may be written.
struct AccessedRange {
  const gpu::Buffer* buffer = nullptr;
  std::uint64_t begin = 0, end = 0;
  bool writes = false;
};

inline bool conflict(const AccessedRange& a, const AccessedRange& b) {
  return (a.writes || b.writes) && a.buffer == b.buffer && a.begin < b.end && b.begin < a.end;
}

class QueueSpread {
 public:
  explicit QueueSpread(std::uint32_t queues = 1) : under_way_(queues) {}

  std::uint32_t queues() const { return static_cast<std::uint32_t>(under_way_.size()); }

  // For a list that uses these ranges of buffers that others may use too. With `in_order` it goes to the queue of what
  // it would have to wait for, if there is such a list: nothing of it could start before.
  std::uint32_t choose(std::span<const AccessedRange> ranges, bool in_order);
  // What work on these ranges must wait for, on this queue: at most one point of each other queue.
  std::vector<gpu::QueuePoint> waits(std::uint32_t queue, std::span<const AccessedRange> ranges) const;

  // A list is under way, until `remove` with the number that this returns. `ranges` are not copied.
  std::uint64_t add(gpu::QueuePoint end, std::span<const AccessedRange> ranges);
  void remove(std::uint64_t number);

 private:
  struct Entry {
    std::uint64_t number = 0;
    gpu::QueuePoint end;
    std::span<const AccessedRange> ranges;
  };
  std::vector<std::uint32_t> under_way_;  // lists, by queue
  std::vector<Entry> entries_;            // in the order in which they were submitted
  std::uint64_t next_number_ = 0;
  std::uint32_t next_queue_ = 0;  // the first to be looked at, so that idle ones take turns
};

}  // namespace slipway::recipe
