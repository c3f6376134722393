// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway run` and `slipway check` on captures of NPU applications (docs/spec/recipe.md#replay-files).
//
// A capture holds kernels for one NPU design and their data. It is read and checked completely. Running it is not
// implemented: it needs the NPU and parts of XRT that the XRT back end of recipes does not use.

#include "recipe/replay/replay.hpp"
#include "base/format.hpp"
#include "cli/option_groups.hpp"
#include "cli/recipe/files.hpp"
#include "cli/recipe/verbs.hpp"

namespace slipway::cli {
namespace {

struct ReplayOptions {
  ReportStyle style;
  std::vector<std::string> files;
  std::string directory;
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

void cannot_run(const recipe::Replay& replay, const std::string& file, Diagnostics& diagnostics) {
  std::size_t runs = 0;
  for (const recipe::Frame& frame : replay.frames) runs += frame.runs.size();
  diagnostics
      .add({.kind = DiagnosticKind::Unsupported,
            .message = formatted("the capture is valid ({} frames, {} runs, {} threads), but this program cannot run "
                                 "captures; they need the NPU that they were recorded on",
                                 replay.frames.size(), runs, replay.threads.size()),
            .location = SourceLocation::in_file(file == "-" ? "<stdin>" : file)})
      .hint("a recipe that names the same xclbin and control code runs with `slipway run recipe.json --backend xrt`");
}

}  // namespace

bool is_replay(const Content& content) { return content.has("resources") && content.has("execution/frames"); }

void explain_replay(const std::string& file, const Path& directory, Diagnostics& diagnostics) {
  const auto artifacts = recipe::Artifacts::in_directory(directory);
  const auto replay = read_and_check(file, &artifacts, Severity::Warning, diagnostics);
  if (replay && !diagnostics.has_errors()) cannot_run(*replay, file, diagnostics);
}

int run_replay(const Arguments& arguments) {
  ReplayOptions options;
  CommandLine line("slipway run", "Checks captures of NPU applications; running them is not implemented.",
                   "slipway run capture.json --dir data");
  add_options(line, options);
  if (const std::optional<int> status = line.parse(arguments)) return *status;
  Diagnostics diagnostics;
  for (const std::string& file : options.files) {
    const auto artifacts = artifacts_of(options, file);
    Diagnostics of_file;
    const auto replay = read_and_check(file, &artifacts, Severity::Warning, of_file);
    if (replay && !of_file.has_errors()) cannot_run(*replay, file, of_file);
    diagnostics.add(of_file.release());
  }
  return report(diagnostics, options.style);
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
  const int status = report(diagnostics, options.style, stdout);
  if (options.style.json || status != 0) return status == 0 ? 0 : 3;  // any error of a check is bad input
  for (const std::string& file : options.files) print_status(formatted("{}: ok\n", file));
  return 0;
}

}  // namespace slipway::cli
