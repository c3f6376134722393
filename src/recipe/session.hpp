// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From JSON texts to a runner and to a report: what the program and the public class share.
//
//   Session session = Session::load(options, diagnostics);     // reads, checks, plans
//   session.open(open_options, diagnostics);                   // makes the runner, binds the buffers of the profile
//   session.prepare(diagnostics);                              // after other binds: creates the remaining buffers
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

namespace slipway {
struct ProcessUsage;  // base/system/process_usage.hpp
}

namespace slipway::recipe {

struct SessionDetails;  // of report_records.hpp
struct SessionReport;

// What the command line and jobs change in a profile (docs/spec/recipe.md#slipway-run,
// docs/spec/recipe.md#xrt-runner).
struct ProfileChanges {
  std::optional<std::uint64_t> iterations;  // of all executions
  std::optional<Mode> mode;                 // executions of other modes are dropped
  bool no_map = false, no_poll = false;
  bool silent = false;  // executions do not print
};

struct SessionOptions {
  SourcePtr recipe;
  SourcePtr profile;  // null: none
  SourcePtr kernels;  // of --kernels; null: none
  Artifacts artifacts;
  ReadOptions read;
  PlanOptions plan;  // `load` sets its profile
  ProfileChanges changes;
};

struct OpenOptions {
  RunnerOptions runner;
  ProfileOptions profile;
};

// Movable; pointers and references to its parts stay valid.
class Session {
 public:
  // Reads, checks and plans everything. Reports all problems in `diagnostics`; `plan()` is null if there are errors.
  static Session load(const SessionOptions& options, Diagnostics& diagnostics);

  const Recipe* recipe() const { return recipe_ ? &*recipe_ : nullptr; }
  const Plan* plan() const { return plan_ ? &*plan_ : nullptr; }
  const Profile* profile() const { return profile_ ? profile_.get() : nullptr; }
  // Whether a profile was given, or made from `iterations` or `mode`.
  bool has_profile() const { return has_profile_; }

  // Makes the runner and binds the buffers of the profile. Returns false after errors.
  bool open(OpenOptions options, Diagnostics& diagnostics);
  // After the binds of the caller: creates the buffers that nothing is bound to, and warns about arguments that stay
  // unset. Returns false after errors. Without this call, an execution fails if a buffer is missing.
  bool prepare(Diagnostics& diagnostics);
  bool opened() const { return engine_ != nullptr; }
  Runner& runner() { return *runner_; }  // after `open`
  ProfileEngine& engine() { return *engine_; }

  // Runs the executions of the profile; without a profile, one execution.
  std::optional<RunFailure> run() { return engine_->run(); }

  // The report as JSON, with the first diagnostic of `failure` if that is not null. `indent` 0: on one line.
  std::string report(const Failure* failure, const ProcessUsage* system, int indent) const;
  SessionReport report_value(const Failure* failure, const ProcessUsage* system) const;
  SessionDetails details() const;

 private:
  Artifacts artifacts_;
  std::unique_ptr<Profile> profile_;  // the engine refers to it
  bool has_profile_ = false;
  std::optional<Recipe> recipe_;
  std::optional<Plan> plan_;
  std::unique_ptr<Runner> runner_;
  std::unique_ptr<ProfileEngine> engine_;
};

std::string report_schema();  // of `Session::report` and of the reports of jobs in that shape

}  // namespace slipway::recipe
