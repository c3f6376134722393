// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What ends a process: interrupts, crashes, and files that become shorter while they are mapped. Handlers are called in
// the middle of anything: they allocate no memory and take no lock.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

namespace slipway::platform {

// The first interrupt that is not ignored (SIGINT, SIGTERM, SIGHUP; Ctrl-C) becomes `number`; the second one ends the
// process at once. Returns a file that is readable from the first one on, or -1 if interrupts cannot be caught.
int catch_interrupts(std::atomic<int>& number);
// Ends the process as the interrupt would have without being caught.
[[noreturn]] void end_by_interrupt(int number);
// After a write to standard output has failed for `reason`, a number of <cerrno>: ends the process if it is a pipe that
// nothing reads any more, with the status that shells give for SIGPIPE. Returns where that signal has done so before,
// or is ignored.
void end_if_output_is_closed(int reason);

// Before a crash ends the process. `is_sent`: by another process. False where something else catches them.
bool catch_crashes(void (*handler)(bool is_sent));

// An access beyond the end of a mapped file: the handler makes it possible and returns true, or the process ends.
// Exceeding the limit of file sizes is an error of the write from now on, and no signal.
void catch_shrunk_files(bool (*handler)(std::uintptr_t address));
bool has_limit_of_file_sizes();

// To standard error.
void print_in_handler(std::string_view text);

}  // namespace slipway::platform
