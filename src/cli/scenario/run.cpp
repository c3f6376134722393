// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway run` on scenarios: runs them and checks the results.
#include "cli/scenario/runner.hpp"
#include "cli/scenario/verbs.hpp"

namespace slipway::cli {

namespace {

// Returns an exit status if the verb has to end.
std::optional<int> parse_options(const Arguments& arguments, ScenarioRunOptions& options) {
  CommandLine line("slipway run", "Runs scenarios and checks their results.",
                   "slipway run examples/hello/scenario.json");
  add_run_options(line, options, false);
  if (const std::optional<int> status = line.parse(arguments)) return status;
  move_extensions(options);
  Diagnostics diagnostics;
  check_options(options, diagnostics);
  if (diagnostics.has_errors()) return report(diagnostics, options.style);
  return std::nullopt;
}

Log log_of(const ScenarioRunOptions& options) {
  return options.log_level ? stamped_log(*options.log_level) : verbose_log();
}

// The scenarios of one process share a device. Only paths differ between their options.
class ScenarioSource : public JobSource {
 public:
  MadeJob make(const Arguments& arguments) override {
    ScenarioRunOptions options;
    if (parse_options(arguments, options)) return {};
    *options_ = std::move(options);
    if (!runner_) runner_.emplace(*options_, log_of(*options_), cache_of(options_->no_cache));
    return {options_, std::make_unique<ScenarioJob>(*runner_, options_->files.front())};
  }

 private:
  std::shared_ptr<ScenarioRunOptions> options_ = std::make_shared<ScenarioRunOptions>();
  std::optional<ScenarioRunner> runner_;
};

}  // namespace

std::unique_ptr<JobSource> scenario_jobs() { return std::make_unique<ScenarioSource>(); }

int run_scenario(const Arguments& arguments) {
  ScenarioRunOptions options;
  if (const std::optional<int> status = parse_options(arguments, options)) return *status;

  ScenarioRunner runner(options, log_of(options), cache_of(options.no_cache));
  std::vector<std::unique_ptr<Job>> jobs;
  for (const std::string& file : options.files) jobs.push_back(std::make_unique<ScenarioJob>(runner, file));
  const int status = run_all(jobs, options);
  if (options.pause_on_exit) wait_for_enter();
  return status;
}

}  // namespace slipway::cli
