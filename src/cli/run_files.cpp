#include "cli/run_files.hpp"

#include <filesystem>

#include "cli/frame_capture.hpp"
#include "launch/explain.hpp"
#include "launch/run.hpp"
#include "launch/trace.hpp"
#include "model/tuning/tuning_table.hpp"

namespace slipway::cli {
namespace {

bool wants_timestamps(const RunSettings& settings) {
  return !settings.profiling_path.empty() || !settings.trace_path.empty() ||
         !settings.graph_profiling_directory.empty();
}

}  // namespace

scenario::Loaded load_file(const std::string& file, const scenario::ScenarioOptions& settings,
                           Diagnostics& diagnostics) {
  const std::optional<SourcePtr> source = diagnostics.take(read_source(file));
  if (!source) return {};
  return scenario::load(*source, file == "-" ? Path(".") : Path(file).parent_path(), settings, diagnostics);
}

Runner::Runner(const RunSettings& settings, Log log, Cache cache)
    : settings_(settings), log_(std::move(log)), cache_(std::move(cache)) {
  if (settings.explain && settings.device.empty()) return;
  launch::OpenDeviceOptions request{.selector = device_selector(settings.device),
                                    .timestamps = wants_timestamps(settings),
                                    .robustness = settings.robustness,
                                    .disabled_extensions = settings.disabled_extensions};
  request.instance.debug_names = settings.debug_markers;
  device_.emplace(std::move(request), settings.validate);
}

launch::RunOptions Runner::options_for(const std::string& file) const {
  launch::RunOptions options;
  options.repeat = settings_.dry_run ? 1 : static_cast<std::uint32_t>(settings_.repeat);
  options.dry_run = settings_.dry_run;
  options.timestamps = wants_timestamps(settings_);
  if (settings_.timeout) options.time_out = launch::time_out_of(*settings_.timeout);
  if (settings_.pipeline_caching) {
    const Path directory =
        settings_.cache_path.empty() ? std::filesystem::temp_directory_path() : Path(settings_.cache_path);
    options.pipeline_cache = {.path = directory / (Path(file).stem().string() + ".cache"),
                              .clear = settings_.clear_pipeline_cache,
                              .fail_on_miss = settings_.fail_on_pipeline_cache_miss};
  }
  options.cache = cache_;
  options.profile_path = settings_.profiling_path;
  options.perf_counters_path = settings_.perf_counters_path;
  options.session_memory_directory = settings_.session_memory_directory;
  options.graph_profile_directory = settings_.graph_profiling_directory;
  options.failure_dump = settings_.failure_dump_directory;
  return options;
}

std::optional<launch::Report> Runner::run_plan(const std::string& file, const scenario::Loaded& loaded,
                                               Diagnostics& diagnostics) {
  if (settings_.wait_for_key) wait_for_enter();
  FrameCapture capture(settings_.capture_frame && !settings_.dry_run, log_);
  std::optional<launch::Report> report =
      scenario::run(loaded, device_->opening(), options_for(file), log_, diagnostics);
  if (report && !settings_.trace_path.empty()) {
    diagnostics.take(
        write_file(settings_.trace_path, launch::write_trace(loaded.plan->name, report->counters, report->profile))
            .transform([] { return true; }));
  }
  return report;
}

lower::DeviceFacts Runner::device_facts(Diagnostics& diagnostics) {
  const gpu::Snapshot* snapshot = native_device();
  return snapshot ? model::tuned_facts(*snapshot, cache_, diagnostics) : lower::DeviceFacts{};
}

// Without a device, which the run will say, there is nothing to know of it.
const gpu::Snapshot* Runner::native_device() {
  const auto snapshot = device_ ? device_->opening().snapshot() : Result<const gpu::Snapshot*>(nullptr);
  return snapshot ? *snapshot : nullptr;
}

launch::FileReport Runner::run(const std::string& file) {
  Diagnostics diagnostics;
  const scenario::Emulation emulation = settings_.emulate == "never"    ? scenario::Emulation::Never
                                        : settings_.emulate == "always" ? scenario::Emulation::Always
                                                                        : scenario::Emulation::Auto;
  const scenario::Loaded loaded = load_file(
      file,
      {.output = settings_.output,
       .confine = settings_.confine,
       .cache = cache_,
       .emulation = emulation,
       .graphs = {.engine = settings_.engine == "reference" ? model::Engine::Reference : model::Engine::Kernels,
                  .lower = {.fuse = !settings_.no_fuse}},
       .device_facts = [this, &diagnostics] { return device_facts(diagnostics); },
       .native_device = [this] { return native_device(); }},
      diagnostics);
  if (settings_.style.strict) diagnostics.make_strict();
  if (loaded.plan && !diagnostics.has_errors()) log_.info("Scenario file parsed");
  launch::FileReport result{.file = file};
  if (loaded.plan && !diagnostics.has_errors()) {
    if (settings_.explain)
      print(launch::print_plan(*loaded.plan));
    else
      result.report = run_plan(file, loaded, diagnostics);
  }
  if (device_) device_->add_messages(diagnostics);
  if (settings_.style.strict) diagnostics.make_strict();
  diagnostics.sort();
  result.diagnostics = diagnostics.release();
  return result;
}

std::vector<Diagnostic> all_diagnostics(const std::vector<launch::FileReport>& files) {
  std::vector<Diagnostic> all;
  for (const launch::FileReport& file : files) std::ranges::move(file.all_diagnostics(), std::back_inserter(all));
  return all;
}

int overall_status(const std::vector<launch::FileReport>& files) {
  int status = 0;
  for (const launch::FileReport& file : files) status = worst_status(status, file.status());
  return status;
}

}  // namespace slipway::cli
