// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a command in a process of its own, with a time limit.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"

namespace slipway {

// How a command ended. A command without a signal, neither timed out nor interrupted, has an exit status.
struct ChildEnd {
  bool timed_out = false, interrupted = false;
  std::optional<int> signal;
  int status = 0;
  std::string output, errors;  // what it printed, of each at most 16 MiB
};

// Waits for the end of the command. After the time limit its processes are ended. Errors: device-failed, if the system
// starts no process.
Result<ChildEnd> run_child(const std::vector<std::string>& command, std::chrono::duration<double> limit);

}  // namespace slipway
