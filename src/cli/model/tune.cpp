// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway tune`: finds the best parameters of a model's kernels on a device and keeps them for later runs.
#include <algorithm>

#include "base/format.hpp"
#include "cli/device_session.hpp"
#include "cli/model/named_values.hpp"
#include "cli/model/open_model.hpp"
#include "cli/model/vgf_verbs.hpp"
#include "cli/option_groups.hpp"
#include "cli/progress.hpp"
#include "launch/execute/host_run.hpp"
#include "model/cpu_device.hpp"
#include "model/standalone/open_standalone.hpp"
#include "model/tuning/report.hpp"
#include "model/tuning/tuning_table.hpp"

namespace slipway::cli {
namespace {

struct TuneOptions {
  ReportStyle style;
  std::string file, device, output;
  std::vector<std::string> shapes;
  bool no_fuse = false, no_cache = false;
};

std::string text_of(const lower::Parameters& parameters) {
  std::string text;
  for (const auto& [name, value] : parameters) text += formatted("{}{} {}", text.empty() ? "" : ", ", name, value);
  return text;
}

std::string table_of(const model::Tuned& tuned) {
  std::size_t width = 6;
  for (const model::TunedSite& location : tuned.sites) width = std::max(width, location.kernel.size());
  std::string text = formatted("{:{}}  {:>10}  {:>10}  parameters\n", "kernel", width, "estimate", "best, ms");
  for (const model::TunedSite& location : tuned.sites) {
    const bool better = location.best != location.estimated;
    text += formatted("{:{}}  {:10.3f}  {:>10}  {}\n", location.kernel, width, location.estimated_time,
                      better ? formatted("{:.3f}", location.best_time) : "-",
                      better ? text_of(location.best) : text_of(location.estimated) + " (as estimated)");
  }
  return text + formatted("{} of {} kernels are better than estimated: {:.3f} ms before, {:.3f} ms now\n",
                          tuned.tuning.size(), tuned.sites.size(), tuned.before, tuned.after);
}

class Tuning {
 public:
  explicit Tuning(TuneOptions options) : options_(std::move(options)) {}

  int run() {
    for (const std::string& given : options_.shapes) {
      if (auto shape = named_shape(given, diagnostics_)) request_.shapes.push_back(std::move(*shape));
    }
    if (options_.no_cache && options_.output.empty())
      diagnostics_.error(DiagnosticKind::Usage, {}, "--no-cache needs --output; otherwise the results would be lost");
    if (diagnostics_.has_errors()) return report(diagnostics_, options_.style);
    if (selected_device(options_.device) == model::kCpuDevice) {
      measure_on_cpu();
    } else {
      DeviceSession session({.selector = options_.device, .timestamps = true}, false);
      measure(session);
      session.add_messages(diagnostics_);
    }
    return report(diagnostics_, options_.style);
  }

 private:
  bool open(const Cache& cache) {
    request_.file = open_any_model(options_.file, options_.file, diagnostics_);
    if (!request_.file || diagnostics_.has_errors()) return false;
    request_.name = Path(options_.file).stem().string();
    request_.model.graphs.lower.fuse = !options_.no_fuse;
    request_.model.graphs.cache = cache;
    return true;
  }

  void measure_on_cpu() {
    const Cache cache = cache_of(options_.no_cache);
    if (!open(cache)) return;
    request_.model.graphs.engine = model::Engine::Cpu;
    auto shaders = model::compile_modules(*request_.file, cache, diagnostics_);
    if (!shaders) return;
    request_.model.shaders = std::move(*shaders);
    const auto alone = model::plan_standalone(request_, diagnostics_);
    if (!alone) return;
    if (const std::string why = launch::why_not_on_host(alone->plan); !why.empty()) {
      diagnostics_.error(DiagnosticKind::DeviceLacks, SourceLocation::in_file(options_.file),
                         formatted("the CPU engine runs graphs only, and {}", why));
      return;
    }
    const auto tuned = model::tune({.standalone = request_,
                                    .cache = cache,
                                    .progress = [this](std::size_t round, std::size_t rounds) { show(round, rounds); }},
                                   diagnostics_);
    if (tuned && !diagnostics_.has_errors()) keep(*tuned, model::cpu_snapshot(), cache);
  }

  void measure(DeviceSession& session) {
    const Cache cache = cache_of(options_.no_cache);
    if (!open(cache)) return;
    const auto opened = model::open_standalone(request_, session.opening(), cache, {.timestamps = true}, diagnostics_);
    if (!opened) return;
    const auto tuned = model::tune({.standalone = request_,
                                    .device = opened->device,
                                    .cache = cache,
                                    .progress = [this](std::size_t round, std::size_t rounds) { show(round, rounds); }},
                                   diagnostics_);
    if (tuned && !diagnostics_.has_errors()) keep(*tuned, *opened->snapshot, cache);
  }

  void show(std::size_t round, std::size_t rounds) {
    if (is_terminal(stderr))
      progress_.stage(formatted("tuning: round {} of {}", round + 1, rounds));
    else if (output_level() != OutputLevel::Quiet && round % 8 == 0)
      print_error(formatted("round {} of {}\n", round + 1, rounds));
  }

  void keep(const model::Tuned& tuned, const gpu::Snapshot& snapshot, const Cache& cache) {
    if (!options_.output.empty()) {
      const std::string text = write_tuning(model::TuningTable::of(snapshot, tuned.tuning));
      if (Result<> written = write_file(options_.output, text); !written) {
        diagnostics_.add(std::move(written.error()));
        return;
      }
    }
    // Entries of an earlier tuning are replaced, even if the estimate is best now.
    if (cache.enabled()) {
      lower::Tuning all = tuned.tuning;
      for (const model::TunedSite& location : tuned.sites) all.try_emplace(location.kernel, location.estimated);
      model::cache_tuning(snapshot, all, cache);
    }
    progress_.stage("");
    print(options_.style.json ? model::tuning_report_text(tuned) : table_of(tuned));
  }

  TuneOptions options_;
  Diagnostics diagnostics_;
  Progress progress_{"loading " + options_.file};
  model::StandaloneOptions request_;
};

}  // namespace

int tune_verb(const Arguments& arguments) {
  TuneOptions options;
  CommandLine line(
      "slipway tune",
      "Measures which parameters of a model's kernels are best on a device. They are kept in the program's "
      "cache, and later\nruns on the same device and driver use them. --output writes them to a file to "
      "ship, which runs use if the\nenvironment variable SLIPWAY_TUNING names it.",
      "slipway tune model.vgf --output model.tuning.json");
  line.add_option("file", options.file, "the model: VGF, TOSA, MLIR or a graph as text").required();
  line.add_report_options(options.style);
  add_shape_option(line, options.shapes);
  add_device_option(line, options.device);
  line.add_option("--output", options.output, "write the table to this file (JSON; `slipway schema tuning`)");
  add_fusion_option(line, options.no_fuse);
  line.add_flag("--no-cache", options.no_cache, "do not keep the table in the program's cache");
  if (const std::optional<int> status = line.parse(arguments)) return *status;
  return Tuning(std::move(options)).run();
}

}  // namespace slipway::cli
