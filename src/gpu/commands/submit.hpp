// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Submitting commands and waiting for them.
//
// On a device whose plan has several queues:
//
//   const Batch first{.lists = a};
//   Result<Submission> one = submit(device, 0, {&first, 1});
//   const QueuePoint points[] = {one->end()};
//   const Batch second{.lists = b, .after = points};
//   Result<Submission> other = submit(device, 1, {&second, 1});  // waits on the device for `a`
//
// Submissions to one queue run in order; between queues the only order is the one that `after` makes. Each submission
// signals the next value of its queue's timeline semaphore when it ends: that is what the host and other queues wait
// for.
//
// A wait polls for a short while before it blocks: a driver's blocking wait costs some 20 us more than a poll
// (measured: 28-33 us against 10 us for an empty submission).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "base/diagnostic.hpp"
#include "gpu/commands/commands.hpp"
#include "vk/queue_point.hpp"

namespace slipway::gpu {

// The end of a frame (VK_EXT_frame_boundary), with what it produced. Left out when the device plan has no such
// extension.
struct FrameBoundary {
  std::uint64_t frame_id = 0;
  std::span<const Image* const> images;
  std::span<const Buffer* const> buffers;
};

// Lists that are executed in order, once all of `after` has been reached.
struct Batch {
  std::span<const CommandList* const> lists;
  std::span<const vk::QueuePoint> after;  // ends of submissions to the same device
};

enum class WaitStatus { Done, TimedOut };

// Work in flight. Destroying it waits for the work, unless the last wait has timed out: then the work is given up and
// the device is lost (Device::is_lost), since nothing can stop the work and destroying what it uses would wait for it.
class Submission {
 public:
  Submission(Submission&& other) noexcept
      : core_(std::exchange(other.core_, nullptr)), end_(other.end_), status_(other.status_) {}
  Submission& operator=(Submission&&) = delete;  // what it replaced would have to be waited for
  ~Submission();

  // Without a time-out it waits without end. May be called again after a time-out. Errors: device-failed, also on a
  // device that is lost.
  Result<WaitStatus> wait(std::optional<std::chrono::nanoseconds> time_out = std::nullopt);

  // The end of its last batch, for batches of other queues to wait for.
  vk::QueuePoint end() const { return end_; }

 private:
  friend Result<Submission> submit_batches(const Device&, std::uint32_t, std::span<const Batch>, const FrameBoundary*);
  Submission(const DeviceCore& core, vk::QueuePoint end) : core_(&core), end_(end) {}
  const DeviceCore* core_;  // none after a move
  vk::QueuePoint end_;
  std::optional<WaitStatus> status_;  // of the last wait
};

// To queue 0. The lists are executed in order; there may be none. Only one thread at a time may submit.
Result<Submission> submit(const Device& device, std::span<const CommandList* const> lists,
                          const FrameBoundary* boundary = nullptr);
// All batches at once, at least one, each after the one before it, to a queue of the plan's. Only one thread at a time
// may submit to one queue.
Result<Submission> submit(const Device& device, std::uint32_t queue, std::span<const Batch> batches);

}  // namespace slipway::gpu
