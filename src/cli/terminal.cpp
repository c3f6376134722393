// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/terminal.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <mutex>
#include <utility>

#include "base/format.hpp"
#include "base/interrupt.hpp"
#include "base/print_diagnostic.hpp"
#include "base/text/control_characters.hpp"
#include "cli/sarif_file.hpp"
#include "json/diagnostics.hpp"
#include "platform/process.hpp"
#include "platform/text.hpp"

namespace slipway::cli {
namespace {

// The level of the whole process, like its streams.
OutputLevel current_level = OutputLevel::Normal;

// The line of progress.
std::mutex line_mutex;
bool line_is_shown = false;

// Of standard output, of which the C library keeps only that a write failed.
int first_failure = 0;

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

void write(std::FILE* stream, std::string_view text) {
  erase_progress();
  const std::string shown = is_terminal(stream) ? show_control_characters(text, {.colours = true}) : std::string();
  if (!shown.empty()) text = shown;
  errno = 0;
  const bool written = std::fwrite(text.data(), 1, text.size(), stream) == text.size() && std::fflush(stream) == 0;
  if (!written && stream == stdout && first_failure == 0) first_failure = errno;
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

void set_output_level(OutputLevel level) { current_level = level; }
OutputLevel output_level() { return current_level; }

bool is_terminal(std::FILE* stream) { return platform::is_terminal(stream == stdin ? 0 : stream == stdout ? 1 : 2); }

bool allows_binary(std::string_view output, Diagnostics& diagnostics) {
  if (output != "-" || !is_terminal(stdout)) return true;
  diagnostics.error(DiagnosticKind::Usage, {}, "the output is binary, and standard output is a terminal")
      .hint("`-o FILE` names a file");
  return false;
}

bool use_colour(std::FILE* stream) {
  if (is_set("NO_COLOR")) return false;
  if (const char* forced = std::getenv("CLICOLOR_FORCE"); forced && *forced && std::string_view(forced) != "0")
    return true;
  const char* type = std::getenv("TERM");
  return is_terminal(stream) && (type == nullptr || std::string_view(type) != "dumb");
}

std::size_t text_width() {
  constexpr std::size_t kMin = 60, kMax = 120, kDefault = 80;
  std::size_t width = 0;
  if (const char* columns = std::getenv("COLUMNS")) {
    const std::string_view text = columns;
    if (std::from_chars(text.data(), text.data() + text.size(), width).ec != std::errc()) width = 0;
  }
  if (width == 0) width = platform::terminal_width().value_or(0);
  return width == 0 ? kDefault : std::clamp(width, kMin, kMax);
}

void show_progress(const std::string& text) {
  const std::scoped_lock lock(line_mutex);
  std::fprintf(stderr, "\r%s\x1b[K", text.c_str());
  std::fflush(stderr);
  line_is_shown = true;
}

void erase_progress() {
  const std::scoped_lock lock(line_mutex);
  if (!std::exchange(line_is_shown, false)) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
}

void print_status(std::string_view text) {
  if (current_level != OutputLevel::Quiet) print(text);
}
void print_verbose(std::string_view text) {
  if (current_level == OutputLevel::Verbose) print_error(text);
}

std::vector<Diagnostic> shown(std::span<const Diagnostic> diagnostics) {
  std::vector<Diagnostic> kept;
  std::ranges::copy_if(diagnostics, std::back_inserter(kept), [](const Diagnostic& diagnostic) {
    return current_level != OutputLevel::Quiet || diagnostic.severity == Severity::Error;
  });
  return kept;
}

void print(std::string_view text) { write(stdout, text); }
int print_failure() { return first_failure; }
void print_error(std::string_view text) { write(stderr, text); }

int report(Diagnostics& diagnostics, const ReportStyle& style, std::FILE* json_to) {
  if (style.strict) diagnostics.make_strict();
  diagnostics.sort();
  note_for_sarif(diagnostics.all());
  if (style.json) {
    write(json_to, json::diagnostics_text(diagnostics.all()));
  } else {
    print_error(
        format_diagnostics(shown(diagnostics.all()), {.colour = use_colour(stderr), .max_errors = style.max_errors}));
  }
  return exit_status(diagnostics.all());
}

int report_check(Diagnostics& diagnostics, const ReportStyle& style, std::span<const std::string> files) {
  diagnostics.enforce_rules();
  const int status = report(diagnostics, style, stdout);
  if (!style.json && status == 0) {
    for (const std::string& file : files) print_status(formatted("{}: ok\n", file));
  }
  return status;
}

int finish_sarif(int status) {
  const Result<> written = write_sarif_file();
  if (written) return status;
  print_error(format_diagnostics(written.error(), {.colour = use_colour(stderr)}));
  return worst_status(status, exit_status(written.error()));
}

void end_process(int status) {
  status = finish_sarif(status);
  const bool written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  std::fflush(nullptr);
  if (is_interrupted()) end_by_interrupt();
  platform::end_now(written ? status : 5);
}

bool has_timed_out(std::span<const Diagnostic> diagnostics) { return has_kind(diagnostics, DiagnosticKind::TimedOut); }

bool has_kind(std::span<const Diagnostic> diagnostics, DiagnosticKind kind) {
  return std::ranges::contains(diagnostics, kind, &Diagnostic::kind);
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
  const std::tm local = platform::local_time(seconds);
  char date[32];
  std::strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S", &local);
  return formatted("{},{:03} [{}] {}: {}\n", date, milliseconds, name, word_for(level), text);
}

Log verbose_log() {
  if (current_level != OutputLevel::Verbose) return {};
  return Log([](LogLevel, std::string_view text) { print_error(formatted("slipway: {}\n", text)); });
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
