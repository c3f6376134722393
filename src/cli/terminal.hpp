// What the program says and where: products on standard output, everything about them on standard error.
#pragma once

#include <cstdio>
#include <span>
#include <string_view>

#include "base/diagnostic.hpp"
#include "base/log.hpp"

namespace slipway::cli {

// How diagnostics are shown; every verb has these options.
struct ReportStyle {
  bool json = false;             // --json
  bool strict = false;           // --strict: warnings are errors
  std::size_t max_errors = 100;  // --max-errors
};

// Colours only on a terminal, and not where NO_COLOR is set.
bool use_colour(std::FILE* stream);

void print(std::string_view text);        // to standard output
void print_error(std::string_view text);  // to standard error

// Asks for Enter; the end of the input will do too.
void wait_for_enter();

// Sorts, makes strict, prints to standard error (JSON to `json_to`), and gives the exit status.
int report(Diagnostics& diagnostics, const ReportStyle& style, std::FILE* json_to = stderr);

// Ends the process without destroying anything: a time-out leaves work under way that nothing can stop, and that
// destructors and the driver would wait for. After everything has been printed and written.
[[noreturn]] void end_process(int status);
bool has_timed_out(std::span<const Diagnostic> diagnostics);

// The log lines of the existing scenario runner (scenario page 5.1): `YYYY-mm-dd HH:MM:SS,mmm [NAME] LEVEL: text`,
// errors to standard error, the rest to standard output, flushed line by line.
Log stamped_log(LogLevel lowest);
std::string stamped_line(LogLevel level, std::string_view name, std::string_view text);

}  // namespace slipway::cli
