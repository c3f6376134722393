// slipway run of models, without any scenario: VGF files, and other models converted in memory.
#include <algorithm>
#include <array>
#include <charconv>

#include "base/format.hpp"
#include "base/print_diagnostic.hpp"
#include "cli/device_session.hpp"
#include "cli/named_values.hpp"
#include "cli/open_model.hpp"
#include "cli/vgf_verbs.hpp"
#include "launch/explain.hpp"
#include "launch/hazards.hpp"
#include "launch/run.hpp"
#include "launch/trace.hpp"
#include "model/native.hpp"
#include "model/standalone/compare_model.hpp"
#include "model/standalone/open_standalone.hpp"
#include "model/tuning/kernel_times.hpp"
#include "model/tuning/tuning_table.hpp"

namespace slipway::cli {
namespace {

struct Settings {
  ReportStyle style;
  std::vector<std::string> files;
  std::vector<std::string> inputs, shapes;  // NAME=FILE, NAME=1x2x3
  std::string input_directory, output_directory, range, fill = "random", compare;
  std::uint64_t seed = 0;
  std::string device, engine = "auto", emulate = "auto";
  std::int64_t repeat = 1;
  std::optional<double> timeout;
  bool profile = false, explain = false, dry_run = false, validate = false, no_fuse = false, no_cache = false;
  std::string picture_path, report_path, trace_path, profiling_path, perf_counters_path;

  bool is_timed() const { return profile || !picture_path.empty() || !trace_path.empty() || !profiling_path.empty(); }
};

void add_data_options(OptionGroup& group, Settings& settings) {
  group.add_option("--input", settings.inputs, "NAME=FILE.npy: what an input is, by its name or as input_0, input_1...")
      .values(1)
      .take_all();
  group.add_option("--inputs", settings.input_directory, "directory of files NAME.npy; inputs without one are filled");
  group.add_option("--fill", settings.fill, "inputs without a file: random, zeros, ramp, or edges (random)")
      .choices({"random", "zeros", "ramp", "edges"});
  group.add_option("--seed", settings.seed, "of random inputs (0)");
  group.add_option("--range", settings.range,
                   "LOW:HIGH of random inputs and ramps (all values of an integer type; -1:1 for floats)");
  group.add_option("--shape", settings.shapes, "NAME=1x224x224x3: an input or output whose shape the model leaves open")
      .values(1)
      .take_all();
  group.add_option("--output,--output-dir", settings.output_directory,
                   "directory for NAME.npy of every output; made if missing");
}

void add_run_options(OptionGroup& group, Settings& settings) {
  group.add_option("--compare", settings.compare, "`reference`: compare every output of a graph with the interpreter")
      .choices({"reference"});
  group.add_flag("--profile", settings.profile, "a table of the times of all segments and kernels");
  group.add_option("--graph", settings.picture_path,
                   "draw the model with its times: a page (.html) or Graphviz (.dot)");
  group.add_option("--device", settings.device,
                   "a Vulkan device: index, part of its name, or UUID (else SLIPWAY_DEVICE)");
  group.add_option("--engine", settings.engine, "graphs by the device or by the reference interpreter: auto, reference")
      .choices({"auto", "reference"});
  group
      .add_option("--emulate", settings.emulate,
                  "graphs without the device's own support: auto, never, always (bare: always)")
      .choices({"auto", "never", "always"});
  group.add_flag("--no-fuse", settings.no_fuse, "one kernel for each operator");
  group.add_option("--repeat", settings.repeat, "run the model this often (1)");
  group.add_option("--timeout", settings.timeout, "seconds to wait for it; then name the kernel that hangs and end")
      .positive();
  group.add_flag("--explain", settings.explain, "print the plan; touch no device but one that --device names");
  group.add_flag("--dry-run", settings.dry_run, "do everything but submit and write results");
  group.add_flag("--validate", settings.validate, "run under the Vulkan validation layer, synchronisation included");
  group.add_flag("--no-cache", settings.no_cache, "do not use the cache of compiled shaders");
  group.add_option("--report", settings.report_path, "write a JSON report; `-` is standard output");
  group.add_option("--trace", settings.trace_path,
                   "write a Chrome trace (JSON) with host and GPU tracks, for Perfetto");
  group.add_option("--profiling-dump-path", settings.profiling_path, "write GPU timestamps as JSON");
  group.add_option("--perf-counters-dump-path", settings.perf_counters_path, "write host times as JSON");
}

template <class T>
std::optional<T> number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// One call of the verb.
class ModelRun {
 public:
  explicit ModelRun(Settings settings) : settings_(std::move(settings)) {}

  int run() {
    check_usage();
    if (diagnostics_.has_errors()) return report(diagnostics_, settings_.style);
    if (!settings_.explain || !settings_.device.empty()) {
      device_.emplace(
          launch::OpenDeviceOptions{.selector = device_selector(settings_.device), .timestamps = settings_.is_timed()},
          settings_.validate);
    }
    if (plan()) {
      if (settings_.explain) {
        print(launch::print_plan(alone_->plan));
        return report(diagnostics_, settings_.style);
      }
      if (execute()) finish();
    }
    return end();
  }

 private:
  // --- command line ---

  void usage(std::string message) { diagnostics_.error(DiagnosticKind::Usage, {}, std::move(message)); }

  void check_usage() {
    if (settings_.files.size() != 1)
      usage(settings_.files.empty() ? "no model is given" : "one model is run at a time");
    if (settings_.repeat <= 0 || settings_.repeat > UINT32_MAX)
      usage(formatted("--repeat takes a number from 1 to {}, not {}", UINT32_MAX, settings_.repeat));
    for (const std::string& given : settings_.inputs) {
      if (const auto named = split_named(given, "--input takes NAME=FILE", diagnostics_))
        request_.inputs.push_back({named->first, named->second});
    }
    for (const std::string& given : settings_.shapes) {
      if (auto shape = named_shape(given, diagnostics_)) request_.shapes.push_back(std::move(*shape));
    }
    if (!settings_.range.empty()) read_range();
    if (!settings_.input_directory.empty() && !directory_exists(settings_.input_directory))
      usage(formatted("--inputs names `{}`, which is no directory", settings_.input_directory));
    const std::string& picture = settings_.picture_path;
    if (!picture.empty() && !picture.ends_with(".html") && !picture.ends_with(".dot"))
      usage(formatted("--graph takes a file that ends in .html or .dot, not `{}`", picture));
    if (settings_.dry_run && (settings_.profile || !settings_.compare.empty() || !picture.empty()))
      usage("nothing is measured or compared on a dry run");
  }

  void read_range() {
    const std::size_t colon = settings_.range.find(':');
    const std::string_view text = settings_.range;
    if (colon != std::string::npos) {
      request_.fill.low = number<double>(text.substr(0, colon));
      request_.fill.high = number<double>(text.substr(colon + 1));
    }
    if (!request_.fill.low || !request_.fill.high)
      usage(formatted("--range takes LOW:HIGH, two numbers, but here is `{}`", settings_.range));
  }

  // --- stages ---

  bool good() {
    if (settings_.style.strict) diagnostics_.make_strict();
    return !diagnostics_.has_errors();
  }

  bool plan() {
    const std::string& path = settings_.files.front();
    const std::string name = path == "-" ? "<stdin>" : path;
    {
      const launch::ScopedTimer timer(counters_, launch::CounterCategory::ScenarioSetup, "Parse VGF: " + name);
      request_.file = open_any_model(path, name, diagnostics_);
    }
    if (!request_.file || !good()) return false;
    const launch::ScopedTimer timer(counters_, launch::CounterCategory::ScenarioSetup, "Plan Model: " + name);
    const Cache cache = settings_.no_cache ? Cache() : Cache::of_user();
    auto shaders = model::compile_modules(*request_.file, cache, diagnostics_);
    if (!shaders) return false;
    request_.name = path == "-" ? "model" : Path(path).stem().string();
    request_.model.shaders = std::move(*shaders);
    request_.model.graphs.lower.fuse = !settings_.no_fuse;
    if (settings_.engine == "reference") request_.model.graphs.engine = model::Engine::Reference;
    // Which kernels are best, and whether the device can do without them, depends on the device; with --explain it may
    // not be known.
    if (device_) {
      const auto snapshot = diagnostics_.take(device_->opening().snapshot());
      if (!snapshot) return false;
      request_.model.graphs.lower.device = model::tuned_facts(**snapshot, cache, diagnostics_);
      if (settings_.emulate != "always") request_.model.graphs.native = *snapshot;
    }
    request_.input_directory = settings_.input_directory;
    request_.output_directory = settings_.output_directory;
    request_.fill.kind = *model::fill_kind_from_name(settings_.fill);
    request_.fill.seed = settings_.seed;
    if (!settings_.compare.empty()) request_.values = std::make_shared<model::ModelValues>();
    alone_ = model::plan_standalone(request_, diagnostics_);
    if (alone_) diagnostics_.add(launch::check_hazards(alone_->plan).release());
    return alone_ && good();
  }

  void refuse_emulation(const gpu::Snapshot& device) {
    Diagnostics refused;
    model::refuse_emulation(alone_->plan, device, refused);
    for (Diagnostic& problem : refused.release()) {
      if (problem.location.kind == SourceLocation::Kind::None)
        problem.location = SourceLocation::in_file(request_.file->vgf.name);
      diagnostics_.add(std::move(problem));
    }
  }

  bool execute() {
    const auto snapshot = diagnostics_.take(device_->opening().snapshot());
    if (!snapshot) return false;
    if (settings_.emulate == "never" && settings_.engine != "reference") refuse_emulation(**snapshot);
    gpu::Device* device =
        model::open_device_for(alone_->plan, device_->opening(), {.timestamps = settings_.is_timed()}, diagnostics_);
    if (!device || !good()) return false;
    launch::RunOptions options;
    options.repeat = static_cast<std::uint32_t>(settings_.repeat);
    options.dry_run = settings_.dry_run;
    options.timestamps = settings_.is_timed();
    options.profile_path = settings_.profiling_path;
    options.perf_counters_path = settings_.perf_counters_path;
    options.counters = std::move(counters_);
    options.cache = settings_.no_cache ? Cache() : Cache::of_user();
    if (settings_.timeout) options.time_out = launch::time_out_of(*settings_.timeout);
    report_ = diagnostics_.take(launch::run(alone_->plan, *device, std::move(options), Log()));
    return report_.has_value();
  }

  void finish() {
    if (!settings_.compare.empty()) compare();
    if (settings_.is_timed() && !settings_.dry_run) show_times();
    if (!settings_.trace_path.empty()) {
      write(settings_.trace_path, launch::write_trace(alone_->plan.name, report_->counters, report_->profile));
    }
  }

  void compare() {
    const auto compared = diagnostics_.take(model::compare_model(request_.file->vgf, *alone_, *request_.values));
    if (!compared) return;
    const bool many = alone_->segments.size() > 1;
    for (const model::OutputComparison& output : compared->outputs) {
      const std::string where = many ? formatted("segment {} ", output.segment) : "";
      say(formatted("compare {}`{}`: {}\n", where, output.name, model::comparison_text(output.values)));
      tensor::Comparison outcome{.type = tosa::storage_of(output.values.type.data),
                                 .count = output.values.elements,
                                 .mismatches = output.values.wrong,
                                 .passed = output.values.passed()};
      outcome.max.abs = output.values.max_difference;
      report_->expectations.push_back({output.name, outcome});
      if (output.values.passed()) continue;
      diagnostics_.error(DiagnosticKind::ExpectationFailed, SourceLocation::in_file(request_.file->vgf.name),
                         formatted("{}`{}` is not what the reference interpreter computes: {} of {} elements differ",
                                   where, output.name, output.values.wrong, output.values.elements));
    }
    for (const std::string& why : compared->left_out) say(formatted("not compared: {}\n", why));
    if (compared->outputs.empty()) {
      diagnostics_.error(DiagnosticKind::Unsupported, SourceLocation::in_file(request_.file->vgf.name),
                         "nothing in this model can be compared with the reference interpreter");
    }
  }

  void show_times() {
    const std::vector<model::KernelTime> times = model::kernel_times(*alone_, report_->profile);
    if (settings_.profile) say(model::print_times(*alone_, times, report_->profile));
    if (settings_.picture_path.empty()) return;
    model::Diagram picture = model::build_diagram(request_.file->vgf, model::diagram_segments(*alone_, times));
    picture.summary.push_back("on " + report_->device);
    if (settings_.picture_path.ends_with(".dot"))
      write(settings_.picture_path, model::write_dot(picture));
    else if (const auto page = diagnostics_.take(model::write_html(picture)))
      write(settings_.picture_path, *page);
  }

  void write(const std::string& path, const std::string& text) {
    if (Result<> written = write_file(path, text); !written) diagnostics_.add(std::move(written.error()));
  }

  // Lines for people; standard output may be the report's.
  void say(std::string_view text) const {
    (settings_.report_path == "-" || settings_.style.json ? print_error : print)(text);
  }

  // --- end ---

  int end() {
    if (device_) device_->add_messages(diagnostics_);
    if (settings_.style.strict) diagnostics_.make_strict();
    diagnostics_.sort();
    launch::FileReport file{.file = settings_.files.front(), .diagnostics = diagnostics_.all(), .report = report_};
    if (!settings_.report_path.empty()) write(settings_.report_path, launch::write_report({&file, 1}));
    if (settings_.style.json && settings_.report_path != "-") print(launch::write_report({&file, 1}));
    const int status = report(diagnostics_, settings_.style);
    if (has_timed_out(diagnostics_.all())) end_process(status);
    if (!settings_.style.json) {
      constexpr std::array<std::string_view, 6> kOutcomes = {"ok",        "FAILED",  "wrong usage",
                                                             "bad input", "skipped", "failed"};
      std::string line = formatted("{}: {}", settings_.files.front(), kOutcomes.at(static_cast<std::size_t>(status)));
      if (report_) line += ", on " + report_->device;
      (status > 1 || settings_.report_path == "-" ? print_error : print)(line + "\n");
    }
    return status;
  }

  Settings settings_;
  Diagnostics diagnostics_;
  model::StandaloneOptions request_;
  std::optional<DeviceSession> device_;
  std::optional<model::Standalone> alone_;
  launch::PerfCounters counters_;
  std::optional<launch::Report> report_;
};

}  // namespace

int run_vgf_file(const Arguments& arguments) {
  Settings settings;
  CommandLine line("slipway run", "Runs a model: a VGF file, or any other, converted in memory.",
                   "slipway run model.vgf --seed 1 --compare reference --profile");
  line.add_option("file", settings.files, "the model; `-` is standard input");
  line.add_report_options(settings.style);
  add_data_options(line, settings);
  add_run_options(line, settings);
  Arguments normalized = arguments;
  std::ranges::replace(normalized, std::string("--emulate"), std::string("--emulate=always"));
  if (const std::optional<int> status = line.parse(normalized)) return *status;
  return ModelRun(std::move(settings)).run();
}

}  // namespace slipway::cli
