// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The verbs for jobs scripts.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "cli/command_line.hpp"
#include "cli/run/job.hpp"
#include "recipe/jobs/session_job.hpp"

namespace slipway::cli {

struct Content;  // content.hpp

// A JSON object with `jobs`.
bool is_jobs(const Content& content);

int run_jobs(const Arguments& arguments);
std::unique_ptr<JobSource> script_jobs();
int check_jobs(const Arguments& arguments);

// Shared by `slipway run` and `xrt-runner --script`.
struct JobsOptions {
  std::string script;  // a file, or `-`
  Path directory;      // base of the paths in the script
  std::string device, library_root;
  bool allow_outside = false;
  std::string_view why_no_cpu_libraries;  // empty: they are loaded
  bool accepts_unwritten = false;         // outputs that are not written are warnings
  recipe::SessionOptions sessions;        // applies to all jobs
  recipe::ProfileOptions profile;
  recipe::JobOptions jobs;
};

// Returns nothing if the script itself cannot be read. Problems of the jobs are in their results.
std::optional<std::vector<recipe::JobResult>> run_jobs_script(const JobsOptions& jobs, Diagnostics& diagnostics);

}  // namespace slipway::cli
