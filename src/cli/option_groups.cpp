// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/option_groups.hpp"

#include <ranges>

#include "base/format.hpp"
#include "cli/confine.hpp"
#include "executors/open.hpp"
#include "model/graph_target.hpp"
#include "recipe/backend.hpp"

namespace slipway::cli {

void add_device_option(OptionGroup& group, std::string& device, std::string_view meaning) {
  group.add_option("--device", device, std::string(meaning));
}

void add_cache_option(OptionGroup& group, bool& no_cache) {
  group.add_flag("--no-cache", no_cache, "do not use the cache of compiled shaders and tuned kernels");
}

void add_fusion_option(OptionGroup& group, bool& no_fuse) {
  group.add_flag("--no-fuse", no_fuse, "do not fuse: one kernel for each operator of a graph");
}

void add_seed_option(OptionGroup& group, std::uint64_t& seed) {
  group.add_option("--seed", seed, "seed of random data that have no seed of their own (0)");
}

void add_shape_option(OptionGroup& group, std::vector<std::string>& shapes) {
  group.add_option("--shape", shapes, "NAME=1x224x224x3: an input or output whose shape the model leaves open")
      .values(1)
      .take_all();
}

void add_function_option(OptionGroup& group, std::string& function) {
  group.add_option("--entry", function,
                   "the only function of an MLIR module that is read (all of them); of an ExecuTorch program the "
                   "method, or METHOD:INDEX for one of its delegates");
}

void add_build_options(OptionGroup& group, std::string& text) {
  group.add_option("--build-options", text, "for the compiler of GLSL and HLSL: \"-DNAME=VALUE -UNAME -IDIRECTORY\"");
}

void add_report_option(OptionGroup& group, std::string& path) {
  group.add_option("--report", path, "write a JSON report; `-` is standard output").not_empty();
}

void add_timeout_option(OptionGroup& group, std::optional<double>& seconds) {
  group.add_option("--timeout", seconds, "seconds to wait for the device; then report what hangs and exit").positive();
}

void add_emulate_option(OptionGroup& group, std::optional<std::string>& emulate) {
  group
      .add_flag("--emulate", emulate, "WHEN",
                "emulate tensors and graphs instead of native support: auto, never, always (without a value: always)",
                "always")
      .choices({"auto", "never", "always"});
}

void add_cast_option(OptionGroup& group, bool& cast) {
  group.add_flag("--cast", cast,
                 "convert arrays whose elements have another type; a value that does not fit is an error");
}

void add_uncompared_option(OptionGroup& group, bool& allow_uncompared) {
  group.add_flag("--allow-uncompared", allow_uncompared, "accept outputs that could not be compared");
}

Cache cache_of(bool no_cache) { return no_cache ? Cache() : Cache::of_user(); }

void add_run_group(CommandLine& line, RunGroup& options, std::string_view device_meaning) {
  line.add_report_options(options.style);
  add_device_option(line, options.device, device_meaning);
  add_report_option(line, options.report_path);
  add_timeout_option(line, options.timeout);
  add_cache_option(line, options.no_cache);
}

void add_planned_run_group(CommandLine& line, PlannedRunGroup& options, std::string_view device_meaning) {
  add_run_group(line, options, device_meaning);
  line.add_flag("--explain", options.explain, "print the plan; open no device, except one that --device names");
  line.add_flag("--dry-run", options.dry_run, "do everything except running and writing results");
}

namespace {

// Engines that are not chosen by the device, by their names.
constexpr std::pair<std::string_view, model::Engine> kEngines[] = {{"cpu", model::Engine::Cpu},
                                                                   {"reference", model::Engine::Reference}};

std::vector<std::string> with_auto(auto&& names) {
  std::vector<std::string> choices = {"auto"};
  for (const std::string_view name : names) choices.emplace_back(name);
  return choices;
}

}  // namespace

void add_engine_option(OptionGroup& group, EngineGroup& options) {
  group
      .add_option("--engine", options.engine,
                  "run graphs on the device, on the CPU engine or in the reference interpreter: auto, cpu, reference")
      .choices(with_auto(kEngines | std::views::keys));
}

void add_engine_thread_options(OptionGroup& group, EngineGroup& options, bool short_name) {
  group
      .add_option(short_name ? "--threads,--engine-threads" : "--engine-threads", options.threads,
                  "threads of the CPU engine (one for each CPU)")
      .range(1, 4096);
  group.add_flag("--pin", options.pin, "each further thread of the CPU engine stays on one CPU");
}

std::optional<model::Engine> chosen_engine(const EngineGroup& options, const std::string& device) {
  for (const auto& [name, engine] : kEngines) {
    if (name == options.engine) return engine;
  }
  if (executors::kind_of(device).runs_graphs_on_host) return model::Engine::Cpu;
  return std::nullopt;
}

model::GraphChoices graph_choices(const EngineGroup& options, const std::string& device,
                                  const std::optional<std::string>& emulate) {
  return {.engine = chosen_engine(options, device),
          .threads = options.threads,
          .pin_threads = options.pin,
          .fuse = !options.no_fuse,
          .native = emulate != "always"};
}

bool emulates(const EngineGroup& options, const std::optional<std::string>& emulate) {
  return emulate != "never" || options.engine != "auto";
}

void add_shader_prints_option(OptionGroup& group, bool& shader_prints) {
  group.add_flag(
      "--no-shader-prints", [&shader_prints] { shader_prints = false; },
      "do not show what shaders print (debugPrintfEXT), and run them without the validation layer, which shows it");
}

void add_launch_group(CommandLine& line, LaunchGroup& options) {
  add_planned_run_group(line, options);
  line.add_option("--repeat", options.repeat, "the number of runs (1); with several, their times are printed");
  line.add_option("--warmup", options.warmup, "runs before these that statistics of times leave out (0)");
  line.add_option("--csv", options.csv_path, "write the time of each run as CSV").not_empty();
  line.add_flag("--validate", options.validate, "run under the Vulkan validation layer, synchronisation included");
  add_shader_prints_option(line, options.shader_prints);
  line.add_option("--trace", options.trace_path, "write a Chrome trace (JSON) with host and GPU tracks, for Perfetto")
      .not_empty();
  // These two may be empty, as in the tool that `scenario-runner` replaces.
  line.add_option("--profiling-dump-path", options.profiling_path, "write GPU timestamps as JSON");
  line.add_option("--perf-counters-dump-path", options.perf_counters_path, "write host times as JSON");
  add_emulate_option(line, options.emulate);
  add_engine_option(line, options);
  add_engine_thread_options(line, options);
  add_fusion_option(line, options.no_fuse);
}

void check_repeat(const LaunchGroup& options, Diagnostics& diagnostics) {
  if (options.warmup < 0 || options.warmup > UINT32_MAX - options.repeat)
    diagnostics.error(
        DiagnosticKind::Usage, {},
        formatted("--warmup takes a number from 0 to {}, not {}", UINT32_MAX - options.repeat, options.warmup));
  if (options.dry_run && (options.warmup > 0 || !options.csv_path.empty()))
    diagnostics.error(DiagnosticKind::Usage, {}, "a dry run does not measure; leave out --warmup and --csv");
}

void add_artifact_options(OptionGroup& group, std::string& directory, bool& allow_outside) {
  group.add_option("--dir", directory, "base directory of the paths in the file (the file's own directory)");
  Option outside =
      group.add_flag("--allow-outside", allow_outside, "allow files and libraries outside their directories");
  if (group.has_option("--confine")) outside.excludes("--confine");
}

void add_backend_options(OptionGroup& group, std::string& backend, std::string& library_root) {
  group
      .add_option("--backend", backend,
                  formatted("auto, {} (auto: from the kernels' files)", recipe::kernel_backend_list()))
      .choices(with_auto(recipe::kKernelBackendNames));
  group.add_option("--library-root", library_root,
                   "directory of CPU libraries (XILINX_XRT, the install prefix, --dir)");
}

void add_recipe_group(OptionGroup& group, RecipeGroup& options) {
  add_artifact_options(group, options.directory, options.allow_outside);
  add_backend_options(group, options.backend, options.library_root);
  group.add_option("--iterations", options.iterations, "iterations of every execution, unless a job sets them")
      .range(std::uint64_t{1}, std::uint64_t{UINT32_MAX});
  group
      .add_option("--mode", options.mode,
                  "run only executions of this mode, unless a job sets it: all, default, latency, throughput, validate")
      .choices({"all", "default", "latency", "throughput", "validate"});
  add_seed_option(group, options.seed);
  add_emulate_option(group, options.emulate);
  group.add_flag("--no-cpu-libraries", options.no_cpu_libraries, "refuse recipes with CPU functions");
  if (group.has_option("--confine"))
    group.add_flag("--allow-native-code", options.allow_native_code,
                   "with --confine: load the libraries of CPU functions, whose code may do what this program may");
}

std::string_view why_no_cpu_libraries(const RecipeGroup& options) {
  if (options.no_cpu_libraries) return "`--no-cpu-libraries` is given";
  return is_confined() && !options.allow_native_code ? "`--confine` is given without `--allow-native-code`" : "";
}

}  // namespace slipway::cli
