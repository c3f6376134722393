// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/fault.hpp"

#include "platform/windows/system.hpp"

#include <fcntl.h>
#include <io.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>

#include "platform/process.hpp"

namespace slipway::platform {
namespace {

constexpr int kInterrupt = 2, kTerminate = 15;
int interrupt_pipe[2] = {-1, -1};
std::atomic<int>* interrupt = nullptr;

// In a thread of its own.
BOOL WINAPI handle_interrupt(DWORD event) {
  int expected = 0;
  // The second one ends the process.
  if (!interrupt->compare_exchange_strong(expected, event == CTRL_C_EVENT ? kInterrupt : kTerminate)) return FALSE;
  const char byte = 0;
  ::_write(interrupt_pipe[1], &byte, 1);
  return TRUE;
}

void (*crash_handler)(bool is_sent) = nullptr;

LONG WINAPI handle_crash(EXCEPTION_POINTERS*) {
  crash_handler(false);
  return EXCEPTION_CONTINUE_SEARCH;
}

void handle_abort(int) { crash_handler(false); }

}  // namespace

int catch_interrupts(std::atomic<int>& number) {
  if (interrupt_pipe[0] >= 0 || ::_pipe(interrupt_pipe, 16, _O_BINARY | _O_NOINHERIT) != 0) return interrupt_pipe[0];
  interrupt = &number;
  ::SetConsoleCtrlHandler(handle_interrupt, TRUE);
  return interrupt_pipe[0];
}

void end_by_interrupt(int) {
  ::TerminateProcess(::GetCurrentProcess(), static_cast<UINT>(STATUS_CONTROL_C_EXIT));
  end_now(1);
}

void end_if_output_is_closed(int reason) {
  constexpr int kSigpipe = 141;
  // Of the three names that the system has for a closed pipe, the C library knows two.
  const bool is_closed = reason == EPIPE || reason == EINVAL;
  if (is_closed && ::GetFileType(::GetStdHandle(STD_OUTPUT_HANDLE)) == FILE_TYPE_PIPE) end_now(kSigpipe);
}

bool catch_crashes(void (*handler)(bool is_sent)) {
  crash_handler = handler;
  ::SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX);  // no dialogue
  ::SetUnhandledExceptionFilter(handle_crash);
  std::signal(SIGABRT, handle_abort);
  return true;
}

// The system refuses to make a file shorter that is mapped.
void catch_shrunk_files(bool (*)(std::uintptr_t address)) {}
bool has_limit_of_file_sizes() { return false; }

void print_in_handler(std::string_view text) {
  DWORD count = 0;
  ::WriteFile(::GetStdHandle(STD_ERROR_HANDLE), text.data(), static_cast<DWORD>(text.size()), &count, nullptr);
}

}  // namespace slipway::platform
