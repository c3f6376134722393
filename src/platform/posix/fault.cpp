// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/fault.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>

namespace slipway::platform {
namespace {

int interrupt_pipe[2] = {-1, -1};
constexpr std::array kInterrupts = {SIGINT, SIGTERM, SIGHUP};
std::array<bool, kInterrupts.size()> is_caught{};
std::atomic<int>* interrupt = nullptr;

void handle_interrupt(int number) {
  const int saved = errno;
  for (std::size_t i = 0; i < kInterrupts.size(); ++i) {
    if (is_caught[i]) ::signal(kInterrupts[i], SIG_DFL);
  }
  *interrupt = number;
  const char byte = 0;
  [[maybe_unused]] const ssize_t written = ::write(interrupt_pipe[1], &byte, 1);
  errno = saved;
}

void (*crash_handler)(bool is_sent) = nullptr;

// Unused with sanitizers.
[[maybe_unused]] void handle_crash(int number, siginfo_t* info, void*) {
  crash_handler(info->si_code <= 0 && info->si_pid != ::getpid());
  ::signal(number, SIG_DFL);
  ::raise(number);
}

bool (*shrunk_handler)(std::uintptr_t address) = nullptr;

void handle_shrunk(int, siginfo_t* info, void*) {
  // Without it the process ends when the access is repeated.
  if (!shrunk_handler(reinterpret_cast<std::uintptr_t>(info->si_addr))) ::signal(SIGBUS, SIG_DFL);
}

}  // namespace

int catch_interrupts(std::atomic<int>& number) {
  if (interrupt_pipe[0] >= 0 || ::pipe2(interrupt_pipe, O_CLOEXEC | O_NONBLOCK) != 0) return interrupt_pipe[0];
  interrupt = &number;
  struct sigaction action{};
  action.sa_handler = handle_interrupt;
  action.sa_flags = SA_RESTART;
  for (std::size_t i = 0; i < kInterrupts.size(); ++i) {
    struct sigaction old{};
    ::sigaction(kInterrupts[i], nullptr, &old);
    // A process that is started with ignored interrupts, such as one in the background, ignores them.
    is_caught[i] = old.sa_handler != SIG_IGN;
    if (is_caught[i]) ::sigaction(kInterrupts[i], &action, nullptr);
  }
  return interrupt_pipe[0];
}

void end_by_interrupt(int number) {
  ::signal(number, SIG_DFL);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  ::kill(::getpid(), number);
  while (true) ::pause();
}

bool catch_crashes([[maybe_unused]] void (*handler)(bool is_sent)) {
// Sanitizers have handlers of their own, which say more.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return false;
#else
  crash_handler = handler;
  constexpr std::size_t kStackSize = 65536;  // for the handler, as the stack may be exhausted
  static std::array<std::byte, kStackSize> stack;
  const stack_t alternative{.ss_sp = stack.data(), .ss_flags = 0, .ss_size = stack.size()};
  ::sigaltstack(&alternative, nullptr);
  struct sigaction action{};
  action.sa_sigaction = handle_crash;
  action.sa_flags = SA_ONSTACK | SA_SIGINFO;
  for (const int number : {SIGSEGV, SIGILL, SIGFPE, SIGABRT}) ::sigaction(number, &action, nullptr);
  return true;
#endif
}

void catch_shrunk_files(bool (*handler)(std::uintptr_t address)) {
  shrunk_handler = handler;
  struct sigaction action{};
  action.sa_sigaction = handle_shrunk;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGBUS, &action, nullptr);
  // Not ignored: programs that this one starts would inherit that.
  ::signal(SIGXFSZ, [](int) {});
}

bool has_limit_of_file_sizes() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

void print_in_handler(std::string_view text) { (void)!::write(STDERR_FILENO, text.data(), text.size()); }

void end_if_output_is_closed(int) {}

}  // namespace slipway::platform
