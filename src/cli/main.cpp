// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <system_error>

#include "base/system/crash_note.hpp"
#include "base/system/shrunk_files.hpp"
#include "cli/program.hpp"
#include "cli/terminal.hpp"

namespace {

constexpr int kFailed = 5;  // the status of failures of the system

// The message of the exception that is being handled. Allocates no memory, which may be exhausted.
void print_exception() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    std::fputs("error: the memory is exhausted [device-failed]\n", stderr);
  } catch (const std::system_error& error) {
    std::fprintf(stderr, "error: the system refuses a request: %s [device-failed]\n", error.what());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: the program cannot go on: %s [device-failed]\n", error.what());
  } catch (...) {
    std::fputs("error: the program cannot go on [device-failed]\n", stderr);
  }
}

// Of exceptions in other threads.
[[noreturn]] void end_after_exception() {
  if (std::current_exception())
    print_exception();
  else
    std::fputs("error: the program cannot go on [device-failed]\n", stderr);
  std::fflush(nullptr);
  ::_exit(kFailed);
}

// Opens the standard streams that are closed: otherwise an output file would get the descriptor of one of them, and the
// text of the program. Reading standard input and writing standard output then fail; messages are lost. Standard output
// is not /dev/null, which may be the name of an output.
void open_standard_streams() {
  const auto open_closed = [](int number, const char* device, int mode) {
    if (::fcntl(number, F_GETFD) >= 0 || errno != EBADF) return;
    const int file = ::open(device, mode);  // the lowest number that is free
    if (file >= 0 && file != number) ::close(file);
  };
  open_closed(STDIN_FILENO, "/dev/null", O_WRONLY);
  open_closed(STDOUT_FILENO, "/dev/full", O_RDONLY);
  open_closed(STDERR_FILENO, "/dev/null", O_WRONLY);
}

// Before the initialisation of objects with static storage, which allocates memory and may open files.
[[gnu::constructor(101)]] void begin() {
  std::set_terminate(end_after_exception);
  open_standard_streams();
}

}  // namespace

int main(int count, char** arguments) {
  slipway::survive_shrunk_files();
  slipway::report_crashes();
  int status = kFailed;
  try {
    status = slipway::cli::run_program(arguments[0], {{arguments + 1, arguments + count}});
    if (const std::optional<std::string> shrunk = slipway::shrunk_file()) {
      std::fprintf(stderr, "%s: error: the file became shorter while it was read [file-truncated]\n", shrunk->c_str());
      status = 3;
    }
  } catch (...) {
    print_exception();
  }
  errno = 0;
  const bool flushed = std::fflush(stdout) == 0;
  if (!flushed || std::ferror(stdout) != 0) {
    const int reason = slipway::cli::print_failure() != 0 ? slipway::cli::print_failure() : flushed ? 0 : errno;
    // Otherwise the write that failed was reported.
    if (reason != 0 || status != kFailed) {
      std::fprintf(stderr, "error: cannot write standard output: %s [file-unwritable]\n",
                   reason == 0 ? "an earlier write failed" : std::strerror(reason));
    }
    status = kFailed;
  }
  return status;
}
