// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/interrupt.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace slipway {

namespace detail {
constinit std::atomic<int> interrupt_number = 0;
}

namespace {

int interrupt_pipe[2] = {-1, -1};
constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};
std::array<bool, kSignals.size()> is_caught{};
constinit thread_local std::optional<TimeLimit::Clock::time_point> limit_of_thread;

// Only calls that a signal handler may make.
void count_interrupt(int number) {
  const int saved = errno;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    if (is_caught[i]) ::signal(kSignals[i], SIG_DFL);
  }
  detail::interrupt_number = number;
  const char byte = 0;
  [[maybe_unused]] const ssize_t written = ::write(interrupt_pipe[1], &byte, 1);
  errno = saved;
}

// A time that the clock cannot represent does not limit anything.
std::optional<TimeLimit::Clock::time_point> end_of(std::optional<std::chrono::nanoseconds> length) {
  const auto now = TimeLimit::Clock::now();
  if (!length || *length >= TimeLimit::Clock::time_point::max() - now) return std::nullopt;
  return now + *length;
}

}  // namespace

void catch_interrupts() {
  if (interrupt_pipe[0] >= 0 || ::pipe2(interrupt_pipe, O_CLOEXEC | O_NONBLOCK) != 0) return;
  struct sigaction action{};
  action.sa_handler = count_interrupt;
  action.sa_flags = SA_RESTART;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    struct sigaction old{};
    ::sigaction(kSignals[i], nullptr, &old);
    // A process that is started with ignored interrupts, such as one in the background, ignores them.
    is_caught[i] = old.sa_handler != SIG_IGN;
    if (is_caught[i]) ::sigaction(kSignals[i], &action, nullptr);
  }
}

int interrupt_file() { return interrupt_pipe[0]; }

void end_by_interrupt() {
  const int number = interrupt_number();
  ::signal(number, SIG_DFL);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  ::kill(::getpid(), number);
  while (true) ::pause();
}

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
