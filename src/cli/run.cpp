// slipway run: runs scenarios and says whether what came out is right.
#include <algorithm>
#include <array>

#include "base/format.hpp"
#include "base/print_diagnostic.hpp"
#include "cli/run_files.hpp"
#include "cli/scenario_verbs.hpp"

namespace slipway::cli {
namespace {

void print_outcome(const launch::FileReport& file, const RunSettings& settings) {
  print_error(
      format_diagnostics(file.diagnostics, {.colour = use_colour(stderr), .max_errors = settings.style.max_errors}));
  if (has_timed_out(file.diagnostics)) return;
  if (file.report) print(launch::print_expectations(file.report->expectations));
  const int status = file.status();
  constexpr std::array<std::string_view, 6> kOutcomes = {"ok",        "FAILED",  "wrong usage",
                                                         "bad input", "skipped", "failed"};
  std::string line = formatted("{}: {}", file.file, kOutcomes.at(static_cast<std::size_t>(status)));
  if (file.report) line += formatted(", on {}", file.report->device);
  (status == 0 || status == 1 ? print : print_error)(line + "\n");
}

// Files that are about the whole call, and so have every scenario in them.
void write_reports(const RunSettings& settings, const std::vector<launch::FileReport>& files,
                   Diagnostics& diagnostics) {
  const auto write = [&](const std::string& path, const std::string& text) {
    if (path.empty()) return;
    if (Result<> written = write_file(path, text); !written) diagnostics.add(std::move(written.error()));
  };
  write(settings.report_path, launch::write_report(files));
  write(settings.junit_path, launch::write_junit(files));
}

}  // namespace

int run_scenario(const Arguments& arguments) {
  RunSettings settings;
  CommandLine line("slipway run", "Runs scenarios and says whether what came out is right.",
                   "slipway run examples/hello/scenario.json");
  add_run_options(line, settings, false);
  if (const std::optional<int> status = line.parse(normalized(arguments))) return *status;
  Diagnostics diagnostics;
  check_settings(settings, diagnostics);
  if (diagnostics.has_errors()) return report(diagnostics, settings.style);

  const Log log = settings.log_level ? stamped_log(*settings.log_level) : Log();
  std::vector<launch::FileReport> files;
  Runner runner(settings, log, settings.no_cache ? Cache() : Cache::of_user());
  for (const std::string& file : settings.files) {
    files.push_back(runner.run(file));
    if (!settings.style.json && !(settings.explain && files.back().diagnostics.empty()))
      print_outcome(files.back(), settings);
    if (has_timed_out(files.back().diagnostics)) break;  // docs/spec/scenario.md#lifecycle
  }
  write_reports(settings, files, diagnostics);
  const int status = worst_status(overall_status(files), exit_status(diagnostics.all()));
  if (settings.style.json) {
    diagnostics.add(all_diagnostics(files));
    if (settings.report_path != "-" && !settings.explain) print(launch::write_report(files));
  }
  report(diagnostics, settings.style);
  if (has_timed_out(all_diagnostics(files))) end_process(status);
  if (settings.pause_on_exit) wait_for_enter();
  return status;
}

}  // namespace slipway::cli
