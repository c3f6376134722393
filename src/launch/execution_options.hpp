// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a caller chooses for the iterations of a plan.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "vk/queue_point.hpp"

namespace slipway::launch {

struct ExecutionOptions {
  bool timestamps = false;       // around each dispatch and draw, and each part of a call
  bool iteration_times = false;  // around each iteration
  // For the waits inside an iteration. With it a device reports its progress, so that a command that hangs is known.
  std::optional<std::chrono::nanoseconds> time_out;
  // The steps before this one and the others are two batches of one submission, each with waits of its own. Only for
  // plans without boundaries and calls.
  std::optional<std::size_t> split;
};

struct SubmitOptions {
  std::uint32_t queue = 0;
  std::span<const std::vector<vk::QueuePoint>> after;  // what each batch waits for; empty: nothing
  // Of all calls and of the waits before them together; nothing: ExecutionOptions::time_out, for each of them.
  std::optional<std::chrono::nanoseconds> time_out;
};

}  // namespace slipway::launch
