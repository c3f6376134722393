// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options of `slipway run` and of the drop-in name `scenario-runner` (docs/spec/scenario.md#command-line).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/log.hpp"
#include "cli/option_groups.hpp"

namespace slipway::cli {

struct ScenarioRunOptions : LaunchGroup {
  std::vector<std::string> files;
  std::string output;
  std::string dds_header = "dx10";
  bool confine = false, cast = false;
  std::string hlsl_compiler = "glslang";
  std::string failure_dump_directory;
  Severity unwritten = Severity::Error;  // of outputs that the run does not write; not an option

  bool pipeline_caching = false, clear_pipeline_cache = false, fail_on_pipeline_cache_miss = false;
  std::string cache_path;

  std::vector<std::string> disabled_extensions;
  bool debug_markers = false, robustness = false;
  bool wait_for_key = false, pause_on_exit = false, capture_frame = false;

  std::string session_memory_directory, graph_profiling_directory, debug_database_directory, statistics_directory;
  int statistics_mode = 1;

  std::optional<LogLevel> log_level;
};

// --hlsl-compiler
void add_hlsl_option(CommandLine& line, std::string& compiler);

// Declares all options. `run` takes files as positional arguments, the drop-in name with `--scenario` only.
void add_run_options(CommandLine& line, ScenarioRunOptions& options, bool drop_in);

// Moves names of extensions from the files to the disabled extensions: `--disable-extension VK_A VK_B scene.json` gives
// the option its first value, and the parser takes the other arguments for files. Call it after parsing.
void move_extensions(ScenarioRunOptions& options);

// Reports errors that the parser does not detect: paths that are not directories, counts, unknown extensions.
void check_options(const ScenarioRunOptions& options, Diagnostics& diagnostics);

}  // namespace slipway::cli
