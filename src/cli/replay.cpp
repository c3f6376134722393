// slipway run and slipway check for captures of NPU applications, and the drop-in name `xrt-replay` (recipe page 3.8).
//
// A capture holds kernels for one NPU design and the data that they had. It is read and checked as a whole; running it
// needs the NPU and takes the xrt back end further than recipes do, which this program cannot yet.

#include "recipe/replay/replay.hpp"
#include "base/format.hpp"
#include "cli/recipe_files.hpp"
#include "cli/recipe_verbs.hpp"

namespace slipway::cli {
namespace {

struct ReplaySettings {
  ReportStyle style;
  std::vector<std::string> files;
  std::string directory;
  bool no_files = false, allow_outside = false;
};

void add_options(CommandLine& line, ReplaySettings& settings) {
  line.add_report_options(settings.style);
  line.add_option("files", settings.files, "captures; `-` is standard input").required();
  line.add_option("--dir", settings.directory, "directory of the files that they name (the capture's own directory)");
  line.add_flag("--allow-outside", settings.allow_outside, "files may lie outside that directory");
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

recipe::Artifacts artifacts_of(const ReplaySettings& settings, const std::string& file) {
  return recipe::Artifacts::in_directory(artifact_directory(settings.directory, file), settings.allow_outside);
}

void cannot_run(const recipe::Replay& replay, const std::string& file, Diagnostics& diagnostics) {
  std::size_t runs = 0;
  for (const recipe::Frame& frame : replay.frames) runs += frame.runs.size();
  diagnostics
      .add({.kind = DiagnosticKind::Unsupported,
            .message = formatted("the capture is good ({} frames, {} runs, {} threads), but this program cannot run "
                                 "captures; they need the NPU that they were made on",
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
  ReplaySettings settings;
  CommandLine line("slipway run", "Checks captures of NPU applications; running them is not possible yet.",
                   "slipway run capture.json --dir data");
  add_options(line, settings);
  if (const std::optional<int> status = line.parse(arguments)) return *status;
  Diagnostics diagnostics;
  for (const std::string& file : settings.files) {
    const auto artifacts = artifacts_of(settings, file);
    Diagnostics of_file;
    const auto replay = read_and_check(file, &artifacts, Severity::Warning, of_file);
    if (replay && !of_file.has_errors()) cannot_run(*replay, file, of_file);
    diagnostics.add(of_file.release());
  }
  return report(diagnostics, settings.style);
}

int check_replay_file(const Arguments& arguments) {
  ReplaySettings settings;
  CommandLine line("slipway check", "Finds every mistake in captures of NPU applications.",
                   "slipway check capture.json --dir data");
  add_options(line, settings);
  line.add_flag("--no-files", settings.no_files, "do not open the files that they name");
  if (const std::optional<int> status = line.parse(arguments)) return *status;
  Diagnostics diagnostics;
  for (const std::string& file : settings.files) {
    const auto artifacts = artifacts_of(settings, file);
    read_and_check(file, settings.no_files ? nullptr : &artifacts, Severity::Error, diagnostics);
  }
  const int status = report(diagnostics, settings.style, stdout);
  if (settings.style.json || status != 0) return status == 0 ? 0 : 3;  // any error of a check is bad input
  for (const std::string& file : settings.files) print(formatted("{}: ok\n", file));
  return 0;
}

}  // namespace slipway::cli
