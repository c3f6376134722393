#include "cli/run_options.hpp"

#include <algorithm>
#include <array>

#include "base/format.hpp"

namespace slipway::cli {
namespace {

constexpr std::array<std::string_view, 4> kLevels = {"debug", "info", "warning", "error"};

void add_cache_options(OptionGroup& group, RunSettings& settings) {
  group.add_flag("--pipeline-caching", settings.pipeline_caching,
                 "keep the driver's pipelines in <cache-path>/<scenario>.cache");
  group.add_option("--cache-path", settings.cache_path, "directory of that file (the system's temporary directory)");
  group.add_flag("--clear-pipeline-cache", settings.clear_pipeline_cache, "delete that file first");
  group.add_flag("--fail-on-pipeline-cache-miss", settings.fail_on_pipeline_cache_miss,
                 "with a valid cache loaded, fail when a pipeline is not in it");
  group.add_flag("--no-cache", settings.no_cache, "do not use the cache of compiled shaders");
}

void add_result_options(OptionGroup& group, RunSettings& settings) {
  group.add_option("--output", settings.output,
                   "base directory of relative `dst` paths, made if missing (the scenario's directory)");
  group.add_option("--profiling-dump-path", settings.profiling_path, "write GPU timestamps as JSON");
  group.add_option("--perf-counters-dump-path", settings.perf_counters_path, "write host times as JSON");
  group.add_option("--trace", settings.trace_path,
                   "write a Chrome trace (JSON) with host and GPU tracks, for Perfetto");
  group.add_option("--junit", settings.junit_path, "write a JUnit XML report");
  group.add_option("--report", settings.report_path, "write a JSON report; `-` is standard output");
  group.add_option("--dump-on-failure", settings.failure_dump_directory,
                   "write all resources into this directory when an expectation fails");
}

// Options of tensors and graphs.
void add_graph_options(OptionGroup& group, RunSettings& settings) {
  group
      .add_option("--emulate", settings.emulate,
                  "tensors and graphs without the device's own support: auto, never, always (bare: always)")
      .choices({"auto", "never", "always"});
  group.add_option("--engine", settings.engine, "graphs by the device or by the reference interpreter: auto, reference")
      .choices({"auto", "reference"});
  group.add_flag("--no-fuse", settings.no_fuse, "one kernel for each operator of a graph");
  group.add_option("--session-memory-dump-dir", settings.session_memory_directory,
                   "write the session memory of graphs");
  group.add_option("--emulation-layer-profiling-dump-dir", settings.graph_profiling_directory,
                   "write times of graph operators");
  group.add_option("--neural-debug-database-dump-dir", settings.debug_database_directory,
                   "write the debug database of graphs");
  group.add_option("--neural-statistics-dump-dir", settings.statistics_directory, "write the statistics of graphs");
  group.add_option("--neural-statistics-mode", settings.statistics_mode, "0 or 1 (1)").choices({"0", "1"});
}

}  // namespace

void add_run_options(CommandLine& line, RunSettings& settings, bool drop_in) {
  if (drop_in) {
    line.add_option("--scenario", settings.files, "the scenario file").required().values(1);
  } else {
    line.add_option("files", settings.files, "scenario files; `-` is standard input");
    line.add_option("--scenario", [&](const std::string& file) { settings.files.push_back(file); }, "the same");
  }
  line.add_report_options(settings.style);
  line.add_option("--device", settings.device,
                  "a Vulkan device: index, part of its name, or UUID (else SLIPWAY_DEVICE)");
  line.add_option("--repeat", settings.repeat, "run the commands this often (1)");
  line.add_option("--timeout", settings.timeout,
                  "seconds to wait for the commands; then name the one that hangs and end")
      .positive();
  line.add_flag("--dry-run", settings.dry_run, "do everything but submit and write results");
  line.add_flag("--explain", settings.explain, "print the plan; touch no device but one that --device names");
  line.add_flag("--confine", settings.confine, "refuse paths that leave the scenario's directory");
  add_result_options(line, settings);
  add_cache_options(line, settings);
  line.add_option("--disable-extension", settings.disabled_extensions, "treat these device extensions as absent")
      .values(1, -1)
      .take_all();
  line.add_flag("--enable-gpu-debug-markers", settings.debug_markers, "name objects and commands for GPU debuggers");
  line.add_flag("--enable-robustness-features", settings.robustness, "bounds checks where the device has them");
  line.add_flag("--validate", settings.validate, "run under the Vulkan validation layer, synchronisation included");
  line.add_flag("--wait-for-key-stroke-before-run", settings.wait_for_key, "wait for Enter first");
  line.add_flag("--pause-on-exit", settings.pause_on_exit, "wait for Enter at the end");
  line.add_flag("--capture-frame", settings.capture_frame, "let an injected RenderDoc capture the run");
  line.add_option(
          "--log-level",
          [&](const std::string& word) {
            settings.log_level = static_cast<LogLevel>(std::ranges::find(kLevels, word) - kLevels.begin());
          },
          "debug, info, warning or error (info)")
      .choices(std::vector<std::string>(kLevels.begin(), kLevels.end()));
  add_graph_options(line, settings);
}

Arguments normalized(Arguments arguments) {
  Arguments result;
  bool in_extensions = false;
  for (std::string& argument : arguments) {
    if (argument == "--emulate") argument = "--emulate=always";
    if (argument.starts_with("-") && argument != "-") {
      in_extensions = argument == "--disable-extension";
    } else if (in_extensions && !argument.starts_with("VK_") && !result.back().starts_with("--")) {
      // The list has ended: what follows is a file.
      result.push_back("--scenario");
      in_extensions = false;
    }
    result.push_back(std::move(argument));
  }
  return result;
}

void check_settings(const RunSettings& settings, Diagnostics& diagnostics) {
  const auto usage = [&](std::string message) { diagnostics.error(DiagnosticKind::Usage, {}, std::move(message)); };
  if (settings.files.empty()) usage("no scenario file is given");
  if (settings.repeat <= 0) usage(formatted("Repeat count must be greater than zero; received {}.", settings.repeat));
  const auto directory = [&](const std::string& path, std::string_view what) {
    if (!path.empty() && !directory_exists(path)) usage(formatted("Invalid {} directory: {}", what, path));
  };
  if (settings.pipeline_caching) directory(settings.cache_path, "cache");
  directory(settings.graph_profiling_directory, "graph profiling dump");
  directory(settings.debug_database_directory, "Neural Debug Database dump");
  directory(settings.statistics_directory, "Neural Statistics dump");
  directory(settings.session_memory_directory, "Session Memory dump");
  for (const std::string& extension : settings.disabled_extensions) {
    if (!extension.starts_with("VK_")) usage(formatted("Unrecognized extension, cannot disable: {}", extension));
  }
}

}  // namespace slipway::cli
