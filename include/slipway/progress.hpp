// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The progress of calls that take long, and how to stop them.
//
//   slipway::ModelOptions options;
//   options.progress = [](const slipway::Progress& at) {
//     show(at.stage, at.index, at.count);                    // "plan", stage 0 of 3
//     if (at.total != 0) show_items(at.done, at.total);      // 12 of 40 kernels
//     return !cancelled;
//   };
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace slipway {

// A stage that begins, or items of it that are done.
struct Progress {
  std::string_view stage;  // a constant text, such as `simplify`; the names are at the functions
  unsigned index = 0;      // from 0
  unsigned count = 0;      // of stages; they take different times
  // Of the stage: kernels that are ready, rounds of tuning. Both are 0 when the stage begins, and remain 0 where a
  // stage has nothing to count. `total` grows when the number of items becomes known graph by graph.
  std::size_t done = 0;
  std::size_t total = 0;
};

// Returns whether to go on. It is called in the thread of the call, at the beginning of each stage and, in stages with
// items, when some of them are done; `done` never decreases, and skips values, because kernels are compiled by several
// threads. It is never called after the call has returned. When it returns false, the call fails with the kind
// `interrupted`; kernels whose compilation has begun are waited for. An exception that it throws leaves the call; what
// the call made is destroyed.
using ProgressCallback = std::function<bool(const Progress&)>;

}  // namespace slipway
