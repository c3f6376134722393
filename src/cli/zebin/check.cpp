// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway check` on Intel GPU kernels: the format, the rules that all real kernels follow, and the verdict of a
// runtime.
#include <algorithm>

#include "base/format.hpp"
#include "cli/manual/schemas.hpp"
#include "cli/sarif_file.hpp"
#include "cli/version.hpp"
#include "cli/zebin/verbs.hpp"
#include "json/diagnostics.hpp"
#include "json/sarif.hpp"
#include "zeinfo/zebin/runtime.hpp"
#include "zeinfo/zebin/unpack.hpp"

namespace slipway::cli {
namespace {

struct ZebinCheckOptions {
  ReportStyle style;
  std::vector<std::string> files;
  zebin::InputOptions open;
  std::string level = "consistency", form = "text";
};

// The verdict of a release on one input, for `runtime` levels.
struct RuntimeLine {
  std::string file;
  zeinfo::RuntimeVerdict verdict;
};

struct Outcome {
  std::string file;
  std::vector<Diagnostic> diagnostics;
};

std::string verdict_line(const Outcome& outcome) {
  const auto count = [&](Severity severity) {
    return std::ranges::count(outcome.diagnostics, severity, &Diagnostic::severity);
  };
  const auto errors = count(Severity::Error), warnings = count(Severity::Warning);
  const auto counted = [](std::ptrdiff_t n, std::string_view what) {
    return formatted("{} {}{}", n, what, n == 1 ? "" : "s");
  };
  if (errors == 0 && warnings == 0) return formatted("{}: ok\n", outcome.file);
  if (errors == 0) return formatted("{}: ok, {}\n", outcome.file, counted(warnings, "warning"));
  return formatted("{}: {}, {}\n", outcome.file, counted(errors, "error"), counted(warnings, "warning"));
}

// Replaces a directory by the files in it and below it, unless it is an unpacked zebin.
std::vector<std::string> files_of(const std::vector<std::string>& given) {
  std::vector<std::string> files;
  for (const std::string& name : given) {
    if (name == "-" || !directory_exists(name) || file_exists(Path(name) / zebin::kManifestName)) {
      files.push_back(name);
      continue;
    }
    for (const Path& file : kernel_files_below(name)) files.push_back(file.string());
  }
  return files;
}

void add_runtime_lines(const zebin::Input& input, const zeinfo::LevelChoice& level, const zeinfo::Device* device,
                       std::vector<RuntimeLine>& lines) {
  if (level.level != zeinfo::Level::Runtime) return;
  if (!level.all_releases) {
    lines.push_back({input.name, runtime_verdict(input, level.release, device)});
    return;
  }
  for (const zeinfo::RuntimeStep& step : zeinfo::runtime_steps())
    lines.push_back({input.name, runtime_verdict(input, step.from, device)});
}

void print_runtime_lines(const std::vector<RuntimeLine>& lines) {
  std::string_view file;
  for (const RuntimeLine& line : lines) {
    if (line.file != file) print(formatted("{}:\n", line.file));
    file = line.file;
    const auto& v = line.verdict;
    const std::string decoder = v.decoder_minor < 0 ? "before 1.0" : formatted("1.{}", v.decoder_minor);
    const std::string reason = zebin::reason_of(v);
    print(formatted("  runtime {} (decoder {}): {}{}{}\n", text_of(v.release), decoder, name_of(v.verdict),
                    reason.empty() ? "" : ": ", reason));
  }
}

const json::Record<RuntimeLine>& verdict_record() {
  using L = RuntimeLine;
  static const auto record =
      json::Record<L>("verdict", "whether a release of the runtime accepts a file")
          .required("file", &L::file, json::Text{}, "its path")
          .required(
              "release", [](const L& from) { return text_of(from.verdict.release); }, json::Text{},
              "the known release that was used")
          .required(
              "verdict", [](const L& from) { return name_of(from.verdict.verdict); }, json::Text{},
              "accepts, refuses, ...")
          .required(
              "runtime_code", [](const L& from) { return from.verdict.code; }, json::Integer{.min = INT32_MIN},
              "0: valid; otherwise that of the first finding that refuses")
          .optional(
              "reason",
              [](const L& from) {
                std::string reason = zebin::reason_of(from.verdict);
                return reason.empty() ? std::nullopt : std::optional(std::move(reason));
              },
              json::Text{}, "why it does not accept the file");
  return record;
}

struct RuntimeCheck {
  json::DiagnosticList diagnostics;
  std::vector<RuntimeLine> runtime;
};

const json::Record<RuntimeCheck>& runtime_check_record() {
  using C = RuntimeCheck;
  static const auto record =
      json::Record<C>("runtime_check", "`check` of Intel GPU kernels: diagnostics, and verdicts with --level runtime")
          .part(&C::diagnostics, json::diagnostics_record())
          .optional("runtime", &C::runtime, json::List{json::Nested(verdict_record())}, "of each file and release")
          .written_if([](const C& from) { return !from.runtime.empty(); });
  return record;
}

// The results of all files.
struct Results {
  std::vector<Outcome> outcomes;
  std::vector<RuntimeLine> runtime;
  std::size_t hidden = 0;  // problems beyond --max-errors
};

void check_file(const std::string& file, const ZebinCheckOptions& options, const zeinfo::LevelChoice& level,
                const zeinfo::Device* device, Results& results) {
  Diagnostics diagnostics;
  std::vector<zebin::Input> inputs = open_inputs(file, options.open, diagnostics);
  for (zebin::Input& input : inputs) {
    // With `runtime=all` the verdict of each release is a runtime line, so the diagnostics are those of the rules only.
    zeinfo::LevelChoice rules = level;
    if (level.all_releases) rules.level = zeinfo::Level::Consistency;
    check_input(input, rules, device);
    add_runtime_lines(input, level, device, results.runtime);
  }
  if (inputs.empty() && level.level == zeinfo::Level::Runtime) {
    results.runtime.push_back({file, zebin::refused(level.release)});
  }
  results.hidden += dropped(inputs);
  if (options.style.strict) diagnostics.make_strict();
  diagnostics.sort();
  results.outcomes.push_back({file, diagnostics.release()});
}

// Returns the exit status.
int print_results(const Results& results, const ZebinCheckOptions& options) {
  Diagnostics all;
  for (const Outcome& outcome : results.outcomes) all.add(outcome.diagnostics);
  all.sort();
  if (options.form == "sarif" || options.style.json) note_for_sarif(all.all());
  if (options.form == "sarif") {
    print(json::sarif_text(all.all(), version_text().substr(version_text().find(' ') + 1)));
    return exit_status(all.all());
  }
  if (options.style.json) {
    print(json::object_text(runtime_check_record(), {{all.all()}, results.runtime}));
    return exit_status(all.all());
  }
  const int status = report(all, options.style);
  if (results.hidden > 0) print_error(formatted("{} more problems are not shown\n", results.hidden));
  print_runtime_lines(results.runtime);
  for (const Outcome& outcome : results.outcomes) {
    const bool passed = exit_status(outcome.diagnostics) == 0;
    if (results.outcomes.size() > 1 || passed) (passed ? print_status : print)(verdict_line(outcome));
  }
  return status;
}

}  // namespace

const json::RecordTable& runtime_check_table() { return runtime_check_record().table(); }

int check_zebin(const Arguments& arguments) {
  ZebinCheckOptions options;
  CommandLine line("slipway check",
                   "Finds every error in Intel GPU kernels: zebin files, archives of them, ZE Info text and JSON.",
                   "slipway check --level runtime=24.45 kernel.bin");
  line.add_report_options(options.style);
  line.add_option(
      "files", options.files,
      "zebin files, archives, unpacked directories, ZE Info texts, or directories of those; `-` is standard input");
  line.add_option(
      "--level", options.level,
      "spec: the format only; consistency: also the rules that all real kernels follow; runtime=YY.WW: whether that "
      "release of the Intel compute runtime loads the file; runtime: the latest release; runtime=all: every release "
      "(consistency)");
  add_open_options(line, options.open);
  line.add_option("--format", options.form, "text, json or sarif (text)").choices({"text", "json", "sarif"});
  if (const std::optional<int> status = line.parse(arguments)) return *status;
  if (options.form == "json") options.style.json = true;
  options.open.limit = options.style.max_errors;

  Diagnostics diagnostics;
  const std::optional<zeinfo::LevelChoice> level = zeinfo::parse_level(options.level);
  if (!level) {
    diagnostics.error(
        DiagnosticKind::Usage, {},
        formatted("unknown level `{}`; accepted are spec, consistency, runtime, runtime=YY.WW, runtime=all",
                  options.level));
  }
  const std::vector<std::string> files = files_of(options.files);
  if (files.empty()) diagnostics.error(DiagnosticKind::Usage, {}, "no file is given");
  const zeinfo::Device* const device = check_product(options.open.product, diagnostics);
  if (diagnostics.has_errors()) return report(diagnostics, options.style, stdout);

  Results results;
  for (const std::string& file : files) check_file(file, options, *level, device, results);
  return print_results(results, options);
}

}  // namespace slipway::cli
