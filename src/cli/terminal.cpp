// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/terminal.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <mutex>

#include "base/format.hpp"
#include "base/print_diagnostic.hpp"
#include "json/diagnostics.hpp"

namespace slipway::cli {
namespace {

void write(std::FILE* stream, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stream);
  std::fflush(stream);
}

std::string_view word_for(LogLevel level) {
  switch (level) {
    case LogLevel::Debug:
      return "DEBUG";
    case LogLevel::Info:
      return "INFO";
    case LogLevel::Warning:
      return "WARNING";
    case LogLevel::Error:
      return "ERROR";
  }
  return "";
}

}  // namespace

bool use_colour(std::FILE* stream) { return ::isatty(::fileno(stream)) != 0 && std::getenv("NO_COLOR") == nullptr; }

void print(std::string_view text) { write(stdout, text); }
void print_error(std::string_view text) { write(stderr, text); }

int report(Diagnostics& diagnostics, const ReportStyle& style, std::FILE* json_to) {
  if (style.strict) diagnostics.make_strict();
  diagnostics.sort();
  if (style.json) {
    write(json_to, json::diagnostics_text(diagnostics.all()));
  } else {
    print_error(format_diagnostics(diagnostics.all(), {.colour = use_colour(stderr), .max_errors = style.max_errors}));
  }
  return exit_status(diagnostics.all());
}

void end_process(int status) {
  std::fflush(nullptr);
  ::_exit(status);
}

bool has_timed_out(std::span<const Diagnostic> diagnostics) {
  return std::ranges::contains(diagnostics, DiagnosticKind::TimedOut, &Diagnostic::kind);
}

void wait_for_enter() {
  print("Press enter to continue...\n");
  for (int c = std::getchar(); c != '\n' && c != EOF; c = std::getchar()) {
  }
}

std::string stamped_line(LogLevel level, std::string_view name, std::string_view text) {
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  const auto milliseconds =
      std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
  std::tm local{};
  ::localtime_r(&seconds, &local);
  char date[32];
  std::strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S", &local);
  return formatted("{},{:03} [{}] {}: {}\n", date, milliseconds, name, word_for(level), text);
}

Log stamped_log(LogLevel lowest) {
  auto mutex = std::make_shared<std::mutex>();
  return Log([lowest, mutex](LogLevel level, std::string_view text) {
    if (level < lowest) return;
    const std::scoped_lock lock(*mutex);
    write(level == LogLevel::Error ? stderr : stdout, stamped_line(level, "Scenario-Runner", text));
  });
}

}  // namespace slipway::cli
