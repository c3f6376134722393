// `slipway run` on scenarios: runs them and checks the results.
#include <algorithm>
#include <array>

#include "base/format.hpp"
#include "base/print_diagnostic.hpp"
#include "cli/scenario/runner.hpp"
#include "cli/scenario/verbs.hpp"

namespace slipway::cli {
namespace {

void print_outcome(const launch::FileReport& file, const ScenarioOptions& options) {
  print_error(
      format_diagnostics(file.diagnostics, {.colour = use_colour(stderr), .max_errors = options.style.max_errors}));
  if (file.report) print(launch::print_expectations(file.report->expectations));
  const int status = file.status();
  constexpr std::array<std::string_view, 6> kOutcomes = {"ok",        "FAILED",  "usage error",
                                                         "bad input", "skipped", "failed"};
  std::string line = formatted("{}: {}", file.file, kOutcomes.at(static_cast<std::size_t>(status)));
  if (file.report) line += formatted(", on {}", file.report->device);
  (status == 0 || status == 1 ? print : print_error)(line + "\n");
}

// These reports cover all scenarios of the call.
void write_reports(const ScenarioOptions& options, const std::vector<launch::FileReport>& files,
                   Diagnostics& diagnostics) {
  const auto write = [&](const std::string& path, const std::string& text) {
    if (path.empty()) return;
    if (Result<> written = write_file(path, text); !written) diagnostics.add(std::move(written.error()));
  };
  write(options.report_path, launch::write_report(files));
  write(options.junit_path, launch::write_junit(files));
}

}  // namespace

int run_scenario(const Arguments& arguments) {
  ScenarioOptions options;
  CommandLine line("slipway run", "Runs scenarios and checks their results.",
                   "slipway run examples/hello/scenario.json");
  add_run_options(line, options, false);
  if (const std::optional<int> status = line.parse(arguments)) return *status;
  move_extensions(options);
  Diagnostics diagnostics;
  check_options(options, diagnostics);
  if (diagnostics.has_errors()) return report(diagnostics, options.style);

  const Log log = options.log_level ? stamped_log(*options.log_level) : Log();
  std::vector<launch::FileReport> files;
  ScenarioRunner runner(options, log, options.no_cache ? Cache() : Cache::of_user());
  for (const std::string& file : options.files) {
    files.push_back(runner.run(file));
    if (!options.style.json && !(options.explain && files.back().diagnostics.empty()))
      print_outcome(files.back(), options);
  }
  write_reports(options, files, diagnostics);
  const int status = worst_status(overall_status(files), exit_status(diagnostics.all()));
  if (options.style.json) {
    diagnostics.add(all_diagnostics(files));
    if (options.report_path != "-" && !options.explain) print(launch::write_report(files));
  }
  report(diagnostics, options.style);
  if (options.pause_on_exit) wait_for_enter();
  return status;
}

}  // namespace slipway::cli
