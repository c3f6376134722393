// The options of `slipway run` and of the drop-in name `scenario-runner` (scenario page 3.16).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/log.hpp"
#include "cli/command_line.hpp"

namespace slipway::cli {

// What runs are asked to do, before it is known with which files.
struct RunSettings {
  ReportStyle style;
  std::vector<std::string> files;
  std::string output;
  std::string device;

  bool confine = false, no_cache = false, explain = false, dry_run = false;
  std::int64_t repeat = 1;
  std::optional<double> timeout;

  std::string profiling_path, perf_counters_path, trace_path, junit_path, report_path;
  std::string failure_dump_directory;

  bool pipeline_caching = false, clear_pipeline_cache = false, fail_on_pipeline_cache_miss = false;
  std::string cache_path;

  std::vector<std::string> disabled_extensions;
  bool debug_markers = false, robustness = false, validate = false;
  bool wait_for_key = false, pause_on_exit = false, capture_frame = false;

  std::string emulate = "auto", engine = "auto";
  bool no_fuse = false;
  std::string session_memory_directory, graph_profiling_directory, debug_database_directory, statistics_directory;
  int statistics_mode = 1;

  std::optional<LogLevel> log_level;
};

// Adds all options; `files` are positional for `run`, and `--scenario` alone for the drop-in name.
void add_run_options(CommandLine& line, RunSettings& settings, bool drop_in);

// Puts right what CLI11 cannot say: a bare `--emulate` is `--emulate=always`, and names behind `--disable-extension`
// end where a word is no extension.
Arguments normalized(Arguments arguments);

// Mistakes that a single option cannot see: directories that are none, counts, extensions that nobody knows.
void check_settings(const RunSettings& settings, Diagnostics& diagnostics);

}  // namespace slipway::cli
