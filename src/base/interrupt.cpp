// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/interrupt.hpp"

#include <algorithm>

#include "platform/fault.hpp"

namespace slipway {

namespace detail {
constinit std::atomic<int> interrupt_number = 0;
}

namespace {

constinit std::atomic<int> interrupt_readable = -1;
constinit thread_local std::optional<TimeLimit::Clock::time_point> limit_of_thread;

// A time that the clock cannot represent does not limit anything.
std::optional<TimeLimit::Clock::time_point> end_of(std::optional<std::chrono::nanoseconds> length) {
  const auto now = TimeLimit::Clock::now();
  if (!length || *length >= TimeLimit::Clock::time_point::max() - now) return std::nullopt;
  return now + *length;
}

}  // namespace

void catch_interrupts() { interrupt_readable = platform::catch_interrupts(detail::interrupt_number); }
int interrupt_file() { return interrupt_readable; }
void end_by_interrupt() { platform::end_by_interrupt(interrupt_number()); }

TimeLimit::TimeLimit(std::optional<Clock::time_point> end) : before_(limit_of_thread) {
  if (end) limit_of_thread = before_ ? std::min(*before_, *end) : *end;
}
TimeLimit::TimeLimit(std::optional<std::chrono::nanoseconds> length) : TimeLimit(end_of(length)) {}
TimeLimit::~TimeLimit() { limit_of_thread = before_; }

StopReason stop_reason() {
  if (is_interrupted()) return StopReason::Interrupted;
  if (limit_of_thread && TimeLimit::Clock::now() >= *limit_of_thread) return StopReason::TimedOut;
  return StopReason::None;
}

Diagnostic stopped(StopReason reason, const std::string& what) {
  if (reason == StopReason::TimedOut)
    return {.kind = DiagnosticKind::TimedOut, .message = what + " did not end in the given time"};
  return {.kind = DiagnosticKind::Interrupted, .message = what + " was interrupted"};
}

}  // namespace slipway
