// Job scripts: several recipes, each with its profile, run side by side (recipe page 3.7).
//
//   std::optional<JobScript> script = read_jobs(document, {}, diagnostics);
//   std::vector<JobResult> results = run_jobs(*script, {.threads = 4}, prepare);
//   write_jobs_report(*script, results, out);
#pragma once

#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "json/writer.hpp"
#include "recipe/model.hpp"
#include "recipe/read/read.hpp"

namespace slipway::recipe {

struct Job {
  std::string id;      // unique in its script; `jobN` when not given
  std::string recipe;  // paths are relative to --dir
  std::string profile;
  std::string directory;  // of the job's artifacts
  // These win over the command line.
  std::optional<std::uint64_t> iterations;
  std::optional<Mode> mode;
  json::Value at;
};

struct JobScript {
  std::shared_ptr<const json::Document> document;
  std::vector<Job> jobs;
};

// Nothing when there are errors: missing-key, duplicate-name, wrong-type, and those of `mode` and `iterations`.
std::optional<JobScript> read_jobs(std::shared_ptr<const json::Document> document, const ReadOptions& options,
                                   Diagnostics& diagnostics);
std::string jobs_schema();

// What a job came to. The report is one JSON object, with `error` in it when the job failed.
struct JobResult {
  std::string id;  // of the job; `run_jobs` sets it
  int status = 0;  // as the program's exit status (decision 24)
  std::string report;
  Failure diagnostics;  // with warnings
};
using RunJob = std::move_only_function<JobResult()>;
// Loads a job: what is to be run, or what came of a job that cannot be loaded.
using PrepareJob = std::function<std::expected<RunJob, JobResult>(const Job& job)>;

struct JobOptions {
  std::size_t threads = 0;      // workers; 0: as many as jobs
  std::size_t queue_limit = 0;  // jobs that are loaded and wait for a worker; 0: as many as workers
};

// Loads the jobs in file order, on one thread, while workers run those that are loaded. All jobs are run, whatever
// becomes of the others; the results are in the order of the script. What `prepare` and the jobs throw becomes the
// result of that job.
std::vector<JobResult> run_jobs(const JobScript& script, const JobOptions& options, const PrepareJob& prepare);

// The first that occurs in the order 3, 5, 1, 4, 0.
int status_of(const std::vector<JobResult>& results);

// The report of a job of which nothing is known but its failure.
std::string failed_job_report(const Diagnostic& problem);

// {"jobs": {ID: report, ...}}, with what `more` writes as further members.
void write_jobs_report(const JobScript& script, const std::vector<JobResult>& results, json::Writer& out,
                       const std::function<void()>& more = {});

}  // namespace slipway::recipe
