// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway run` and `slipway check` on jobs scripts.
#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/format.hpp"
#include "base/text/control_characters.hpp"
#include "cli/confine.hpp"
#include "cli/content.hpp"
#include "cli/recipe/files.hpp"
#include "cli/recipe/jobs.hpp"
#include "cli/run/job.hpp"
#include "cli/run/run_report.hpp"
#include "launch/run.hpp"
#include "recipe/open_backend.hpp"

namespace slipway::cli {
namespace {

struct JobsVerbOptions : PlannedRunGroup, EngineGroup {
  std::string file;
  RecipeGroup group;
  recipe::JobOptions jobs;
};

void add_options(CommandLine& line, JobsVerbOptions& options) {
  line.add_option("file", options.file, "the jobs script; `-` is standard input").required();
  add_run_group(line, options, kBackendDevice);
  add_recipe_group(line, options.group);
  add_engine_option(line, options);
  add_engine_thread_options(line, options, false);
  add_fusion_option(line, options.no_fuse);
  line.add_option("--threads", options.jobs.threads, "jobs that run at the same time (all, at most 256)")
      .range(std::uint64_t{1}, std::uint64_t{1024});
  line.add_option("--queue-limit", options.jobs.queue_limit, "jobs that are loaded ahead (as many as --threads)")
      .range(std::uint64_t{1}, std::uint64_t{1} << 20);
}

std::optional<recipe::JobScript> read_script(const std::string& file, Severity leniency, Diagnostics& diagnostics) {
  const SourcePtr source = read_input(file, diagnostics);
  if (!source) return std::nullopt;
  const recipe::ReadOptions options{.leniency = leniency};
  auto document = recipe::read_document(source, options, diagnostics);
  return document ? recipe::read_jobs(std::move(document), options, diagnostics) : std::nullopt;
}

// A jobs script. Its jobs are read when they run.
class ScriptJob : public Job {
 public:
  explicit ScriptJob(const JobsVerbOptions& options) : options_(options) {}

  const std::string& file() const override { return options_.file; }
  bool load() override { return true; }
  void explain() override {}

  void run() override {
    const RecipeGroup& group = options_.group;
    JobsOptions jobs{.script = options_.file,
                     .directory = artifact_directory(group.directory, options_.file),
                     .device = options_.device,
                     .library_root = group.library_root,
                     .allow_outside = group.allow_outside,
                     .why_no_cpu_libraries = why_no_cpu_libraries(group)};
    jobs.jobs = options_.jobs;
    jobs.profile.seed = group.seed;
    if (options_.timeout) jobs.profile.time_out = launch::time_out_of(*options_.timeout);
    jobs.sessions.plan = plan_options(group, options_, options_);
    jobs.sessions.changes = {.iterations = group.iterations, .mode = recipe::mode_from_name(group.mode)};
    outcome_ = run_jobs_script(jobs, diagnostics_);
    if (!outcome_) return;
    std::string lines;
    for (const recipe::JobResult& result : *outcome_) {
      // An id with a line break could look like the line of another job.
      lines +=
          formatted("{}: {}\n", show_control_characters(result.id, {.newlines = false}), outcome_word(result.status));
      diagnostics_.add(result.diagnostics);
    }
    if (!options_.style.json) print_line(options_, lines);
  }

  // The lines of the jobs are printed with their results.
  std::string outcome(int) override { return ""; }

  int status() const override { return worst_status(Job::status(), outcome_ ? recipe::status_of(*outcome_) : 0); }

  std::vector<RunReportEntry> report() const override {
    // A script that cannot be read has no jobs.
    if (!outcome_) return {{.outcome = {options_.file, diagnostics_.all(), {}}, .job = {}, .recipe = {}}};
    std::vector<RunReportEntry> entries;
    for (const recipe::JobResult& result : *outcome_) {
      entries.push_back({.outcome = {.file = result.recipe,
                                     .diagnostics = result.diagnostics,
                                     .report = {},
                                     .seed = options_.group.seed},
                         .job = result.id,
                         .recipe = result.report.details});
    }
    return entries;
  }

 private:
  const JobsVerbOptions& options_;
  std::optional<std::vector<recipe::JobResult>> outcome_;
};

}  // namespace

bool is_jobs(const Content& content) { return content.has("jobs"); }

std::optional<std::vector<recipe::JobResult>> run_jobs_script(const JobsOptions& jobs, Diagnostics& diagnostics) {
  const auto script = read_script(jobs.script, Severity::Warning, diagnostics);
  if (!script) return std::nullopt;
  recipe::Backends backends(jobs.device, jobs.sessions.plan.cache);
  recipe::SessionJobOptions options{
      .directory = jobs.directory,
      .allow_outside = jobs.allow_outside,
      .confine = is_confined(),
      .accepts_unwritten = jobs.accepts_unwritten,
      .session = jobs.sessions,
      .open = [&](const Path& artifacts) -> recipe::OpenOptions {
        return {.runner = {.open_backend = [&](recipe::BackendKind kind) { return backends.open(kind); },
                           .libraries = recipe::cpu::library_roots(jobs.library_root, artifacts, jobs.allow_outside),
                           .why_no_cpu_libraries = jobs.why_no_cpu_libraries},
                .profile = jobs.profile};
      }};
  return recipe::run_jobs(*script, jobs.jobs, recipe::session_jobs(std::move(options)));
}

namespace {

// Returns an exit status if the verb has to end.
std::optional<int> parse_script_options(const Arguments& arguments, JobsVerbOptions& options) {
  CommandLine line("slipway run", "Runs the jobs of a script concurrently, each a recipe with its profile.",
                   "slipway run jobs.json --threads 2 --report report.json");
  add_options(line, options);
  return line.parse(arguments);
}

MadeJob make_script_job(const Arguments& arguments) { return job_of<ScriptJob>(arguments, parse_script_options); }

}  // namespace

std::unique_ptr<JobSource> script_jobs() { return separate_jobs<make_script_job>(); }

int run_jobs(const Arguments& arguments) { return run_made(make_script_job(arguments)); }

int check_jobs(const Arguments& arguments) {
  ReportStyle style;
  std::vector<std::string> files;
  CommandLine line("slipway check", "Finds every error in jobs scripts; check the recipes separately.",
                   "slipway check jobs.json");
  line.add_report_options(style);
  line.add_option("files", files, "jobs scripts; `-` is standard input").required();
  if (const std::optional<int> status = line.parse(arguments)) return *status;
  Diagnostics diagnostics;
  for (const std::string& file : files) {
    const auto script = read_script(file, Severity::Error, diagnostics);
    if (!script || file == "-") continue;
    for (const recipe::Job& job : script->jobs) {
      for (const char* key : {"recipe", "profile"}) {
        const json::Value named = job.at[key];
        if (!named || file_exists(Path(file).parent_path() / named.string())) continue;
        diagnostics.add(
            json::problem(named, DiagnosticKind::FileNotFound, formatted("file `{}` does not exist", named.string())));
      }
    }
  }
  return report_recipe_check(diagnostics, style, files);
}

}  // namespace slipway::cli
