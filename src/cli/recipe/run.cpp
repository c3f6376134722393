// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway run` on recipes (docs/spec/recipe.md#slipway-run).
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ranges>
#include <set>

#include "base/format.hpp"
#include "base/system/protected_inputs.hpp"
#include "cli/recipe/files.hpp"
#include "cli/recipe/verbs.hpp"
#include "cli/run/job.hpp"
#include "cli/run/run_report.hpp"
#include "executors/vulkan/layer_messages.hpp"
#include "json/diagnostics.hpp"
#include "launch/run.hpp"
#include "recipe/open_backend.hpp"
#include "recipe/report_records.hpp"
#include "spirv/prints.hpp"
#include "tensor/compare.hpp"

namespace slipway::cli {
namespace {

using Clock = std::chrono::steady_clock;

// NAME=FILE
struct NamedFile {
  std::string name, file;
};

struct RecipeOptions : PlannedRunGroup, EngineGroup {
  std::vector<std::string> files;
  RecipeGroup group;
  std::string profile, kernels;
  std::vector<std::string> binds, saves, goldens;
  std::optional<std::uint32_t> threshold;
  bool no_map = false, no_poll = false, timings = false;
  bool shader_prints = true;
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
  add_planned_run_group(line, options, kBackendDevice);
  add_recipe_group(line, options.group);
  add_engine_option(line, options);
  add_engine_thread_options(line, options);
  add_fusion_option(line, options.no_fuse);
  line.add_option("--profile", options.profile, "the profile: what to bind, and how often to run");
  line.add_option("--kernels", options.kernels, "replace kernels of the recipe with those of this file");
  line.add_option("--bind", options.binds, "NAME=FILE: bind the bytes of a file to a buffer").values(1).take_all();
  line.add_option("--save", options.saves, "NAME=FILE: write a buffer after the last execution").values(1).take_all();
  line.add_option("--golden", options.goldens, "NAME=FILE: compare a buffer with a file after the last execution")
      .values(1)
      .take_all();
  line.add_option("--runlist-threshold", options.threshold,
                  "XRT: the number of runs from which they become a run list of the device; 0: never");
  line.add_flag("--timings", options.timings,
                "measure each run, for the report; on an NPU one run after another, by the host");
  add_shader_prints_option(line, options.shader_prints);
  line.add_flag("--nommap", options.no_map, "read files of profiles instead of mapping them");
  line.add_flag("--nopoll", options.no_poll, "sleep while waiting, regardless of the profile");
}

class RecipeJob : public Job {
 public:
  explicit RecipeJob(const RecipeOptions& options)
      : options_(options),
        binds_(named_files(options.binds, "--bind", diagnostics_)),
        saves_(named_files(options.saves, "--save", diagnostics_)),
        goldens_(named_files(options.goldens, "--golden", diagnostics_)) {
    if (options.files.size() == 1) return;
    diagnostics_.error(DiagnosticKind::Usage, {},
                       options.files.empty() ? "no recipe is given" : "one recipe is run at a time");
  }

  const std::string& file() const override { return options_.files.front(); }

  bool load() override {
    const std::string& file = options_.files.front();
    const RecipeGroup& group = options_.group;
    directory_ = artifact_directory(group.directory, file);
    auto request =
        session_options({file, options_.profile, options_.kernels, directory_, group.allow_outside}, diagnostics_);
    if (!request) return false;
    request->plan = plan_options(group, options_, options_);
    request->changes = {.iterations = group.iterations,
                        .mode = recipe::mode_from_name(group.mode),
                        .no_map = options_.no_map,
                        .no_poll = options_.no_poll};
    session_ = recipe::Session::load(*request, diagnostics_);
    for (const auto* inputs : {&binds_, &goldens_}) {
      for (const NamedFile& input : *inputs) protect_input(input.file);
    }
    return ok() && session_.plan();
  }

  std::vector<Path> outputs() const override {
    return saves_ | std::views::transform(&NamedFile::file) | std::ranges::to<std::vector<Path>>();
  }

  void explain() override { print(recipe::print_plan(*session_.plan())); }

  void run() override {
    if (!open() || options_.dry_run) return;
    const bool ran = execute();
    printed_ = backends_->take_prints();
    diagnostics_.add(backends_->take_messages());
    if (ran) finish();
    if (ran && options_.timings) note_unmeasured();
    if (options_.profile.empty() && binds_.empty()) suggest_profile();
  }

  std::string outcome(int status) override {
    std::string devices;
    if (backends_ && session_.opened()) {
      for (const auto& [kind, info] : session_.runner().backends())
        devices += formatted("{} {}", devices.empty() ? ", on" : ",", info.device);
    }
    return formatted("{}{}: {}{}\n", launch::print_shader_output(printed_), shown_name(options_.files.front()),
                     outcome_text(status, *this, compared_ ? &*compared_ : nullptr), devices);
  }

  std::vector<RunReportEntry> report() const override {
    return {{.outcome = {.file = options_.files.front(),
                         .diagnostics = diagnostics_.all(),
                         .report = {},
                         .seed = options_.group.seed,
                         .printed = printed_},
             .job = {},
             .recipe = session_.details(),
             .compared = compared_}};
  }

 private:
  bool ok() {
    if (options_.style.strict) diagnostics_.make_strict();
    return !diagnostics_.has_errors();
  }

  void note_unmeasured() {
    const std::vector<recipe::RunRecord> records = session_.runner().records();
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (records[i].total_ns) continue;
      diagnostics_.remark(
          DiagnosticKind::Unsupported, SourceLocation::in_file(options_.files.front()),
          formatted("run `{}` has no time: its device cannot measure runs", session_.plan()->runs[i].id));
      return;
    }
  }

  void suggest_profile() {
    const Path profile = recipe::profile_beside(options_.files.front());
    if (profile.empty()) return;
    diagnostics_.remark(
        DiagnosticKind::UnusedResource, SourceLocation::in_file(options_.files.front()),
        formatted("the recipe runs without the profile beside it; `--profile {}` uses it", profile.string()));
  }

  bool open() {
    const RecipeGroup& group = options_.group;
    backends_.emplace(options_.device, cache_of(options_.no_cache));
    const recipe::KernelPlan* const printing = printing_kernel();
    if (printing) backends_->want_prints();
    recipe::OpenOptions options{
        .runner = {.open_backend = [this](recipe::BackendKind kind) { return backends_->open(kind); },
                   .libraries = recipe::cpu::library_roots(group.library_root, directory_, group.allow_outside),
                   .why_no_cpu_libraries = why_no_cpu_libraries(group),
                   .timings = options_.timings},
        .profile = {.seed = group.seed,
                    .runlist_threshold = options_.threshold,
                    .print = [this](std::string_view text) { print_line(options_, text); }}};
    if (options_.timeout) options.profile.time_out = launch::time_out_of(*options_.timeout);
    if (!session_.open(std::move(options), diagnostics_)) return false;
    if (printing && !backends_->shows_prints()) {
      diagnostics_.remark(DiagnosticKind::Unsupported, SourceLocation::in_file(options_.files.front()),
                          launch::needs_printing_layer(printing->name));
    }
    for (const NamedFile& bind : binds_) {
      if (Result<> bound = bind_file(bind); !bound) diagnostics_.add(std::move(bound.error()));
    }
    return session_.prepare(diagnostics_) && ok();
  }

  // Null if what it prints is not wanted.
  const recipe::KernelPlan* printing_kernel() const {
    if (!options_.shader_prints || options_.dry_run) return nullptr;
    const auto printing = std::ranges::find_if(session_.plan()->kernels, [](const recipe::KernelPlan& kernel) {
      return kernel.module && kernel.module->words && spirv::prints(*kernel.module->words);
    });
    return printing == session_.plan()->kernels.end() ? nullptr : &*printing;
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
    return session_.runner().bind(bind.name, {*buffer, 0, (*buffer)->size()}, recipe::BoundContents::Synced);
  }

  bool execute() {
    auto failure = session_.run();
    diagnostics_.add(session_.runner().unwritten_outputs());
    if (!failure) return true;
    diagnostics_.add(std::move(failure->diagnostics));
    return false;
  }

  void finish() {
    for (const NamedFile& save : saves_) {
      const auto bytes = buffer_bytes(save.name);
      if (!bytes) continue;
      if (Result<> written = write_file(save.file, *bytes); !written) diagnostics_.add(std::move(written.error()));
    }
    for (const NamedFile& golden : goldens_) {
      const auto bytes = buffer_bytes(golden.name);
      const auto file = diagnostics_.take(map_file(golden.file));
      if (bytes && file) compare(golden, *bytes, file->bytes());
    }
    count_outputs();
  }

  // Outputs are the buffers of that type that runs use, and those that are compared.
  void count_outputs() {
    std::set<std::string> outputs, compared;
    for (const recipe::ValidationResult& result : session_.engine().validation()) compared.insert(result.buffer);
    compared.insert(with_golden_.begin(), with_golden_.end());
    if (compared.empty()) return;
    for (const recipe::BufferPlan& buffer : session_.plan()->buffers) {
      using enum recipe::BufferType;
      if (buffer.used && (buffer.type == Output || buffer.type == InOut)) outputs.insert(buffer.name);
    }
    outputs.insert(compared.begin(), compared.end());
    compared_ = {.compared = compared.size(), .total = outputs.size()};
  }

  std::optional<Bytes> buffer_bytes(const std::string& name) {
    if (!session_.plan()->find_buffer(name)) {
      diagnostics_.error(DiagnosticKind::UnknownReference, {}, formatted("Unknown buffer '{}'", name));
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
    with_golden_.insert(golden.name);
    const recipe::ValidationResult result = recipe::compare_golden(validate, golden.name, bytes, expected, *range);
    if (result.mismatches == 0) return;
    for (const std::string& example : result.examples) print_line(options_, example + "\n");
    diagnostics_.error(DiagnosticKind::ExpectationFailed, SourceLocation::in_file(golden.file),
                       formatted("buffer `{}` differs from the expected data in {} of {} bytes", golden.name,
                                 result.mismatches, bytes.size()));
  }

  const RecipeOptions& options_;
  std::vector<NamedFile> binds_, saves_, goldens_;
  std::set<std::string> with_golden_;  // buffers of goldens_ that were compared
  Path directory_;
  std::optional<recipe::Backends> backends_;
  recipe::Session session_;
  std::vector<std::string> printed_;
  std::optional<tensor::ComparedOutputs> compared_;
};

}  // namespace

// Recipes without `execution`, or without its `runs`, are recipes with an error. The listings of vgf_dump also have
// `resources` and `header`.
bool is_recipe(const Content& content) {
  if (content.has("model_sequence") || content.has("header/major")) return false;
  const bool incomplete = content.has("resources") && !content.has("commands") && !content.has("execution/frames") &&
                          (content.has("execution") || content.has("version") || content.has("header"));
  return (content.has("execution/runs") || incomplete) && !content.has("jobs");
}

namespace {

// Returns an exit status if the verb has to end.
std::optional<int> parse_recipe_options(const Arguments& arguments, RecipeOptions& options) {
  CommandLine line("slipway run", "Runs a recipe of kernels and CPU functions.",
                   "slipway run recipe.json --profile profile.json");
  add_options(line, options);
  return line.parse(arguments);
}

MadeJob make_recipe_job(const Arguments& arguments) { return job_of<RecipeJob>(arguments, parse_recipe_options); }

}  // namespace

std::unique_ptr<JobSource> recipe_jobs() { return separate_jobs<make_recipe_job>(); }

int run_recipe(const Arguments& arguments) { return run_made(make_recipe_job(arguments)); }

}  // namespace slipway::cli
