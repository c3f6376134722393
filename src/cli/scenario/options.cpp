// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/scenario/options.hpp"

#include <algorithm>
#include <array>

#include "base/format.hpp"
#include "base/system/cache.hpp"
#include "cli/confine.hpp"

namespace slipway::cli {
namespace {

constexpr std::array<std::string_view, 4> kLevels = {"debug", "info", "warning", "error"};

void add_cache_options(OptionGroup& group, ScenarioRunOptions& options) {
  group.add_flag("--pipeline-caching", options.pipeline_caching,
                 "keep the driver's pipelines in <cache-path>/<scenario>.cache");
  group.add_option("--cache-path", options.cache_path, "directory of that file (the user's cache, ~/.cache/slipway)");
  group.add_flag("--clear-pipeline-cache", options.clear_pipeline_cache, "delete that file first");
  group.add_flag("--fail-on-pipeline-cache-miss", options.fail_on_pipeline_cache_miss,
                 "fail if a valid cache is loaded and a pipeline is not in it");
}

void add_result_options(OptionGroup& group, ScenarioRunOptions& options) {
  group.add_option("--output", options.output,
                   "base directory of relative `dst` paths, created if missing (the scenario's directory)");
  group
      .add_option("--dds-header", options.dds_header,
                  "of DDS files that are written: dx10, or legacy for programs that read only the older one (dx10)")
      .choices({"dx10", "legacy"});
  group.add_option("--dump-on-failure", options.failure_dump_directory,
                   "write all resources into this directory when an expectation fails");
}

// The options that write files about graphs.
void add_graph_options(OptionGroup& group, ScenarioRunOptions& options) {
  group.add_option("--session-memory-dump-dir", options.session_memory_directory, "write the session memory of graphs");
  group.add_option("--emulation-layer-profiling-dump-dir", options.graph_profiling_directory,
                   "write times of graph operators");
  group.add_option("--neural-debug-database-dump-dir", options.debug_database_directory,
                   "write the debug database of graphs");
  group.add_option("--neural-statistics-dump-dir", options.statistics_directory, "write the statistics of graphs");
  group.add_option("--neural-statistics-mode", options.statistics_mode, "0 or 1 (1)").choices({"0", "1"});
}

}  // namespace

void add_hlsl_option(CommandLine& line, std::string& compiler) {
  line.add_option("--hlsl-compiler", compiler,
                  "what compiles HLSL: glslang, which is built in, or the program dxc on the PATH (glslang)")
      .choices({"glslang", "dxc"})
      .excludes("--confine");
}

void add_run_options(CommandLine& line, ScenarioRunOptions& options, bool drop_in) {
  if (drop_in) {
    line.add_option("--scenario", options.files, "the scenario file").required().values(1);
  } else {
    line.add_option("files,--scenario", options.files, "scenario files; `-` is standard input")
        .values(1, -1)
        .take_all();
  }
  add_launch_group(line, options);
  if (drop_in) line.add_flag("--confine", options.confine, "refuse paths that leave the scenario's directory");
  options.confine |= is_confined();
  add_hlsl_option(line, options.hlsl_compiler);
  add_cast_option(line, options.cast);
  add_result_options(line, options);
  add_cache_options(line, options);
  Option disable =
      line.add_option("--disable-extension", options.disabled_extensions, "treat these device extensions as absent")
          .take_all();
  disable.values(1, drop_in ? -1 : 1);
  line.add_flag("--enable-gpu-debug-markers", options.debug_markers, "name objects and commands for GPU debuggers");
  line.add_flag("--enable-robustness-features", options.robustness, "enable bounds checks if the device has them");
  line.add_flag("--wait-for-key-stroke-before-run", options.wait_for_key, "wait for Enter first");
  line.add_flag("--pause-on-exit", options.pause_on_exit, "wait for Enter at the end");
  line.add_flag("--capture-frame", options.capture_frame, "let an injected RenderDoc capture the run");
  line.add_option(
          "--log-level",
          [&](const std::string& word) {
            options.log_level = static_cast<LogLevel>(std::ranges::find(kLevels, word) - kLevels.begin());
          },
          "debug, info, warning or error (info)")
      .choices(std::vector<std::string>(kLevels.begin(), kLevels.end()));
  add_graph_options(line, options);
}

void move_extensions(ScenarioRunOptions& options) {
  const auto is_extension = [](const std::string& word) { return word.starts_with("VK_"); };
  const auto names = std::ranges::stable_partition(options.files, std::not_fn(is_extension));
  options.disabled_extensions.append_range(names);
  options.files.erase(names.begin(), names.end());
}

void check_options(const ScenarioRunOptions& options, Diagnostics& diagnostics) {
  const auto usage = [&](std::string message) { diagnostics.error(DiagnosticKind::Usage, {}, std::move(message)); };
  if (options.files.empty())
    usage("no file is given: a scenario, a recipe, a model; `slipway run --help` lists the formats");
  if (options.repeat <= 0) usage(formatted("Repeat count must be greater than zero; received {}.", options.repeat));
  if (options.repeat > 0) check_repeat(options, diagnostics);
  const auto directory = [&](const std::string& path, std::string_view what) {
    if (!path.empty() && !directory_exists(path)) usage(formatted("Invalid {} directory: {}", what, path));
  };
  if (options.pipeline_caching) directory(options.cache_path, "cache");
  if (options.pipeline_caching && options.cache_path.empty() && Cache::directory_of_user("pipelines").empty())
    usage("--pipeline-caching needs --cache-path: the user has no directory of caches that others cannot change");
  directory(options.graph_profiling_directory, "graph profiling dump");
  directory(options.debug_database_directory, "Neural Debug Database dump");
  directory(options.statistics_directory, "Neural Statistics dump");
  directory(options.session_memory_directory, "Session Memory dump");
  for (const std::string& extension : options.disabled_extensions) {
    if (!extension.starts_with("VK_")) usage(formatted("Unrecognized extension, cannot disable: {}", extension));
  }
}

}  // namespace slipway::cli
