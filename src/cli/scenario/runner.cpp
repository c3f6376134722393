// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/scenario/runner.hpp"

#include <filesystem>

#include "base/format.hpp"
#include "cli/run/run_report.hpp"
#include "cli/run/run_times.hpp"
#include "cli/scenario/frame_capture.hpp"
#include "executors/open.hpp"
#include "launch/plan/explain.hpp"
#include "launch/report/trace.hpp"
#include "launch/run.hpp"
#include "model/graph_target.hpp"

namespace slipway::cli {
namespace {

bool wants_timestamps(const ScenarioRunOptions& options) {
  return !options.profiling_path.empty() || !options.trace_path.empty() || !options.graph_profiling_directory.empty();
}

// In the directory that is given the name is that of the scenario; in the user's, which all scenarios share, also a
// hash of its path.
Path pipeline_cache_file(const ScenarioRunOptions& options, const std::string& file) {
  const std::string stem = Path(file).stem().string();
  if (!options.cache_path.empty()) return Path(options.cache_path) / (stem + ".cache");
  std::error_code ignored;
  const std::string whole = std::filesystem::absolute(file, ignored).string();
  const Path directory = Cache::directory_of_user("pipelines");
  make_private_directories(directory);
  return directory / formatted("{}-{}.cache", stem, Cache::key({whole}).substr(0, 16));
}

}  // namespace

scenario::Loaded load_file(const std::string& file, const scenario::ScenarioOptions& options,
                           Diagnostics& diagnostics) {
  const std::optional<SourcePtr> source = diagnostics.take(read_source(file));
  if (!source) return {};
  return scenario::load(*source, file == "-" ? Path(".") : Path(file).parent_path(), options, diagnostics);
}

launch::ExecutorRequest executor_request(const ScenarioRunOptions& options) {
  return {.selector = options.device,
          .timestamps = wants_timestamps(options),
          .robustness = options.robustness || options.confine,
          .robustness_on_cpus = true,
          .disabled_extensions = options.disabled_extensions,
          .debug_names = options.debug_markers,
          .validate = options.validate,
          .shader_prints = options.shader_prints && !options.dry_run};
}

ScenarioRunner::ScenarioRunner(const ScenarioRunOptions& options, Log log, Cache cache)
    : options_(options), log_(std::move(log)), cache_(std::move(cache)) {
  if (!options.explain || !options.device.empty()) executor_ = executors::open_executor(executor_request(options));
}

launch::RunOptions ScenarioRunner::options_for(const std::string& file) const {
  launch::RunOptions options;
  options.repeat = options_.dry_run ? 1 : static_cast<std::uint32_t>(options_.warmup + options_.repeat);
  options.dry_run = options_.dry_run;
  options.timestamps = wants_timestamps(options_);
  options.unwritten = options_.unwritten;
  if (options_.timeout) options.time_out = launch::time_out_of(*options_.timeout);
  if (options_.pipeline_caching) {
    options.pipeline_cache = {.path = pipeline_cache_file(options_, file),
                              .clear = options_.clear_pipeline_cache,
                              .fail_on_miss = options_.fail_on_pipeline_cache_miss};
  }
  options.cache = cache_;
  options.profile_path = options_.profiling_path;
  options.perf_counters_path = options_.perf_counters_path;
  options.session_memory_directory = options_.session_memory_directory;
  options.graph_profile_directory = options_.graph_profiling_directory;
  options.failure_dump = options_.failure_dump_directory;
  return options;
}

std::optional<launch::Report> ScenarioRunner::run(const std::string& file, const scenario::Loaded& loaded,
                                                  const ItemProgress& progress, Diagnostics& diagnostics) {
  if (options_.wait_for_key) wait_for_enter();
  FrameCapture capture(options_.capture_frame && !options_.dry_run, log_);
  launch::RunOptions how = options_for(file);
  how.progress = progress;
  std::optional<launch::Report> report = scenario::run(loaded, *executor_, std::move(how), log_, diagnostics);
  if (report) diagnostics.add(launch::take_unwritten(*report));
  if (report) report->warmup = static_cast<std::uint32_t>(options_.warmup);
  if (report && report->is_interrupted)
    diagnostics.add(interrupted_run(file, *report, static_cast<std::uint64_t>(options_.warmup + options_.repeat)));
  if (report && !options_.trace_path.empty()) {
    diagnostics.take(
        write_file(options_.trace_path, launch::write_trace(loaded.plan->name, report->counters, report->profile))
            .transform([] { return true; }));
  }
  if (report && !options_.csv_path.empty())
    diagnostics.take(write_file(options_.csv_path, times_csv(file, *report)).transform([] { return true; }));
  return report;
}

// Without a device everything is emulated; the run reports why it is missing.
model::GraphOptions ScenarioRunner::target(Diagnostics& diagnostics) const {
  const model::GraphChoices choices = graph_choices(options_, options_.device);
  return model::graph_options(executor_.get(), choices, cache_, diagnostics)
      .or_else([&](const Failure&) { return model::graph_options(nullptr, choices, cache_, diagnostics); })
      .value();
}

scenario::Loaded ScenarioRunner::load(const std::string& file, Diagnostics& diagnostics) {
  const scenario::Emulation emulation = options_.emulate == "never"    ? scenario::Emulation::Never
                                        : options_.emulate == "always" ? scenario::Emulation::Always
                                                                       : scenario::Emulation::Auto;
  scenario::Loaded loaded = load_file(file,
                                      {.output = options_.output,
                                       .confine = options_.confine,
                                       .cache = cache_,
                                       .dxc = options_.hlsl_compiler == "dxc",
                                       .cast = options_.cast,
                                       .legacy_dds = options_.dds_header == "legacy",
                                       .emulation = emulation,
                                       .target = [&] { return target(diagnostics); }},
                                      diagnostics);
  if (options_.style.strict) diagnostics.make_strict();
  if (loaded.plan && !diagnostics.has_errors()) log_.info("Scenario file parsed");
  return loaded;
}

void ScenarioRunner::add_messages(Diagnostics& diagnostics) {
  if (executor_) diagnostics.add(executor_->take_messages());
}

bool ScenarioJob::load() {
  loaded_ = runner_.load(file_, diagnostics_);
  return loaded_.plan.has_value();
}

void ScenarioJob::explain() { launch::print_plan(*loaded_.plan, print); }

std::vector<Path> ScenarioJob::outputs() const { return outputs_of(*loaded_.plan); }

void ScenarioJob::run() {
  report_ = runner_.run(file_, loaded_, counted("compiling pipelines", "running"), diagnostics_);
}

void ScenarioJob::close() {
  runner_.add_messages(diagnostics_);
  loaded_ = {};
}

std::vector<RunReportEntry> ScenarioJob::report() const { return {{.outcome = result(), .job = {}, .recipe = {}}}; }

std::string ScenarioJob::outcome(int status) {
  if (!report_) return formatted("{}: {}\n", shown_name(file_), outcome_word(status));
  return formatted("{}{}{}{}: {}, on {}\n", launch::print_shader_output(report_->printed),
                   launch::print_expectations(report_->expectations), times_text(*report_), shown_name(file_),
                   outcome_text(status, *this, report_->compared ? &*report_->compared : nullptr), report_->device);
}

}  // namespace slipway::cli
