// `slipway run` and `slipway check` on jobs scripts.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>

#include "base/format.hpp"
#include "cli/recipe/files.hpp"
#include "cli/recipe/jobs.hpp"
#include "launch/run.hpp"
#include "recipe/names.hpp"

namespace slipway::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct JobsVerbOptions {
  ReportStyle style;
  std::string file, directory, mode, backend, library_root, report_path;
  std::optional<std::uint64_t> iterations;
  std::optional<double> timeout;
  JobsOptions jobs;
  bool no_cpu_libraries = false, no_cache = false;
};

void add_options(CommandLine& line, JobsVerbOptions& options) {
  line.add_option("file", options.file, "the jobs script; `-` is standard input").required();
  line.add_report_options(options.style);
  line.add_option("--dir", options.directory, "base directory of the script's paths (its own directory)");
  line.add_option("--threads", options.jobs.jobs.threads, "jobs that run at the same time (all)")
      .range(std::size_t{1}, std::size_t{1024});
  line.add_option("--queue-limit", options.jobs.jobs.queue_limit, "jobs that are loaded ahead (as many as --threads)")
      .range(std::size_t{1}, std::size_t{1} << 20);
  line.add_option("--iterations", options.iterations, "iterations of every execution, for jobs that do not set them")
      .range(std::uint64_t{1}, std::uint64_t{UINT32_MAX});
  line.add_option("--mode", options.mode, "for jobs that do not set it: all, default, latency, throughput, validate")
      .choices({"all", "default", "latency", "throughput", "validate"});
  line.add_option("--report", options.report_path, "write a JSON report; `-` is standard output");
  line.add_option("--backend", options.backend, "auto, vulkan, opencl or xrt (auto: from the kernels' files)")
      .choices({"auto", "vulkan", "opencl", "xrt"});
  line.add_option("--device", options.jobs.device, "a Vulkan device: index, part of its name, or UUID");
  line.add_option("--library-root", options.library_root, "directory of CPU libraries");
  line.add_option("--seed", options.jobs.profile.seed, "seed of random data that have none (0)");
  line.add_option("--timeout", options.timeout, "seconds to wait for one run list; then exit").positive();
  line.add_flag("--allow-outside", options.jobs.allow_outside, "files and libraries may lie outside their directories");
  line.add_flag("--no-cpu-libraries", options.no_cpu_libraries, "refuse recipes with CPU functions");
  line.add_flag("--no-cache", options.no_cache, "do not use the cache of compiled shaders");
}

std::string_view outcome_of(int status) {
  constexpr std::array<std::string_view, 6> kOutcomes = {"ok",        "FAILED",  "usage error",
                                                         "bad input", "skipped", "failed"};
  return kOutcomes.at(static_cast<std::size_t>(status));
}

std::optional<recipe::JobScript> read_script(const std::string& file, Severity leniency, Diagnostics& diagnostics) {
  const SourcePtr source = read_input(file, diagnostics);
  if (!source) return std::nullopt;
  const recipe::ReadOptions options{.leniency = leniency};
  auto document = recipe::read_document(source, options, diagnostics);
  return document ? recipe::read_jobs(std::move(document), options, diagnostics) : std::nullopt;
}

std::string report_text(const recipe::JobScript& script, const std::vector<recipe::JobResult>& results,
                        Clock::time_point start) {
  json::Writer out;
  const recipe::Session::System system = recipe::system_usage(start);
  recipe::write_jobs_report(script, results, out, [&] {
    out.key("system").object([&] {
      out.member("real", system.real).member("user", system.user).member("kernel", system.kernel);
      out.member("peak_memory_mb", system.peak_memory_mb);
    });
  });
  return out.text();
}

}  // namespace

bool is_jobs(const Content& content) { return content.has("jobs"); }

std::optional<JobsOutcome> run_jobs_script(const JobsOptions& jobs, Clock::time_point start, Diagnostics& diagnostics) {
  const auto script = read_script(jobs.script, Severity::Warning, diagnostics);
  if (!script) return std::nullopt;
  Backends backends(jobs.device, jobs.sessions.plan.cache);
  recipe::SessionJobOptions options{
      .directory = jobs.directory,
      .allow_outside = jobs.allow_outside,
      .request = jobs.sessions,
      .open = [&](const Path& artifacts) -> recipe::OpenOptions {
        return {.runner = {.open_backend = [&](recipe::BackendKind kind) { return backends.open(kind); },
                           .libraries = recipe::cpu::library_roots(jobs.library_root, artifacts, jobs.allow_outside),
                           .cpu_libraries = jobs.cpu_libraries},
                .profile = jobs.profile};
      }};
  JobsOutcome outcome;
  outcome.results = recipe::run_jobs(*script, jobs.jobs, recipe::session_jobs(std::move(options)));
  outcome.report = report_text(*script, outcome.results, start);
  return outcome;
}

int run_jobs(const Arguments& arguments) {
  const Clock::time_point start = Clock::now();
  JobsVerbOptions options;
  CommandLine line("slipway run", "Runs the jobs of a script concurrently, each a recipe with its profile.",
                   "slipway run jobs.json --threads 2 --report report.json");
  add_options(line, options);
  if (const std::optional<int> status = line.parse(arguments)) return *status;
  JobsOptions& jobs = options.jobs;
  jobs.script = options.file;
  jobs.directory = artifact_directory(options.directory, options.file);
  jobs.library_root = options.library_root;
  jobs.cpu_libraries = !options.no_cpu_libraries;
  jobs.sessions.plan = {.backend = recipe::parse_backend(options.backend),
                        .cache = options.no_cache ? Cache() : Cache::of_user()};
  jobs.sessions.changes = {.iterations = options.iterations, .mode = recipe::parse_mode(options.mode)};
  if (options.timeout) jobs.profile.time_out = launch::time_out_of(*options.timeout);

  Diagnostics diagnostics;
  std::optional<JobsOutcome> outcome = run_jobs_script(jobs, start, diagnostics);
  if (!outcome) return report(diagnostics, options.style);
  std::string lines;
  for (const auto& job : outcome->results) lines += formatted("{}: {}\n", job.id, outcome_of(job.status));
  int status = recipe::status_of(outcome->results);
  for (recipe::JobResult& job : outcome->results) diagnostics.add(std::move(job.diagnostics));
  if (!options.report_path.empty()) {
    if (Result<> written = write_file(options.report_path, outcome->report); !written) {
      diagnostics.add(std::move(written.error()));
    }
  }
  if (options.style.json && options.report_path != "-") print(outcome->report);
  if (!options.style.json) (options.report_path == "-" ? print_error : print)(lines);
  status = worst_status(status, report(diagnostics, options.style));
  // Work that timed out cannot be stopped, and destructors would wait for it.
  if (std::ranges::contains(diagnostics.all(), DiagnosticKind::TimedOut, &Diagnostic::kind)) std::_Exit(status);
  return status;
}

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
        diagnostics.add(json::problem(named, DiagnosticKind::ArtifactMissing,
                                      formatted("file `{}` does not exist", named.string())));
      }
    }
  }
  const int status = report(diagnostics, style, stdout);
  if (style.json || status != 0) return status == 0 ? 0 : 3;  // any error of a check is bad input
  for (const std::string& file : files) print(formatted("{}: ok\n", file));
  return 0;
}

}  // namespace slipway::cli
