// Jobs as sessions: what the program does with a jobs script.
#pragma once

#include "recipe/jobs/jobs.hpp"
#include "recipe/session.hpp"

namespace slipway::recipe {

struct SessionJobOptions {
  Path directory;  // --dir: what the paths of the script are relative to
  bool allow_outside = false;
  // What all jobs have; recipe, profile and artifacts are the job's own.
  SessionRequest request;
  // Gives the options of a job's runner: its libraries are looked for in the job's directory too.
  std::function<OpenOptions(const Path& artifacts)> open;
};

// Loads a job with everything that it names and opens its back ends; the job then runs its executions. Its `iterations`
// and `mode` win over those of the request, and no execution prints.
PrepareJob session_jobs(SessionJobOptions options);

}  // namespace slipway::recipe
