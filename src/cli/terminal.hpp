// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Output of the program: results go to standard output, diagnostics to standard error.
#pragma once

#include <cstdint>
#include <cstdio>
#include <span>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/log.hpp"

namespace slipway::cli {

// How diagnostics are printed; every verb has these options.
struct ReportStyle {
  bool json = false;             // --json
  bool strict = false;           // --strict: warnings are errors
  std::size_t max_errors = 100;  // --max-errors
  std::string sarif_path;        // --sarif
};

// How much a verb prints: -q and -v. Quiet: errors and what was asked for, such as a report or a listing, but no
// warnings, notes, progress or lines of success. Verbose: also what is being done.
enum class OutputLevel : std::uint8_t { Quiet, Normal, Verbose };
// Of this process; the command line sets it before a verb begins.
void set_output_level(OutputLevel level);
OutputLevel output_level();

bool is_terminal(std::FILE* stream);
// Whether a binary file may be written there: `-` is standard output, and it is an error if that is a terminal.
bool allows_binary(std::string_view output, Diagnostics& diagnostics);
// By NO_COLOR, CLICOLOR_FORCE, TERM=dumb, and whether the stream is a terminal, in this order.
bool use_colour(std::FILE* stream);
// The width of lines for people: COLUMNS, else that of the terminal, else 80; from 60 to 120.
std::size_t text_width();

void print(std::string_view text);  // to standard output
// The reason (errno) why `print` could not write, of the first time; 0 if it could.
int print_failure();
void print_error(std::string_view text);    // to standard error
void print_status(std::string_view text);   // a line of success: to standard output, unless quiet
void print_verbose(std::string_view text);  // what is being done: to standard error, if verbose

// Shows a line of progress (progress.hpp) on standard error, in place of the one before. Any other output erases it.
void show_progress(const std::string& text);
void erase_progress();

// Asks for Enter and waits for it or for the end of the input.
void wait_for_enter();

// The diagnostics that are printed for people: all of them, or if quiet the errors.
std::vector<Diagnostic> shown(std::span<const Diagnostic> diagnostics);

// Sorts the diagnostics, applies --strict, prints them to standard error (JSON to `json_to`), and returns the exit
// status.
int report(Diagnostics& diagnostics, const ReportStyle& style, std::FILE* json_to = stderr);
// The same at the end of a check: rules are errors, JSON goes to standard output, and without an error each of the
// files is ok.
int report_check(Diagnostics& diagnostics, const ReportStyle& style, std::span<const std::string> files);

// Ends the process without destroying anything. After a time-out, work is in flight that nothing can stop, and
// destructors and the driver would wait for it. After an interrupt the status is that of the signal. Call it after
// everything has been printed and written.
[[noreturn]] void end_process(int status);
// Writes the file of --sarif. Returns the status, or 5 if the file cannot be written.
int finish_sarif(int status);
bool has_timed_out(std::span<const Diagnostic> diagnostics);
bool has_kind(std::span<const Diagnostic> diagnostics, DiagnosticKind kind);

// The log lines of the existing scenario runner (docs/spec/scenario.md#log-lines):
// `YYYY-mm-dd HH:MM:SS,mmm [NAME] LEVEL: text`, errors to standard error, the rest to standard output, flushed after
// each line.
Log stamped_log(LogLevel lowest);
// Writes what is being done to standard error if verbose.
Log verbose_log();
std::string stamped_line(LogLevel level, std::string_view name, std::string_view text);

}  // namespace slipway::cli
