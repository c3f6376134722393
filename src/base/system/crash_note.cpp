// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/system/crash_note.hpp"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <string_view>

namespace slipway {
namespace {

std::atomic<bool> reporting = false, with_signal = false;
constinit std::atomic<const std::string*> note_of_devices = nullptr;
constinit thread_local const std::string* note_of_thread = nullptr;

constexpr int kDeviceFailed = 5;

void put(std::string_view text) { (void)!::write(STDERR_FILENO, text.data(), text.size()); }

// Only calls that a signal handler may make. Unused with sanitizers.
[[maybe_unused]] void end_with_note(int number, siginfo_t* info, void*) {
  const std::string* note = note_of_thread;
  if (!note) note = note_of_devices;
  if (note && !note->empty()) {
    put("error: the process crashed while ");
    put(*note);
    put(" [device-failed]\n"
        "  hint: `--validate` reports wrong use of the driver, `--enable-robustness-features` (of scenarios; software "
        "drivers always do) checks accesses to bound buffers, and `--device` selects another device\n");
    // The fault is that of a driver, or of a shader in it: the status of failures of the device.
    // What another process sends is not a crash.
    const bool is_sent = info->si_code <= 0 && info->si_pid != ::getpid();
    if (!is_sent && !with_signal) ::_exit(kDeviceFailed);
  }
  ::signal(number, SIG_DFL);
  ::raise(number);
}

}  // namespace

void report_crashes() {
  with_signal = std::getenv(kCrashWithSignal) != nullptr;
// Sanitizers have handlers of their own, which say more.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  constexpr std::size_t kStackSize = 65536;  // for the handler, as the stack may be exhausted
  static std::array<std::byte, kStackSize> stack;
  const stack_t alternative{.ss_sp = stack.data(), .ss_flags = 0, .ss_size = stack.size()};
  ::sigaltstack(&alternative, nullptr);
  struct sigaction action{};
  action.sa_sigaction = end_with_note;
  action.sa_flags = SA_ONSTACK | SA_SIGINFO;
  for (const int number : {SIGSEGV, SIGILL, SIGFPE, SIGABRT}) ::sigaction(number, &action, nullptr);
  reporting = true;
#endif
}

bool reports_crashes() { return reporting; }

void set_crash_note(const std::string* note) { note_of_devices = note; }

void remove_crash_note(const std::string& note) {
  const std::string* expected = &note;
  note_of_devices.compare_exchange_strong(expected, nullptr);
}

std::string crash_note_of_devices() {
  const std::string* const note = note_of_devices;
  return note ? *note : "";
}

CrashNote::CrashNote(const std::string& note) { note_of_thread = &note; }
CrashNote::~CrashNote() { note_of_thread = nullptr; }

}  // namespace slipway
