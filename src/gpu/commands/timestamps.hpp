// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GPU timestamps.
#pragma once

#include <vector>

#include "base/diagnostic.hpp"
#include "gpu/device/handles.hpp"

namespace slipway::gpu {

class Device;

class Timestamps {
 public:
  VkQueryPool_T* handle() const { return pool_.get(); }
  std::uint32_t count() const { return count_; }

 private:
  friend Result<Timestamps> create_timestamps(const Device& device, std::uint32_t count);
  Owned<VkQueryPool_T> pool_;
  std::uint32_t count_ = 0;
};

// `count` is at least 1. Errors: device-lacks when the queue has no timestamps.
Result<Timestamps> create_timestamps(const Device& device, std::uint32_t count);

// On the host, while no submission that writes them is in flight.
void reset_timestamps(const Device& device, const Timestamps& timestamps);

// The ticks (Snapshot::timestamp_period nanoseconds each), after the submission that wrote all of them has ended.
Result<std::vector<std::uint64_t>> read_timestamps(const Device& device, const Timestamps& timestamps);

}  // namespace slipway::gpu
