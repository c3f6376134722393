// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The drop-in name `scenario-runner`, with the command line, exit status and log lines of the tool of that name
// (docs/spec/scenario.md#compatibility).
#include "cli/program.hpp"
#include "cli/scenario/runner.hpp"
#include "cli/version.hpp"

#include "base/format.hpp"
#include "base/print_diagnostic.hpp"

namespace slipway::cli {
namespace {

constexpr int kFailed = 255;

// A diagnostic with its location, as one log line. Scripts match on the beginning of the text.
std::string one_line(const Diagnostic& diagnostic) {
  const std::string location = format_location(diagnostic.location);
  return location.empty() ? diagnostic.message : formatted("{} ({})", diagnostic.message, location);
}

void log_all(const Log& log, const std::vector<Diagnostic>& diagnostics) {
  for (const Diagnostic& diagnostic : diagnostics) {
    switch (diagnostic.severity) {
      case Severity::Error:
        log.error(one_line(diagnostic));
        break;
      case Severity::Warning:
        log.warning(one_line(diagnostic));
        break;
      case Severity::Note:
        log.info(one_line(diagnostic));
        break;
    }
  }
}

}  // namespace

int scenario_runner(const Arguments& arguments) {
  ScenarioRunOptions options;
  CommandLine line("scenario-runner", "Runs a scenario.", "scenario-runner --scenario scene.json --output results");
  line.set_version(version_json());
  add_run_options(line, options, true);
  if (const std::optional<int> status = line.parse(arguments)) return *status == 0 ? 0 : kFailed;

  options.shader_prints = false;  // as the original tool
  options.unwritten = Severity::Warning;

  const Log log = stamped_log(options.log_level.value_or(LogLevel::Info));
  Diagnostics diagnostics;
  check_options(options, diagnostics);
  if (diagnostics.has_errors()) {
    log_all(log, diagnostics.all());
    return kFailed;
  }
  if (options.dry_run && options.repeat > 1) log.warning("Count overruled by dry-run");
  if (options.dry_run && options.capture_frame) log.warning("Frame capture overruled by dry-run");
  // As the original tool, without a cache except the pipeline cache that the options name.
  ScenarioRunner runner(options, log, Cache());
  ScenarioJob job(runner, options.files.front());
  run_one(job, options);
  log_all(log, job.all_diagnostics());
  if (has_timed_out(job.all_diagnostics())) end_process(kFailed);
  if (options.pause_on_exit) wait_for_enter();
  return exit_status(job.all_diagnostics()) == 0 ? 0 : kFailed;
}

}  // namespace slipway::cli
