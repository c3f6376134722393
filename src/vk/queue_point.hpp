// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A moment in the work of a queue.
#pragma once

#include <cstdint>

namespace slipway::vk {

// A moment in the work of a queue: the end of a submission.
struct QueuePoint {
  std::uint32_t queue = 0;
  std::uint64_t value = 0;  // later on the same queue: larger

  bool operator==(const QueuePoint&) const = default;
};

}  // namespace slipway::vk
