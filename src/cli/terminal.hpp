// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Output of the program: results go to standard output, diagnostics to standard error.
#pragma once

#include <cstdio>
#include <span>
#include <string_view>

#include "base/diagnostic.hpp"
#include "base/log.hpp"

namespace slipway::cli {

// How diagnostics are printed; every verb has these options.
struct ReportStyle {
  bool json = false;             // --json
  bool strict = false;           // --strict: warnings are errors
  std::size_t max_errors = 100;  // --max-errors
};

// True if the stream is a terminal and NO_COLOR is not set.
bool use_colour(std::FILE* stream);

void print(std::string_view text);        // to standard output
void print_error(std::string_view text);  // to standard error

// Asks for Enter and waits for it or for the end of the input.
void wait_for_enter();

// Sorts the diagnostics, applies --strict, prints them to standard error (JSON to `json_to`), and returns the exit
// status.
int report(Diagnostics& diagnostics, const ReportStyle& style, std::FILE* json_to = stderr);

// Ends the process without destroying anything. After a time-out, work is in flight that nothing can stop, and
// destructors and the driver would wait for it. Call it after everything has been printed and written.
[[noreturn]] void end_process(int status);
bool has_timed_out(std::span<const Diagnostic> diagnostics);

// The log lines of the existing scenario runner (docs/spec/scenario.md#log-lines):
// `YYYY-mm-dd HH:MM:SS,mmm [NAME] LEVEL: text`, errors to standard error, the rest to standard output, flushed after
// each line.
Log stamped_log(LogLevel lowest);
std::string stamped_line(LogLevel level, std::string_view name, std::string_view text);

}  // namespace slipway::cli
