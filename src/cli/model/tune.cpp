// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway tune`: finds the best parameters of a model's kernels on a device and keeps them for later runs.
#include <algorithm>

#include "base/format.hpp"
#include "base/interrupt.hpp"
#include "cli/directories.hpp"
#include "cli/formats.hpp"
#include "cli/model/import_options.hpp"
#include "cli/model/model_pages.hpp"
#include "cli/model/named_values.hpp"
#include "cli/model/open_model.hpp"
#include "cli/model/vgf_verbs.hpp"
#include "cli/option_groups.hpp"
#include "cli/run/progress.hpp"
#include "cpu/target.hpp"
#include "executors/open.hpp"
#include "model/tuning/report.hpp"
#include "model/tuning/tune.hpp"
#include "model/tuning/tuning_table.hpp"
#include "model_jobs/model_job.hpp"

namespace slipway::cli {
namespace {

struct TuneOptions {
  ReportStyle style;
  std::vector<std::string> files;
  std::string device, output, page, target;
  ReadModelArguments read;
  bool quick = false, no_fuse = false, no_cache = false;
};

std::string text_of(const lower::Parameters& parameters) {
  std::string text;
  for (const auto& [name, value] : parameters) text += formatted("{}{} {}", text.empty() ? "" : ", ", name, value);
  return text;
}

std::string table_of(const model::Tuned& tuned) {
  std::size_t width = 6;
  for (const model::TunedSite& site : tuned.sites) width = std::max(width, site.kernel.size());
  std::string text = formatted("{:{}}  {:>10}  {:>10}  parameters\n", "kernel", width, "estimate", "best, ms");
  for (const model::TunedSite& site : tuned.sites) {
    text += formatted("{:{}}  {:10.3f}  {:>10}  {}\n", site.kernel, width, site.estimated_time,
                      site.better() ? formatted("{:.3f}", site.best_time) : "-",
                      site.better() ? text_of(site.best) : text_of(site.estimated) + " (as estimated)");
  }
  const auto better = std::ranges::count_if(tuned.sites, &model::TunedSite::better);
  // The same parameters measured twice differ by noise alone.
  if (better == 0)
    return text + formatted("0 of {} kernels are better than estimated: {:.3f} ms\n", tuned.sites.size(), tuned.before);
  return text + formatted("{} of {} kernels are better than estimated: {:.3f} ms before, {:.3f} ms now\n", better,
                          tuned.sites.size(), tuned.before, tuned.after);
}

class Tuning {
 public:
  explicit Tuning(TuneOptions options) : options_(std::move(options)) {}

  int run() {
    for (const std::string& given : options_.read.shapes) {
      if (auto shape = named_shape(given, diagnostics_)) shapes_.push_back(std::move(*shape));
    }
    refuse_directories(
        options_.files, "tune",
        [](const Content& content) {
          const Format* const format = format_of(content);
          return format && format->convert && format->run;
        },
        diagnostics_);
    if (options_.no_cache && options_.output.empty())
      diagnostics_.error(DiagnosticKind::Usage, {}, "--no-cache needs --output; otherwise the results would be lost");
    if (!options_.target.empty()) set_target();
    if (diagnostics_.has_errors()) return report(diagnostics_, options_.style);
    for (const std::string& file : options_.files) {
      if (target_)
        compile_for_target(file);
      else
        measure_unless_interrupted(file);
    }
    write_tuning_page();
    return report(diagnostics_, options_.style);
  }

 private:
  void set_target() {
    const auto level = cpu::level_named(options_.target);
    if (!level)
      diagnostics_.error(DiagnosticKind::Usage, {},
                         formatted("--target is `{}`, and not one of {}", options_.target, cpu::level_names()));
    else
      target_ = std::make_shared<const cpu::Target>(cpu::any_target_of(*level));
    if (options_.output.empty())
      diagnostics_.error(DiagnosticKind::Usage, {}, "--target needs --output, the directory that the machine is given");
  }

  // Into a directory that SLIPWAY_CACHE_PATH of another machine may name. Nothing is measured.
  void compile_for_target(const std::string& file) {
    if (is_interrupted() || !open(file)) return;
    std::size_t kernels = 0;
    request_.model.graphs.progress = [&](std::size_t done, std::size_t total) {
      if (done == 0) kernels += total;
      if (is_terminal(stderr)) progress_.stage(formatted("compiling: {} of {} kernels", done, total));
    };
    model::ModelJob job({.request = request_,
                         .executor = nullptr,
                         .graphs = {.fuse = !options_.no_fuse, .target = target_},
                         .cache = Cache(Path(options_.output) / "objects")});
    if (!job.plan(diagnostics_)) return;
    progress_.stage("");
    print(options_.style.json
              ? formatted("{{\"target\": \"{}\", \"kernels\": {}}}\n", options_.target, kernels)
              : formatted("{}: {} kernels for {} in {}\n", file, kernels, options_.target, options_.output));
  }

  void measure_unless_interrupted(const std::string& file) {
    const std::size_t before = tuned_.size();
    if (!is_interrupted()) measure(file);
    if (!is_interrupted()) return;
    diagnostics_.error(DiagnosticKind::Interrupted, SourceLocation::in_file(file),
                       tuned_.size() == before ? "not tuned, because the verb was interrupted"
                                               : "interrupted; what was measured until then is kept");
  }

  bool open(const std::string& file) {
    progress_.stage("loading " + file);
    request_ = model::StandaloneOptions();
    const convert::ReadModelOptions read = read_model_options(options_.read, diagnostics_);
    if (diagnostics_.has_errors()) return false;
    request_.file = open_named_model(file, read, diagnostics_);
    if (!request_.file || diagnostics_.has_errors()) return false;
    request_.name = Path(file).stem().string();
    request_.shapes = shapes_;
    return true;
  }

  // Each model needs other features of the device, so it is opened for each.
  void measure(const std::string& file) {
    if (!open(file)) return;
    const auto executor = executors::open_executor({.selector = options_.device, .timestamps = true});
    tune_on(executor);
    diagnostics_.add(executor->take_messages());
  }

  void tune_on(const std::shared_ptr<launch::Executor>& executor) {
    model::ModelJob job(
        {.request = request_, .executor = executor, .graphs = {.fuse = !options_.no_fuse}, .cache = cache_});
    if (!job.plan(diagnostics_) || !job.check(diagnostics_)) return;
    const auto tuned = job.tune(
        options_.quick ? std::optional(kQuick) : std::nullopt,
        [this](std::size_t round, std::size_t rounds) { show(round, rounds); }, diagnostics_);
    if (!tuned) return;
    for (const auto& [kernel, parameters] : tuned->tuning) all_[kernel] = parameters;
    if (tuned->rates) rates_ = tuned->rates;
    write_table(tuned->device);
    progress_.stage("");
    tuned_.push_back({request_.file->vgf.name, tuned->device.name, model::tuning_report_text(*tuned)});
    print(options_.style.json ? model::tuning_report_text(*tuned) : table_of(*tuned));
  }

  void show(std::size_t round, std::size_t rounds) {
    if (round == rounds)
      progress_.stage("tuning: comparing with the estimates");
    else if (is_terminal(stderr))
      progress_.stage(formatted("tuning: round {} of {}", round + 1, rounds));
    else if (output_level() != OutputLevel::Quiet && round % 8 == 0)
      print_error(formatted("round {} of {}\n", round + 1, rounds));
  }

  void write_tuning_page() {
    if (options_.page.empty() || (diagnostics_.has_errors() && !is_interrupted())) return;
    if (Result<> written = write_file(options_.page, tuning_page(tuned_)); !written)
      diagnostics_.add(std::move(written.error()));
  }

  // After each model, so that nothing that was measured is lost when the next one fails or the program is ended.
  void write_table(const launch::DeviceKey& device) {
    if (options_.output.empty()) return;
    const std::string text = write_tuning(model::TuningTable::of(device, all_, rates_));
    if (Result<> written = write_file(options_.output, text); !written) diagnostics_.add(std::move(written.error()));
  }

  static constexpr std::chrono::milliseconds kQuick{
      4000};  // of rounds; opening and the final comparison come in addition

  TuneOptions options_;
  Diagnostics diagnostics_;
  Progress progress_{""};
  const Cache cache_ = cache_of(options_.no_cache);
  std::vector<model::NamedShape> shapes_;
  model::StandaloneOptions request_;  // the model that is measured
  lower::Tuning all_;                 // of all models
  std::vector<TunedModel> tuned_;     // for the page
  std::optional<lower::Rates> rates_;
  std::shared_ptr<const cpu::Target> target_;  // null: this machine is measured
};

}  // namespace

int tune_verb(const Arguments& arguments) {
  TuneOptions options;
  CommandLine line(
      "slipway tune",
      "Measures which parameters of a model's kernels are best on a device. They are kept in the program's "
      "cache, and later\nruns on the same device and driver use them. --output writes them to a file to "
      "ship, which runs use if the\nenvironment variable SLIPWAY_TUNING names it. With --target nothing is "
      "measured: the kernels of the CPU engine are compiled\nfor another kind of machine.",
      "slipway tune model.vgf --output model.tuning.json");
  line.add_option("files", options.files, "the models: VGF, ONNX, TensorFlow Lite, TOSA, MLIR or graphs as text")
      .required();
  line.add_report_options(options.style);
  add_read_model_options(line, options.read);
  add_device_option(line, options.device);
  line.add_option(
      "--output", options.output,
      "write one table of all models to this file (JSON; `slipway schema tuning`); with --target a directory");
  line.add_option("--html", options.page, "write what was measured as a page to this file");
  line.add_flag("--quick", options.quick, "measure what seems best first, and stop after four seconds for each model");
  add_fusion_option(line, options.no_fuse);
  line.add_flag("--no-cache", options.no_cache, "do not keep the table in the program's cache");
  line.add_option("--target", options.target,
                  "compile the kernels for CPUs with these instructions, such as aarch64+i8mm, into the directory "
                  "--output: a cache for SLIPWAY_CACHE_PATH of such a machine")
      .not_empty()
      .excludes("--device")
      .excludes("--html")
      .excludes("--quick")
      .excludes("--no-cache");
  if (const std::optional<int> status = line.parse(arguments)) return *status;
  return Tuning(std::move(options)).run();
}

}  // namespace slipway::cli
