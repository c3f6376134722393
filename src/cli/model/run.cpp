// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway run` on models without a scenario: VGF files, and other models converted in memory.
#include <algorithm>
#include <chrono>
#include <ranges>

#include "base/format.hpp"
#include "base/interrupt.hpp"
#include "base/print_diagnostic.hpp"
#include "cli/model/draw_model.hpp"
#include "cli/model/import_options.hpp"
#include "cli/model/open_model.hpp"
#include "cli/model/run_options.hpp"
#include "cli/model/vgf_verbs.hpp"
#include "cli/run/job.hpp"
#include "cli/run/run_report.hpp"
#include "cli/run/run_times.hpp"
#include "executors/open.hpp"
#include "launch/plan/explain.hpp"
#include "launch/report/trace.hpp"
#include "launch/run.hpp"
#include "model/plan/intermediates.hpp"
#include "model/standalone/array_files.hpp"
#include "model/standalone/compare_model.hpp"
#include "model/standalone/graph_device.hpp"
#include "model/tuning/kernel_times.hpp"
#include "model_jobs/compare_with_runtime.hpp"
#include "model_jobs/model_job.hpp"
#include "vk/selected_device.hpp"

namespace slipway::cli {
namespace {

class ModelVerb : public Job {
 public:
  explicit ModelVerb(const ModelRunOptions& options) : options_(options) {
    read_model_run_options(options, request_, other_name_, diagnostics_);
  }

  const std::string& file() const override { return options_.files.front(); }

  bool load() override {
    if (!options_.explain || !options_.device.empty()) {
      opened_ = executors::open_executor({.selector = options_.device,
                                          .timestamps = options_.is_timed(),
                                          .validate = options_.validate,
                                          .shader_prints = options_.shader_prints && !options_.dry_run});
    }
    if (other_name_ && !options_.explain)
      other_executor_ = executors::open_executor({.selector = *other_name_, .validate = options_.validate});
    return plan() && (!other_executor_ || open_other());
  }

  void explain() override { launch::print_plan(job_->planned().plan, print); }
  std::vector<Path> outputs() const override {
    if (const Path& archive = job_->archive(); !archive.empty()) return {archive};
    return outputs_of(job_->planned().plan);
  }

  void run() override {
    if (!execute()) return;
    report_->warmup = static_cast<std::uint32_t>(options_.warmup);
    if (report_->is_interrupted)
      diagnostics_.add(
          interrupted_run(file(), *report_, static_cast<std::uint64_t>(options_.warmup + options_.repeat)));
    finish();
  }

  void close() override {
    if (opened_) diagnostics_.add(opened_->take_messages());
    if (other_executor_) diagnostics_.add(other_executor_->take_messages());
  }

  std::string outcome(int status) override {
    const std::string file = shown_name(options_.files.front());
    const std::string on = report_ ? ", on " + report_->device : "";
    if (status != 0 || is_checked()) return formatted("{}: {}{}\n", file, outcome_text(status, *this, compared()), on);
    const auto time = std::chrono::duration<double, std::milli>(launch::run_time(report_->counters));
    const std::int64_t runs = options_.warmup + options_.repeat;
    const std::string often = runs > 1 ? formatted("{} times ", runs) : "";
    // Shaders have no reference, and the interpreter is the reference itself.
    const bool is_comparable = !job_->is_interpreted() &&
                               std::ranges::all_of(job_->request().file->vgf.segments, [](const vgf::Segment& segment) {
                                 return segment.kind == vgf::ModuleKind::Graph;
                               });
    return formatted("{}: ran {}in {:.3g} ms{}{}\n", file, often, time.count(), on,
                     is_comparable && options_.compare.empty() ? "; `--compare reference` checks the results" : "");
  }

  std::vector<Diagnostic> all_diagnostics() const override { return result().all_diagnostics(); }

  std::vector<RunReportEntry> report() const override {
    return {{.outcome = result(), .job = {}, .recipe = {}, .layers = layers_}};
  }

 private:
  launch::FileReport result() const {
    return {options_.files.front(), diagnostics_.all(), report_, is_checked(), options_.seed};
  }

  const tensor::ComparedOutputs* compared() const {
    return report_ && report_->compared ? &*report_->compared : nullptr;
  }

  // Whether success means more than that the model ran.
  bool is_checked() const { return !report_ || options_.dry_run || report_->compared; }

  // --- stages ---

  bool ok() {
    if (options_.style.strict) diagnostics_.make_strict();
    return !diagnostics_.has_errors();
  }

  bool open_other() {
    model::GraphDeviceOptions with{.executor = other_executor_,
                                   .choices = graph_choices(options_, *other_name_, options_.emulate),
                                   .cache = cache_of(options_.no_cache)};
    // The engine is that of this run.
    with.choices.engine.reset();
    if (options_.timeout) with.time_out = launch::time_out_of(*options_.timeout);
    Result<model::GraphDevice> opened = model::GraphDevice::open(std::move(with), diagnostics_);
    if (opened) {
      other_.emplace(std::move(*opened));
      return ok();
    }
    for (Diagnostic problem : opened.error()) {
      problem.note(formatted("named by `--compare {}{}`", kDevicePrefix, *other_name_));
      diagnostics_.add(std::move(problem));
    }
    return false;
  }

  bool plan() {
    const std::string& path = options_.files.front();
    const std::string name = path == "-" ? "<stdin>" : path;
    {
      const launch::ScopedTimer timer(counters_, launch::CounterCategory::ScenarioSetup, "Parse VGF: " + name);
      stage("loading " + name);
      request_.input_directory = options_.input_directory;
      request_.array_files = std::make_shared<model::ArrayFiles>();
      read_ = read_model_options(options_.read, diagnostics_, &request_);
      if (!ok()) return false;
      request_.file = open_named_model(path, read_, diagnostics_);
    }
    if (!request_.file || !ok() || (runtime_ && !check_format())) return false;
    const launch::ScopedTimer timer(counters_, launch::CounterCategory::ScenarioSetup, "Plan Model: " + name);
    stage("planning " + name);
    const Cache cache = cache_of(options_.no_cache);
    request_.name = path == "-" ? "model" : Path(path).stem().string();
    request_.output_directory = options_.output_directory;
    request_.fill.kind = *model::fill_kind_from_name(options_.fill);
    request_.fill.seed = options_.seed;
    request_.expected = options_.against;
    request_.cast = options_.cast;
    request_.tolerance = {.abs = options_.absolute.value_or(0), .rel = options_.relative.value_or(0)};
    if (!options_.compare.empty()) request_.values = std::make_shared<model::ModelValues>();
    if (options_.layers && !runtime_) request_.model.graphs.intermediates = std::make_shared<model::Intermediates>();
    request_.model.graphs.progress = counted("compiling kernels", "planning " + request_.name);
    const model::GraphChoices choices = graph_choices(options_, options_.device, options_.emulate);
    const bool is_free = vk::selected_device(options_.device).empty() && !options_.emulate && !options_.validate;
    auto executor = model::executor_for(request_.file->vgf, choices, opened_, is_free);
    job_.emplace(model::ModelJobOptions{.request = std::move(request_),
                                        .executor = std::move(executor),
                                        .graphs = choices,
                                        .emulates = emulates(options_, options_.emulate),
                                        .cache = cache});
    return job_->plan(diagnostics_) && ok();
  }

  bool check_format() {
    const auto mapped = diagnostics_.take(map_file(file()));
    Result<> checked = mapped ? model::check_runtime(*runtime_, mapped->bytes(), file()) : Result<>();
    if (!checked) diagnostics_.add(std::move(checked.error()));
    return ok();
  }

  bool execute() {
    if (!job_->check(diagnostics_) || !ok()) return false;
    const bool on_host = job_->executor().info()->runs_graphs_on_host;
    stage(on_host ? "running kernels" : "compiling and running kernels");
    report_ = job_->run(run_options(), verbose_log(), diagnostics_);
    return report_.has_value();
  }

  launch::RunOptions run_options() {
    launch::RunOptions options;
    options.repeat = static_cast<std::uint32_t>(options_.warmup + options_.repeat);
    options.dry_run = options_.dry_run;
    options.timestamps = options_.is_timed();
    options.profile_path = options_.profiling_path;
    options.perf_counters_path = options_.perf_counters_path;
    options.counters = std::move(counters_);
    options.cache = cache_of(options_.no_cache);
    options.progress = counted("compiling kernels", "running kernels");
    if (options_.timeout) options.time_out = launch::time_out_of(*options_.timeout);
    return options;
  }

  void finish() {
    diagnostics_.add(launch::take_unwritten(*report_));
    say(launch::print_shader_output(report_->printed));
    if (!report_->is_interrupted) compare_outputs();
    if (!options_.dry_run && !options_.style.json) say(times_text(*report_));
    if (!options_.csv_path.empty()) write(options_.csv_path, times_csv(options_.files.front(), *report_));
    if (options_.is_timed() && !options_.dry_run) show_times();
    if (!options_.trace_path.empty()) {
      write(options_.trace_path, launch::write_trace(job_->planned().plan.name, report_->counters, report_->profile));
    }
  }

  void compare_outputs() {
    if (!options_.against.empty()) {
      say(launch::print_expectations(report_->expectations));
      report_->compared = job_->planned().compared;
    }
    if (runtime_)
      compare_with_runtime();
    else if (!options_.compare.empty())
      compare();
    if (report_->compared && report_->compared->is_partial())
      diagnostics_.add(tensor::partly_compared(*report_->compared, options_.allow_uncompared,
                                               SourceLocation::in_file(job_->request().file->vgf.name)));
  }

  void compare() {
    const std::string with = other_ ? formatted("`{}`", other_->name()) : "the reference interpreter";
    stage("comparing with " + with);
    const TimeLimit limit(options_.timeout ? std::optional(launch::time_out_of(*options_.timeout)) : std::nullopt);
    const auto compared = job_->compare(other_ ? &*other_ : nullptr, *report_, diagnostics_);
    if (!compared) return;
    if (other_) say(formatted("comparing with {}\n", with));
    for (const model::SegmentLayers& segment : compared->layers) show_layers(segment);
    const bool many = job_->planned().segments.size() > 1;
    for (const model::OutputComparison& output : compared->outputs) {
      const std::string where = many ? formatted("segment {} ", output.segment) : "";
      say(formatted("compare {}`{}`: {}\n", where, output.name, model::comparison_text(output.values)));
    }
  }

  void compare_with_runtime() {
    stage(formatted("comparing with `{}`", options_.compare));
    model::RuntimeCheck check{.runtime = *runtime_,
                              .file = file(),
                              .name = file(),
                              .read = read_,
                              .absolute = options_.absolute,
                              .relative = options_.relative,
                              .limit = {},
                              .nodes = options_.layers};
    if (options_.timeout) check.limit = launch::time_out_of(*options_.timeout);
    const auto compared = model::compare_with_runtime(*job_, check, *report_, diagnostics_);
    if (!compared) return;
    say(formatted("comparing with {}\n", compared->runtime));
    if (options_.layers) say(launch::print_expectations(compared->nodes));
    say(launch::print_expectations(compared->outputs));
  }

  void show_layers(const model::SegmentLayers& segment) {
    for (std::size_t i = 0; i < segment.layers.size(); ++i)
      layers_.push_back({segment.segment, i, std::make_shared<model::LayerComparison>(segment.layers[i])});
    if (job_->planned().segments.size() > 1) say(formatted("layers of segment {}:\n", segment.segment));
    say(model::layers_text(segment.layers));
    if (std::ranges::all_of(segment.layers, [](const model::LayerComparison& layer) { return layer.own.passed(); }))
      say(formatted("every layer is right for the inputs that it had ({} layers)\n", segment.layers.size()));
  }

  void show_times() {
    const std::vector<model::KernelTime> times = model::kernel_times(job_->planned(), report_->profile);
    if (options_.profile) say(model::print_times(job_->planned(), times, report_->profile));
    if (options_.picture_path.empty()) return;
    model::Diagram picture =
        model::build_diagram(job_->request().file->vgf, model::diagram_segments(job_->planned(), times));
    picture.summary.push_back("on " + report_->device);
    write_diagram(picture, options_.picture_path, diagnostics_);
  }

  void write(const std::string& path, const std::string& text) {
    if (Result<> written = write_file(path, text); !written) diagnostics_.add(std::move(written.error()));
  }

  void say(std::string_view text) const { print_line(options_, text); }

  const ModelRunOptions& options_;
  model::StandaloneOptions request_;          // until the job has it
  std::shared_ptr<launch::Executor> opened_;  // null: nothing runs
  std::optional<model::ModelJob> job_;        // on this executor, or on the CPU
  convert::ReadModelOptions read_;            // of the file
  std::optional<model::FormatRuntime> runtime_ = model::format_runtime_called(options_.compare);
  std::optional<std::string> other_name_;  // --compare with a device
  std::shared_ptr<launch::Executor> other_executor_;
  std::optional<model::GraphDevice> other_;
  launch::PerfCounters counters_;
  std::optional<launch::Report> report_;
  std::vector<LayerReport> layers_;
};

MadeJob make_model_job(const Arguments& arguments) { return job_of<ModelVerb>(arguments, parse_model_run_options); }

}  // namespace

std::unique_ptr<JobSource> model_jobs() { return separate_jobs<make_model_job>(); }

int run_vgf_file(const Arguments& arguments) { return run_made(make_model_job(arguments)); }

}  // namespace slipway::cli
