// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a recipe with a profile: bindings, executions, validation (docs/spec/recipe.md#profile).
//
//   ProfileEngine engine(profile, *runner, artifacts, {.print = ...});
//   Result<> ready = engine.bind();       // makes data, binds buffers
//   std::optional<RunFailure> failure = engine.run();
//   engine.executions(), engine.validation()
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launch/report/samples.hpp"
#include "recipe/artifacts.hpp"
#include "recipe/profile/data.hpp"
#include "recipe/run/runner.hpp"

namespace slipway::recipe {

struct ProfileOptions {
  std::uint64_t seed = 0;                            // of random data without a seed
  std::optional<std::uint32_t> runlist_threshold;    // instead of the profile's
  std::optional<std::chrono::nanoseconds> time_out;  // of one list
  std::function<void(std::string_view)> print;       // metric lines and mismatches; empty: no output
};

// The result of one execution, for reports. `elapsed_ns` is for the whole loop, sleeps included.
struct ExecutionOutcome {
  std::string name;
  Mode mode = Mode::Default;
  std::uint64_t iterations = 0;
  std::uint32_t depth = 1;
  bool poll = false;
  double elapsed_ns = 0;
  std::optional<std::uint64_t> latency_us, throughput;  // not of an execution that failed
  launch::SampleSummary samples;                        // us
  std::vector<double> times;                            // us, those that the summary is of
};

class ProfileEngine {
 public:
  // Profile and runner must outlive the engine. The caller has checked the profile.
  ProfileEngine(const Profile& profile, Runner& runner, Artifacts artifacts, ProfileOptions options);
  ~ProfileEngine();

  // Creates, initialises, syncs and binds the buffers of all bindings. Called once, before the first `run`.
  Result<> bind();
  // Runs all executions in order, up to the first failure. May be called again; the iterations of `reinit` then count
  // from 0 again.
  std::optional<RunFailure> run();

  const std::vector<ExecutionOutcome>& executions() const { return outcomes_; }
  const std::vector<ValidationResult>& validation() const { return validation_; }

 private:
  struct Data;

  std::optional<RunFailure> run_one(const Execution& execution, bool single);
  std::optional<RunFailure> iterate(const Execution& execution, launch::Samples& samples);
  std::optional<RunFailure> iterate_copies(const Execution& execution, std::uint32_t depth, launch::Samples& samples);
  std::optional<RunFailure> before_iteration(const Execution& execution, std::uint64_t iteration);
  std::optional<RunFailure> validate();
  Result<> initialize(Data& data, std::uint64_t iteration);
  Result<Bytes> golden_of(const Validate& validate) const;
  void print_metrics(const ExecutionOutcome& outcome);

  const Profile& profile_;
  Runner& runner_;
  Artifacts artifacts_;
  ProfileOptions options_;
  std::vector<std::unique_ptr<Data>> data_;
  std::map<std::string_view, Data*> by_name_;
  std::vector<ExecutionOutcome> outcomes_;
  std::vector<ValidationResult> validation_;
  int debug_files_ = 0;
};

}  // namespace slipway::recipe
