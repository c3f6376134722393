// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Job scripts: several recipes, each with its profile, that run concurrently (docs/spec/recipe.md#reports).
//
//   std::optional<JobScript> script = read_jobs(document, {}, diagnostics);
//   std::vector<JobResult> results = run_jobs(*script, {.threads = 4}, prepare);
#pragma once

#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "recipe/model.hpp"
#include "recipe/read/read.hpp"
#include "recipe/report_records.hpp"

namespace slipway::recipe {

struct Job {
  std::string id;      // unique in the script; `jobN` if not given
  std::string recipe;  // paths are relative to --dir
  std::string profile;
  std::string directory;  // of the job's artifacts
  // These override the command line.
  std::optional<std::uint64_t> iterations;  // 0: not given
  std::optional<Mode> mode;
  json::Value at;
};

struct JobScript {
  std::shared_ptr<const json::Document> document;
  std::vector<Job> jobs;
};

// Nothing after errors: missing-key, duplicate-name, wrong-type, and those of `mode` and `iterations`.
std::optional<JobScript> read_jobs(std::shared_ptr<const json::Document> document, const ReadOptions& options,
                                   Diagnostics& diagnostics);
std::string jobs_schema();

// The result of a job. The report has `error` if the job failed.
struct JobResult {
  std::string id, recipe;  // of the job; set by `run_jobs`
  int status = 0;          // exit status (docs/spec/recipe.md#decision-24)
  SessionReport report;
  Failure diagnostics;  // warnings included
};
using RunJob = std::move_only_function<JobResult()>;
// Loads a job. Returns the function that runs it, or the result of a job that cannot be loaded.
using PrepareJob = std::function<std::expected<RunJob, JobResult>(const Job& job)>;

inline constexpr std::size_t kMaxThreads = 256;  // a script of a megabyte may have 20,000 jobs
struct JobOptions {
  std::size_t threads = 0;      // workers; 0: one per job, but no more than that
  std::size_t queue_limit = 0;  // loaded jobs that wait for a worker; 0: as many as workers
};

// Loads the jobs in file order on the calling thread, while workers run the loaded ones. A failed job does not stop the
// others; results are in the order of the script. Exceptions of `prepare` and of jobs become results of these jobs.
std::vector<JobResult> run_jobs(const JobScript& script, const JobOptions& options, const PrepareJob& prepare);

// The most severe status: the first one present of 3, 5, 1, 4, 0.
int status_of(const std::vector<JobResult>& results);

// The report of a script as the shipped runner writes it.
JobsReport jobs_report(const std::vector<JobResult>& results, const ProcessUsage& system);

}  // namespace slipway::recipe
