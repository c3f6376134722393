// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway run` and `slipway check` on captures of NPU applications (docs/spec/recipe.md#replay-files).
//
// A capture holds kernels for one NPU design and their data. It runs on the back end XRT.

#include "recipe/replay/replay.hpp"
#include "base/format.hpp"
#include "cli/option_groups.hpp"
#include "cli/recipe/files.hpp"
#include "cli/recipe/verbs.hpp"
#include "recipe/open_backend.hpp"
#include "recipe/replay/run.hpp"

namespace slipway::cli {
namespace {

struct ReplayOptions {
  ReportStyle style;
  std::vector<std::string> files;
  std::string directory, device, report;
  std::optional<std::uint64_t> iterations;
  bool no_files = false, allow_outside = false;
};

void add_options(CommandLine& line, ReplayOptions& options) {
  line.add_report_options(options.style);
  line.add_option("files", options.files, "captures; `-` is standard input").required();
  add_artifact_options(line, options.directory, options.allow_outside);
}

std::optional<recipe::Replay> read_and_check(const std::string& file, const recipe::Artifacts* artifacts,
                                             Severity leniency, Diagnostics& diagnostics) {
  const SourcePtr source = read_input(file, diagnostics);
  if (!source) return std::nullopt;
  const recipe::ReadOptions options{.leniency = leniency};
  auto document = recipe::read_document(source, options, diagnostics);
  auto replay = document ? recipe::read_replay(std::move(document), options, diagnostics) : std::nullopt;
  if (replay) recipe::check_replay(*replay, artifacts, diagnostics);
  return replay;
}

recipe::Artifacts artifacts_of(const ReplayOptions& options, const std::string& file) {
  return recipe::Artifacts::in_directory(artifact_directory(options.directory, file), options.allow_outside);
}

// Reads, checks and runs a capture. The report is written if it is not empty.
std::optional<recipe::ReplayResult> execute(const std::string& file, const recipe::Artifacts& artifacts,
                                            const std::string& device, std::optional<std::uint64_t> iterations,
                                            const std::string& report, Diagnostics& diagnostics) {
  Diagnostics of_file;
  const auto replay = read_and_check(file, &artifacts, Severity::Warning, of_file);
  const bool ok = replay && !of_file.has_errors();
  diagnostics.add(of_file.release());
  if (!ok) return std::nullopt;
  const SourceLocation location = SourceLocation::in_file(file == "-" ? "<stdin>" : file);
  recipe::Backends backends(device, Cache::of_user());
  Result<recipe::BackendPtr> backend = backends.open(recipe::BackendKind::Xrt);
  if (!backend) {
    for (Diagnostic& problem : backend.error()) problem.location = location;
    diagnostics.add(std::move(backend.error()));
    return std::nullopt;
  }
  auto result = diagnostics.take(recipe::run_replay(*replay, artifacts, **backend, {.iterations = iterations}));
  if (!result) return std::nullopt;
  if (!report.empty()) {
    if (Result<> written = write_file(report, recipe::replay_report(*result)); !written)
      diagnostics.add(std::move(written.error()));
  }
  return *result;
}

}  // namespace

bool is_replay(const Content& content) { return content.has("resources") && content.has("execution/frames"); }

void replay_capture(const std::string& file, const Path& directory, std::optional<std::uint64_t> iterations,
                    const std::string& report, Diagnostics& diagnostics) {
  execute(file, recipe::Artifacts::in_directory(directory), "", iterations, report, diagnostics);
}

int run_replay(const Arguments& arguments) {
  ReplayOptions options;
  CommandLine line("slipway run", "Runs captures of NPU applications on an NPU.",
                   "slipway run capture.json --dir data --iterations 10");
  add_options(line, options);
  line.add_option("--device", options.device, "an NPU: index or part of its name (else SLIPWAY_XRT_DEVICE)");
  line.add_option("--iterations", options.iterations,
                  "how often to run the frames, instead of the count of the capture");
  line.add_option("--report", options.report, "write times and counts to this file, as JSON; with one capture");
  if (const std::optional<int> status = line.parse(arguments)) return *status;
  Diagnostics diagnostics;
  if (!options.report.empty() && options.files.size() != 1) {
    diagnostics.error(DiagnosticKind::Usage, {}, "--report takes one capture");
    return report(diagnostics, options.style);
  }
  std::string lines;
  for (const std::string& file : options.files) {
    const auto result =
        execute(file, artifacts_of(options, file), options.device, options.iterations, options.report, diagnostics);
    if (!result) continue;
    lines += formatted("{}: ok, {} frames, {} iterations, {} us\n", file, result->frames, result->iterations,
                       static_cast<std::uint64_t>(result->elapsed_us));
  }
  const int status = report(diagnostics, options.style);
  if (!options.style.json) print_status(lines);
  return status;
}

int check_replay_file(const Arguments& arguments) {
  ReplayOptions options;
  CommandLine line("slipway check", "Finds every error in captures of NPU applications.",
                   "slipway check capture.json --dir data");
  add_options(line, options);
  line.add_flag("--no-files", options.no_files, "do not open the files that they name");
  if (const std::optional<int> status = line.parse(arguments)) return *status;
  Diagnostics diagnostics;
  for (const std::string& file : options.files) {
    const auto artifacts = artifacts_of(options, file);
    read_and_check(file, options.no_files ? nullptr : &artifacts, Severity::Error, diagnostics);
  }
  return report_recipe_check(diagnostics, options.style, options.files);
}

}  // namespace slipway::cli
