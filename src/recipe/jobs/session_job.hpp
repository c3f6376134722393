// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the jobs of a script as sessions.
#pragma once

#include "recipe/jobs/jobs.hpp"
#include "recipe/session.hpp"

namespace slipway::recipe {

struct SessionJobOptions {
  Path directory;  // --dir: what the paths of the script are relative to
  bool allow_outside = false;
  bool confine = false;            // recipes, profiles and directories of jobs must be in `directory` or below
  bool accepts_unwritten = false;  // outputs that are not written are warnings
  // Common options of all jobs; each job sets recipe, profile and artifacts.
  SessionOptions session;
  // Returns the options of a job's runner, which searches libraries in the artifacts' directory too.
  std::function<OpenOptions(const Path& artifacts)> open;
};

// Loads a job with all its files and opens its back ends; the job then runs its executions, which do not print. Its
// `iterations` and `mode` override those of `session`.
PrepareJob session_jobs(SessionJobOptions options);

}  // namespace slipway::recipe
