// What the verbs do with jobs scripts.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "base/diagnostic.hpp"
#include "cli/command_line.hpp"
#include "cli/content.hpp"
#include "recipe/jobs/session_job.hpp"

namespace slipway::cli {

// A JSON object with `jobs`.
bool is_jobs(const Content& content);

int run_jobs(const Arguments& arguments);
int check_jobs(const Arguments& arguments);

// What `slipway run` and `xrt-runner --script` have in common.
struct JobsRequest {
  std::string script;  // a file, or `-`
  Path directory;      // what its paths are relative to
  std::string device, library_root;
  bool allow_outside = false, cpu_libraries = true;
  recipe::SessionOptions sessions;  // what all jobs have
  recipe::ProfileOptions profile;
  recipe::JobOptions jobs;
};

struct JobsOutcome {
  std::vector<recipe::JobResult> results;
  std::string report;  // JSON, indented by 2
};

// Nothing when the script itself cannot be read. Problems of the jobs are in their results.
std::optional<JobsOutcome> run_jobs_script(const JobsRequest& request, std::chrono::steady_clock::time_point start,
                                           Diagnostics& diagnostics);

}  // namespace slipway::cli
