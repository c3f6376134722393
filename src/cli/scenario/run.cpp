// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway run` on scenarios: runs them and checks the results.
#include "cli/scenario/runner.hpp"
#include "cli/scenario/verbs.hpp"

namespace slipway::cli {

int run_scenario(const Arguments& arguments) {
  ScenarioRunOptions options;
  CommandLine line("slipway run", "Runs scenarios and checks their results.",
                   "slipway run examples/hello/scenario.json");
  add_run_options(line, options, false);
  if (const std::optional<int> status = line.parse(arguments)) return *status;
  move_extensions(options);
  Diagnostics diagnostics;
  check_options(options, diagnostics);
  if (diagnostics.has_errors()) return report(diagnostics, options.style);

  ScenarioRunner runner(options, options.log_level ? stamped_log(*options.log_level) : verbose_log(),
                        cache_of(options.no_cache));
  std::vector<std::unique_ptr<Job>> jobs;
  for (const std::string& file : options.files) jobs.push_back(std::make_unique<ScenarioJob>(runner, file));
  const auto results = [&] {
    std::vector<launch::FileReport> files;
    for (const std::unique_ptr<Job>& job : jobs) files.push_back(static_cast<const ScenarioJob&>(*job).result());
    return files;
  };
  const ReportFile junit[] = {{options.junit_path, [&] { return launch::write_junit(results()); }}};
  const int status = run_all(jobs, options, junit);
  if (options.pause_on_exit) wait_for_enter();
  return status;
}

}  // namespace slipway::cli
