// Submitting commands and waiting for them.
//
// A wait polls for a short while before it blocks: a driver's blocking wait costs some 20 us more than a poll
// (measured: 28-33 us against 10 us for an empty submission).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>

#include "base/diagnostic.hpp"
#include "gpu/commands.hpp"

namespace slipway::gpu {

// The end of a frame (VK_EXT_frame_boundary), with what it produced. Left out when the device plan has no such
// extension.
struct FrameBoundary {
  std::uint64_t frame_id = 0;
  std::span<const Image* const> images;
  std::span<const Buffer* const> buffers;
};

enum class WaitStatus { Done, TimedOut };

// Work under way. Destroying it waits for the work, unless a wait has timed out: then the device cannot be destroyed
// any more and the process should end at once (a driver's thread may still run the shader).
class Submission {
 public:
  Submission(Submission&&) noexcept = default;
  Submission& operator=(Submission&&) = delete;
  ~Submission();

  // Without a time-out it waits for ever. May be called again after a time-out.
  Result<WaitStatus> wait(std::optional<std::chrono::nanoseconds> time_out = std::nullopt);

 private:
  friend Result<Submission> submit(const Device&, std::span<const CommandList* const>, const FrameBoundary*);
  explicit Submission(Owned<VkFence_T> fence) : fence_(std::move(fence)) {}
  Owned<VkFence_T> fence_;
  std::optional<WaitStatus> status_;  // of the last wait
};

// The lists are executed one after the other; there may be none. Only one thread at a time may submit.
Result<Submission> submit(const Device& device, std::span<const CommandList* const> lists,
                          const FrameBoundary* boundary = nullptr);

}  // namespace slipway::gpu
