// From texts to a runner and back to a report: what the program and the public class have in common.
//
//   Session session = load_session(request, diagnostics);      // plan, or nothing but diagnostics
//   session.open(open, diagnostics);                           // runner, bindings
//   std::optional<RunFailure> failure = session.run();
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "recipe/artifacts.hpp"
#include "recipe/plan/load.hpp"
#include "recipe/profile/engine.hpp"
#include "recipe/read/read.hpp"
#include "recipe/run/runner.hpp"

namespace slipway::recipe {

// What command line and jobs change in a profile (recipe page 5.1, 5.2).
struct ProfileChanges {
  std::optional<std::uint64_t> iterations;  // of all executions
  std::optional<Mode> mode;                 // executions of other modes are dropped
  bool no_map = false, no_poll = false;
  bool silent = false;  // no execution prints
};

struct SessionRequest {
  SourcePtr recipe;
  SourcePtr profile;  // null: none
  SourcePtr kernels;  // of --kernels; null: none
  Artifacts artifacts;
  ReadOptions read;
  PlanOptions plan;  // its profile is set here
  ProfileChanges changes;
};

struct OpenOptions {
  RunnerOptions runner;
  ProfileOptions profile;
};

// Movable; what points into it stays where it is.
class Session {
 public:
  // Reads, checks and plans everything; all problems go into `diagnostics`. `plan()` is null when there are errors.
  static Session load(const SessionRequest& request, Diagnostics& diagnostics);

  const Recipe* recipe() const { return recipe_ ? &*recipe_ : nullptr; }
  const Plan* plan() const { return plan_ ? &*plan_ : nullptr; }
  const Profile* profile() const { return profile_ ? profile_.get() : nullptr; }
  // Whether a profile was given, or made by iterations or mode.
  bool has_profile() const { return has_profile_; }

  // Makes the runner and binds what the profile says. False with errors.
  bool open(OpenOptions options, Diagnostics& diagnostics);
  bool opened() const { return engine_ != nullptr; }
  Runner& runner() { return *runner_; }  // once opened
  ProfileEngine& engine() { return *engine_; }

  // The executions of the profile; without one a single execution.
  std::optional<RunFailure> run() { return engine_->run(); }

  // JSON; `failure` is what went wrong, if anything. `indent` 0: on one line.
  struct System {  // of the process, for the command line
    double real = 0, user = 0, kernel = 0, peak_memory_mb = 0;
  };
  std::string report(const Failure* failure, const System* system, int indent) const;

 private:
  Artifacts artifacts_;
  std::unique_ptr<Profile> profile_;  // the engine refers to it
  bool has_profile_ = false;
  std::optional<Recipe> recipe_;
  std::optional<Plan> plan_;
  std::unique_ptr<Runner> runner_;
  std::unique_ptr<ProfileEngine> engine_;
};

std::string report_schema();  // of what `report` writes, and of reports of jobs

// Of this process.
Session::System system_usage(std::chrono::steady_clock::time_point start);

}  // namespace slipway::recipe
