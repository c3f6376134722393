// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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
#include "platform/fault.hpp"
#include "platform/process.hpp"
#include "platform/text.hpp"

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
  slipway::platform::end_now(kFailed);
}

// Before the initialisation of objects with static storage, which allocates memory and may open files.
[[gnu::constructor(101)]] void begin() {
  std::set_terminate(end_after_exception);
  slipway::platform::open_standard_streams();
}

}  // namespace

int main(int count, char** arguments) {
  slipway::survive_shrunk_files();
  slipway::report_crashes();
  int status = kFailed;
  try {
    status = slipway::cli::run_program(arguments[0], {slipway::platform::arguments_of_main(count, arguments)});
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
    slipway::platform::end_if_output_is_closed(reason);
    // Otherwise the write that failed was reported.
    if (reason != 0 || status != kFailed) {
      std::fprintf(stderr, "error: cannot write standard output: %s [file-unwritable]\n",
                   reason == 0 ? "an earlier write failed" : std::strerror(reason));
    }
    status = kFailed;
  }
  return status;
}
