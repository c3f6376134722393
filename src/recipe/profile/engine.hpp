// Runs a recipe as a profile says: bindings, executions, validation (recipe page 3.5).
//
//   ProfileEngine engine(profile, *runner, artifacts, {.print = ...});
//   Result<> ready = engine.bind();       // data made, buffers bound
//   std::optional<RunFailure> failure = engine.run();
//   engine.executions(), engine.validation()
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "recipe/artifacts.hpp"
#include "recipe/profile/data.hpp"
#include "recipe/profile/samples.hpp"
#include "recipe/run/runner.hpp"

namespace slipway::recipe {

struct ProfileOptions {
  std::uint64_t seed = 0;                            // of random data that have no own
  std::optional<std::uint32_t> runlist_threshold;    // instead of the profile's
  std::optional<std::chrono::nanoseconds> time_out;  // of one list
  std::function<void(std::string_view)> print;       // metric lines and mismatches; none: silence
};

// Of one execution, for reports. Times in nanoseconds, of the whole loop with its sleeps.
struct ExecutionOutcome {
  std::string name;
  Mode mode = Mode::Default;
  std::uint64_t iterations = 0;
  std::uint32_t depth = 1;
  bool poll = false;
  double elapsed_ns = 0;
  std::optional<std::uint64_t> latency_us, throughput;
  SampleSummary samples;  // us
};

class ProfileEngine {
 public:
  // Profile and runner outlive the engine. The profile has been checked.
  ProfileEngine(const Profile& profile, Runner& runner, Artifacts artifacts, ProfileOptions options);
  ~ProfileEngine();

  // Makes, initialises, syncs and binds the buffers of all bindings. Once, before the first `run`.
  Result<> bind();
  // All executions, one after the other; the first failure ends them. May be called again: `reinit` goes on counting
  // from 0.
  std::optional<RunFailure> run();

  const std::vector<ExecutionOutcome>& executions() const { return outcomes_; }
  const std::vector<ValidationResult>& validation() const { return validation_; }

 private:
  struct Data;

  std::optional<RunFailure> run_one(const Execution& execution, bool single);
  std::optional<RunFailure> iterate(const Execution& execution, Samples& samples);
  std::optional<RunFailure> iterate_copies(const Execution& execution, std::uint32_t depth, Samples& samples);
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
  std::vector<ExecutionOutcome> outcomes_;
  std::vector<ValidationResult> validation_;
  int debug_files_ = 0;
};

}  // namespace slipway::recipe
