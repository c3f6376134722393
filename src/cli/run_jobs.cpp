// slipway run and slipway check of jobs scripts (recipe page 3.7).
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>

#include "base/format.hpp"
#include "cli/jobs_verbs.hpp"
#include "cli/recipe_files.hpp"
#include "recipe/open_backend.hpp"
#include "recipe/report_records.hpp"

namespace slipway::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct JobsSettings {
  ReportStyle style;
  std::string file, directory, mode, backend, library_root, report_path;
  std::optional<std::uint64_t> iterations;
  std::optional<double> timeout;
  JobsRequest request;
  bool no_cpu_libraries = false, no_cache = false;
};

void add_options(CommandLine& line, JobsSettings& settings) {
  line.add_option("file", settings.file, "the jobs script; `-` is standard input").required();
  line.add_report_options(settings.style);
  line.add_option("--dir", settings.directory, "what the script's paths are relative to (its own directory)");
  line.add_option("--threads", settings.request.jobs.threads, "jobs that run at once (all)")
      .range(std::size_t{1}, std::size_t{1024});
  line.add_option("--queue-limit", settings.request.jobs.queue_limit, "jobs that are loaded ahead (as many as run)")
      .range(std::size_t{1}, std::size_t{1} << 20);
  line.add_option("--iterations", settings.iterations, "of every execution of jobs that do not say")
      .range(std::uint64_t{1}, std::uint64_t{UINT32_MAX});
  line.add_option("--mode", settings.mode, "for jobs that do not say: all, default, latency, throughput, validate")
      .choices({"all", "default", "latency", "throughput", "validate"});
  line.add_option("--report", settings.report_path, "write a JSON report; `-` is standard output");
  line.add_option("--backend", settings.backend, "auto, vulkan, opencl or xrt (auto: as the kernels' files say)")
      .choices({"auto", "vulkan", "opencl", "xrt"});
  line.add_option("--device", settings.request.device, "a Vulkan device: index, part of its name, or UUID");
  line.add_option("--library-root", settings.library_root, "directory of CPU libraries");
  line.add_option("--seed", settings.request.profile.seed, "of random data that have none (0)");
  line.add_option("--timeout", settings.timeout, "seconds to wait for one run list").positive();
  line.add_flag("--allow-outside", settings.request.allow_outside,
                "files and libraries may lie outside their directories");
  line.add_flag("--no-cpu-libraries", settings.no_cpu_libraries, "refuse recipes with CPU functions");
  line.add_flag("--no-cache", settings.no_cache, "do not use the cache of compiled shaders");
}

std::string_view outcome_of(int status) {
  constexpr std::array<std::string_view, 6> kOutcomes = {"ok",        "FAILED",  "wrong usage",
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
  recipe::write_jobs_report(script, results, out, [&] { recipe::system_record().write(out.key("system"), system); });
  return out.text();
}

}  // namespace

bool is_jobs(const Content& content) { return content.has("jobs"); }

std::optional<JobsOutcome> run_jobs_script(const JobsRequest& request, Clock::time_point start,
                                           Diagnostics& diagnostics) {
  const auto script = read_script(request.script, Severity::Warning, diagnostics);
  if (!script) return std::nullopt;
  recipe::Backends backends(request.device, request.sessions.plan.cache);
  recipe::SessionJobOptions options{
      .directory = request.directory,
      .allow_outside = request.allow_outside,
      .session = request.sessions,
      .open = [&](const Path& artifacts) -> recipe::OpenOptions {
        return {
            .runner = {.open_backend = [&](recipe::BackendKind kind) { return backends.open(kind); },
                       .libraries = recipe::cpu::library_roots(request.library_root, artifacts, request.allow_outside),
                       .cpu_libraries = request.cpu_libraries},
            .profile = request.profile};
      }};
  JobsOutcome outcome;
  outcome.results = recipe::run_jobs(*script, request.jobs, recipe::session_jobs(std::move(options)));
  outcome.report = report_text(*script, outcome.results, start);
  return outcome;
}

int run_jobs(const Arguments& arguments) {
  const Clock::time_point start = Clock::now();
  JobsSettings settings;
  CommandLine line("slipway run", "Runs the jobs of a script, each a recipe with its profile, side by side.",
                   "slipway run jobs.json --threads 2 --report report.json");
  add_options(line, settings);
  if (const std::optional<int> status = line.parse(arguments)) return *status;
  JobsRequest& request = settings.request;
  request.script = settings.file;
  request.directory = artifact_directory(settings.directory, settings.file);
  request.library_root = settings.library_root;
  request.cpu_libraries = !settings.no_cpu_libraries;
  request.sessions.plan = {.backend = recipe::kernel_backend_from_name(settings.backend),
                           .cache = settings.no_cache ? Cache() : Cache::of_user()};
  request.sessions.changes = {.iterations = settings.iterations, .mode = recipe::mode_from_name(settings.mode)};
  if (settings.timeout) {
    constexpr double kMost = 1e9;  // some thirty years
    request.profile.time_out =
        std::chrono::nanoseconds(static_cast<std::int64_t>(std::min(*settings.timeout, kMost) * 1e9));
  }

  Diagnostics diagnostics;
  std::optional<JobsOutcome> outcome = run_jobs_script(request, start, diagnostics);
  if (!outcome) return report(diagnostics, settings.style);
  std::string lines;
  for (const auto& job : outcome->results) lines += formatted("{}: {}\n", job.id, outcome_of(job.status));
  int status = recipe::status_of(outcome->results);
  for (recipe::JobResult& job : outcome->results) diagnostics.add(std::move(job.diagnostics));
  if (!settings.report_path.empty()) {
    if (Result<> written = write_file(settings.report_path, outcome->report); !written) {
      diagnostics.add(std::move(written.error()));
    }
  }
  if (settings.style.json && settings.report_path != "-") print(outcome->report);
  if (!settings.style.json) (settings.report_path == "-" ? print_error : print)(lines);
  status = worst_status(status, report(diagnostics, settings.style));
  // What did not end in time cannot be stopped, and would be waited for.
  if (has_timed_out(diagnostics.all())) end_process(status);
  return status;
}

int check_jobs(const Arguments& arguments) {
  ReportStyle style;
  std::vector<std::string> files;
  CommandLine line("slipway check", "Finds every mistake in jobs scripts; the recipes are checked one by one.",
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
            json::problem(named, DiagnosticKind::FileNotFound, formatted("there is no file `{}`", named.string())));
      }
    }
  }
  const int status = report(diagnostics, style, stdout);
  if (style.json || status != 0) return status == 0 ? 0 : 3;  // any error of a check is bad input
  for (const std::string& file : files) print(formatted("{}: ok\n", file));
  return 0;
}

}  // namespace slipway::cli
