// `slipway run` on recipes (docs/spec/recipe.md#slipway-run).
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "base/format.hpp"
#include "cli/recipe/files.hpp"
#include "cli/recipe/verbs.hpp"
#include "json/diagnostics.hpp"
#include "launch/run.hpp"
#include "recipe/names.hpp"

namespace slipway::cli {
namespace {

using Clock = std::chrono::steady_clock;

// NAME=FILE
struct NamedFile {
  std::string name, file;
};

struct RecipeOptions {
  ReportStyle style;
  std::vector<std::string> files;
  RecipeFiles inputs;
  std::string directory, mode, backend, device, library_root, report_path;
  std::optional<std::uint64_t> iterations;
  std::vector<std::string> binds, saves, goldens;
  std::uint64_t seed = 0;
  std::optional<std::uint32_t> threshold;
  std::optional<double> timeout;
  bool explain = false, dry_run = false, no_cpu_libraries = false, no_map = false, no_poll = false, timings = false,
       no_cache = false;
};

std::vector<NamedFile> named_files(const std::vector<std::string>& given, std::string_view option,
                                   Diagnostics& diagnostics) {
  std::vector<NamedFile> files;
  for (const std::string& one : given) {
    const std::size_t equals = one.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == one.size()) {
      diagnostics.error(DiagnosticKind::Usage, {}, formatted("{} takes NAME=FILE, but `{}` is given", option, one));
      continue;
    }
    files.push_back({one.substr(0, equals), one.substr(equals + 1)});
  }
  return files;
}

void add_options(CommandLine& line, RecipeOptions& options) {
  line.add_option("file", options.files, "the recipe; `-` is standard input");
  line.add_report_options(options.style);
  line.add_option("--profile", options.inputs.profile, "the profile: what to bind, and how often to run");
  line.add_option("--dir", options.directory,
                  "directory of the files that recipe and profile name (the recipe's directory)");
  line.add_option("--iterations", options.iterations, "iterations of every execution")
      .range(std::uint64_t{1}, std::uint64_t{UINT32_MAX});
  line.add_option("--mode", options.mode,
                  "run only executions of this mode: all, default, latency, throughput, validate")
      .choices({"all", "default", "latency", "throughput", "validate"});
  line.add_option("--report", options.report_path, "write a JSON report; `-` is standard output");
  line.add_option("--backend", options.backend, "auto, vulkan, opencl or xrt (auto: from the kernels' files)")
      .choices({"auto", "vulkan", "opencl", "xrt"});
  line.add_option("--device", options.device,
                  "a Vulkan device: index, part of its name, or UUID (else SLIPWAY_DEVICE)");
  line.add_option("--kernels", options.inputs.kernels, "replace kernels of the recipe with those of this file");
  line.add_option("--library-root", options.library_root,
                  "directory of CPU libraries (XILINX_XRT, the install prefix, --dir)");
  line.add_option("--bind", options.binds, "NAME=FILE: bind the bytes of a file to a buffer").values(1).take_all();
  line.add_option("--save", options.saves, "NAME=FILE: write a buffer after the last execution").values(1).take_all();
  line.add_option("--golden", options.goldens, "NAME=FILE: compare a buffer with a file after the last execution")
      .values(1)
      .take_all();
  line.add_option("--seed", options.seed, "seed of random data that have none (0)");
  line.add_option("--runlist-threshold", options.threshold,
                  "XRT: the number of runs from which they become a run list of the device; 0: never");
  line.add_option("--timeout", options.timeout, "seconds to wait for one run list; then exit").positive();
  line.add_flag("--explain", options.explain, "print the plan, and touch no device");
  line.add_flag("--dry-run", options.dry_run, "do everything except running and writing results");
  line.add_flag("--timings", options.timings, "measure each run, for the report");
  line.add_flag("--allow-outside", options.inputs.allow_outside,
                "files and libraries may lie outside their directories");
  line.add_flag("--no-cpu-libraries", options.no_cpu_libraries, "refuse recipes with CPU functions");
  line.add_flag("--nommap", options.no_map, "read files of profiles instead of mapping them");
  line.add_flag("--nopoll", options.no_poll, "sleep while waiting, regardless of the profile");
  line.add_flag("--no-cache", options.no_cache, "do not use the cache of compiled shaders");
}

class RecipeRun {
 public:
  explicit RecipeRun(RecipeOptions options) : options_(std::move(options)) {}

  int run() {
    const auto binds = named_files(options_.binds, "--bind", diagnostics_);
    const auto saves = named_files(options_.saves, "--save", diagnostics_);
    const auto goldens = named_files(options_.goldens, "--golden", diagnostics_);
    if (options_.files.size() != 1) {
      diagnostics_.error(DiagnosticKind::Usage, {},
                         options_.files.empty() ? "no recipe is given" : "one recipe is run at a time");
    }
    if (diagnostics_.has_errors()) return report(diagnostics_, options_.style);
    if (load()) {
      if (options_.explain) {
        print(recipe::print_plan(*session_.plan()));
        return report(diagnostics_, options_.style);
      }
      if (open(binds) && !options_.dry_run && execute()) finish(saves, goldens);
    }
    return end();
  }

 private:
  bool ok() {
    if (options_.style.strict) diagnostics_.make_strict();
    return !diagnostics_.has_errors();
  }

  bool load() {
    const std::string& file = options_.files.front();
    options_.inputs.recipe = file;
    options_.inputs.directory = artifact_directory(options_.directory, file);
    auto request = request_of(options_.inputs, diagnostics_);
    if (!request) return false;
    cache_ = options_.no_cache ? Cache() : Cache::of_user();
    request->plan = {.backend = recipe::parse_backend(options_.backend), .cache = cache_};
    request->changes = {.iterations = options_.iterations,
                        .mode = recipe::parse_mode(options_.mode),
                        .no_map = options_.no_map,
                        .no_poll = options_.no_poll};
    session_ = recipe::Session::load(*request, diagnostics_);
    return ok() && session_.plan();
  }

  bool open(const std::vector<NamedFile>& binds) {
    backends_.emplace(options_.device, cache_);
    recipe::OpenOptions options{
        .runner = {.open_backend = [this](recipe::BackendKind kind) { return backends_->open(kind); },
                   .libraries = recipe::cpu::library_roots(options_.library_root, options_.inputs.directory,
                                                           options_.inputs.allow_outside),
                   .cpu_libraries = !options_.no_cpu_libraries,
                   .timings = options_.timings},
        .profile = {.seed = options_.seed,
                    .runlist_threshold = options_.threshold,
                    .print = [this](std::string_view text) { say(text); }}};
    if (options_.timeout) options.profile.time_out = launch::time_out_of(*options_.timeout);
    if (!session_.open(std::move(options), diagnostics_)) return false;
    for (const NamedFile& bind : binds) {
      if (Result<> bound = bind_file(bind); !bound) diagnostics_.add(std::move(bound.error()));
    }
    return ok();
  }

  Result<> bind_file(const NamedFile& bind) {
    const Result<MappedFile> file = map_file(bind.file);
    if (!file) return fail(file.error());
    if (file->bytes().empty())
      return fail(DiagnosticKind::FileFormat, SourceLocation::in_file(bind.file),
                  "the file is empty, but a buffer cannot be");
    auto buffer = session_.runner().create_buffer({.size = file->bytes().size(), .name = bind.name});
    if (!buffer) return fail(std::move(buffer.error()));
    std::ranges::copy(file->bytes(), recipe::host_bytes(**buffer).begin());
    if (Result<> synced = recipe::sync_buffer(**buffer, sync_direction::to_device, 0, (*buffer)->size()); !synced)
      return synced;
    return session_.runner().bind(bind.name, {*buffer, 0, (*buffer)->size()});
  }

  bool execute() {
    auto failure = session_.run();
    if (!failure) return true;
    timed_out_ = std::ranges::contains(failure->diagnostics, DiagnosticKind::TimedOut, &Diagnostic::kind);
    failure_ = failure->diagnostics;
    diagnostics_.add(std::move(failure->diagnostics));
    return false;
  }

  void finish(const std::vector<NamedFile>& saves, const std::vector<NamedFile>& goldens) {
    for (const NamedFile& save : saves) {
      const auto bytes = buffer_bytes(save.name);
      if (!bytes) continue;
      if (Result<> written = write_file(save.file, *bytes); !written) diagnostics_.add(std::move(written.error()));
    }
    for (const NamedFile& golden : goldens) {
      const auto bytes = buffer_bytes(golden.name);
      const auto file = diagnostics_.take(map_file(golden.file));
      if (bytes && file) compare(golden, *bytes, file->bytes());
    }
  }

  std::optional<Bytes> buffer_bytes(const std::string& name) {
    if (!session_.plan()->find_buffer(name)) {
      diagnostics_.error(DiagnosticKind::UnknownBuffer, {}, formatted("Unknown buffer '{}'", name));
      return std::nullopt;
    }
    return diagnostics_.take(session_.runner().map_buffer(name));
  }

  void compare(const NamedFile& golden, Bytes bytes, Bytes expected) {
    recipe::Validate validate;
    const auto range = recipe::golden_range(validate, bytes.size(), expected.size());
    if (!range) {
      diagnostics_.error(DiagnosticKind::ProfileValidate, SourceLocation::in_file(golden.file), range.error());
      return;
    }
    const recipe::ValidationResult result = recipe::compare_golden(validate, golden.name, bytes, expected, *range);
    if (result.mismatches == 0) return;
    for (const std::string& example : result.examples) say(example + "\n");
    diagnostics_.error(DiagnosticKind::ExpectationFailed, SourceLocation::in_file(golden.file),
                       formatted("buffer `{}` differs from the expected data in {} of {} bytes", golden.name,
                                 result.mismatches, bytes.size()));
  }

  // Prints lines of metrics; standard output may be reserved for the report.
  void say(std::string_view text) { (options_.report_path == "-" || options_.style.json ? print_error : print)(text); }

  int end() {
    if (failure_.empty() && diagnostics_.has_errors()) {
      for (const Diagnostic& problem : diagnostics_.all()) {
        if (problem.severity == Severity::Error) failure_.push_back(problem);
      }
    }
    const recipe::Session::System system = recipe::system_usage(start_);
    const std::string text = session_.report(failure_.empty() ? nullptr : &failure_, &system, 2);
    if (!options_.report_path.empty()) {
      if (Result<> written = write_file(options_.report_path, text); !written)
        diagnostics_.add(std::move(written.error()));
    }
    if (options_.style.json && options_.report_path != "-") print(text);
    const int status = report(diagnostics_, options_.style);
    if (!options_.style.json) {
      constexpr std::array<std::string_view, 6> kOutcomes = {"ok",        "FAILED",  "usage error",
                                                             "bad input", "skipped", "failed"};
      std::string line =
          formatted("{}: {}{}\n", options_.files.front(), kOutcomes.at(static_cast<std::size_t>(status)), devices());
      if (options_.report_path == "-" || status > 1)
        print_error(line);
      else
        print(line);
    }
    // Work that timed out cannot be stopped, and destructors would wait for it.
    if (timed_out_) std::_Exit(status);
    return status;
  }

  std::string devices() {
    std::string text;
    if (!backends_ || !session_.opened()) return text;
    for (const auto& [kind, info] : session_.runner().backends())
      text += formatted("{} {}", text.empty() ? ", on" : ",", info.device);
    return text;
  }

  Clock::time_point start_ = Clock::now();
  RecipeOptions options_;
  Diagnostics diagnostics_;
  Cache cache_;
  std::optional<Backends> backends_;
  recipe::Session session_;
  Failure failure_;
  bool timed_out_ = false;
};

}  // namespace

bool is_recipe(const Content& content) { return content.has("execution/runs") && !content.has("jobs"); }

int run_recipe(const Arguments& arguments) {
  RecipeOptions options;
  CommandLine line("slipway run", "Runs a recipe of kernels and CPU functions.",
                   "slipway run recipe.json --profile profile.json");
  add_options(line, options);
  if (const std::optional<int> status = line.parse(arguments)) return *status;
  return RecipeRun(std::move(options)).run();
}

}  // namespace slipway::cli
