// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The progress of calls that take long, and how to stop them.
//
//   slipway::ModelOptions options;
//   options.progress = [](const slipway::Progress& at) {
//     show(at.stage, at.index, at.count);
//     return !cancelled;
//   };
#pragma once

#include <functional>
#include <string_view>

namespace slipway {

// A stage that begins.
struct Progress {
  std::string_view stage;  // a constant text, such as `simplify`; the names are at the functions
  unsigned index = 0;      // from 0
  unsigned count = 0;      // of stages; they take different times
};

// Returns whether to go on. It is called in the thread of the call, at the beginning of each stage, and never after the
// call has returned. When it returns false, the call fails with the kind `interrupted`. An exception that it throws
// leaves the call; what the call made is destroyed.
using ProgressCallback = std::function<bool(const Progress&)>;

}  // namespace slipway
