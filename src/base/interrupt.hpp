// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Requests to end: an interrupt of the process (SIGINT, SIGTERM, SIGHUP), and limits of time. Work that may take long
// asks `stop_reason` now and then; what cannot ask is given up by the program (cli/run/interrupts.hpp). Only the
// program catches interrupts; other programs that use the library keep their own handlers.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/diagnostic.hpp"

namespace slipway {

namespace detail {
extern std::atomic<int> interrupt_number;
}

// Begins to catch interrupts that are not ignored. The first one makes `is_interrupted` true; the second one ends the
// process at once. Errors leave the signals as they were.
void catch_interrupts();
// Whether an interrupt has arrived; never in a process that does not catch them.
inline bool is_interrupted() { return detail::interrupt_number.load(std::memory_order_relaxed) != 0; }
// Its number; 0: none.
inline int interrupt_number() { return detail::interrupt_number.load(); }
// Readable from the first interrupt on, for poll(); -1 in a process that does not catch them.
int interrupt_file();
// Ends the process as the interrupt would have without being caught, so that the status is 130 or 143 in a shell.
[[noreturn]] void end_by_interrupt();

// While it exists, `stop_reason` of this thread also knows a time at which work has to end; of nested limits the
// earliest counts.
class TimeLimit {
 public:
  using Clock = std::chrono::steady_clock;
  explicit TimeLimit(std::optional<Clock::time_point> end);
  explicit TimeLimit(std::optional<std::chrono::nanoseconds> length);
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;
  ~TimeLimit();

 private:
  std::optional<Clock::time_point> before_;
};

enum class StopReason : std::uint8_t { None, Interrupted, TimedOut };
// Takes some 30 ns with a limit, 1 ns without.
StopReason stop_reason();

// The failure of work that has to end: of kind interrupted or timed-out. `what` is the subject: "the run `a`".
Diagnostic stopped(StopReason reason, const std::string& what);

}  // namespace slipway
