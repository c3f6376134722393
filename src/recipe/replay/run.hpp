// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs captures on the back end XRT (docs/spec/recipe.md#replay-files).
#pragma once

#include <optional>

#include "recipe/backend.hpp"
#include "recipe/replay/replay.hpp"

namespace slipway::recipe {

struct ReplayOptions {
  std::optional<std::uint64_t> iterations;  // instead of those of the capture
};

struct ReplayResult {
  std::uint64_t frames = 0, iterations = 0, threads = 0;
  double elapsed_us = 0;  // of all iterations
};

// The capture has passed `check_replay`. Errors: those of the back end, located in the capture; file-not-found.
Result<ReplayResult> run_replay(const Replay& replay, const Artifacts& artifacts, Backend& backend,
                                const ReplayOptions& options = {});

std::string replay_report(const ReplayResult& result);  // as JSON

}  // namespace slipway::recipe
