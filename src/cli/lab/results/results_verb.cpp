// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway results`: what can be done with results files.
#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.hpp"
#include "base/system/files.hpp"
#include "base/system/protected_inputs.hpp"
#include "cli/lab/expectations.hpp"
#include "cli/lab/results/changes.hpp"
#include "cli/lab/results/page.hpp"
#include "cli/lab/results/result.hpp"
#include "cli/lab/results/summary.hpp"
#include "cli/program.hpp"
#include "generated_version.hpp"

namespace slipway::cli {
namespace {

struct ResultsOptions {
  ReportStyle style;
  std::string action, output, expect, fail_on, text, kind, device;
  std::vector<std::string> files, baseline, verdicts;
  bool for_device = false;
};

class ResultsVerb {
 public:
  explicit ResultsVerb(const ResultsOptions& options) : options_(options) {}

  int run() {
    check_usage();
    if (diagnostics_.has_errors()) return end();
    std::vector<std::string> files = options_.files;
    if (options_.action == "compare" && options_.baseline.empty()) {  // OLD NEW
      baseline_ = {files[0]};
      files.erase(files.begin());
    }
    for (const std::string& file : options_.baseline) protect_input(file);
    for (const std::string& file : files) {
      // The files are read before `merge` writes, so that its output may be one of them.
      if (options_.action != "merge") protect_input(file);
      auto read = read_results(file, diagnostics_);
      if (!read) return end();
      merge_results(results_, std::move(*read));
    }
    if (options_.action == "summary") print(print_summary(results_.cases, true));
    if (options_.action == "merge") write(merged());
    if (options_.action == "junit") write(write_lab_junit(results_));
    if (options_.action == "sarif") write(write_lab_sarif(results_, kVersion));
    if (options_.action == "find") find();
    if (options_.action == "html") write_page();
    if (options_.action == "compare") return compare();
    if (options_.action == "update") update();
    return end();
  }

 private:
  int end() { return report(diagnostics_, options_.style); }
  void usage(std::string message) { diagnostics_.error(DiagnosticKind::Usage, {}, std::move(message)); }

  void check_usage() {
    const std::string& action = options_.action;
    const auto only_for = [&](bool given, std::string_view option, std::initializer_list<std::string_view> actions) {
      if (given && !std::ranges::contains(actions, action))
        usage(formatted("`{}` does not apply to `slipway results {}`", option, action));
    };
    only_for(!options_.output.empty(), "--output", {"merge", "html", "junit", "sarif"});
    only_for(!options_.baseline.empty(), "--baseline", {"html", "compare"});
    only_for(!options_.expect.empty(), "--expect", {"update"});
    only_for(options_.for_device, "--for-device", {"update"});
    only_for(!options_.fail_on.empty(), "--fail-on", {"compare"});
    only_for(!options_.text.empty(), "--text", {"find"});
    only_for(!options_.kind.empty(), "--kind", {"find"});
    only_for(!options_.device.empty(), "--device", {"find"});
    only_for(!options_.verdicts.empty(), "--verdict", {"find"});
    if (!options_.fail_on.empty() && !(least_ = parse_fail_on(options_.fail_on)))
      usage(formatted("`--fail-on` takes `time` or `time+N%`, not `{}`", options_.fail_on));
    if (action == "find" && options_.text.empty() && options_.kind.empty() && options_.device.empty() &&
        options_.verdicts.empty())
      usage("`slipway results find` needs --verdict, --kind, --text or --device");
    if (action == "update" && options_.expect.empty()) usage("`slipway results update` needs --expect FILE");
    if (action == "compare" && options_.baseline.empty() && options_.files.size() != 2)
      usage("`slipway results compare` takes OLD and NEW, or several files and --baseline FILE");
    if (action == "html" && options_.output.empty()) usage("`slipway results html` needs --output FILE");
  }

  void write(const std::string& text) {
    const std::string& path = options_.output.empty() ? kStandardOutput : options_.output;
    if (Result<> written = write_file(path, text); !written) diagnostics_.add(std::move(written.error()));
  }

  std::string merged() const {
    std::string text;
    for (const RunInfo& run : results_.runs) text += run_line(run) + "\n";
    for (const CaseResult& result : results_.cases) text += case_line(result) + "\n";
    return text;
  }

  std::optional<LabResults> baseline() {
    LabResults all;
    for (const std::string& file : baseline_) {
      auto read = read_results(file, diagnostics_);
      if (!read) return std::nullopt;
      merge_results(all, std::move(*read));
    }
    return all;
  }

  // The cases to which all conditions apply, one name in a line, as a list that `slipway run @LIST` takes.
  void find() {
    for (const CaseResult& result : results_.cases) {
      if (is_wanted(result)) print(result.file + "\n");
    }
  }
  bool is_wanted(const CaseResult& result) const {
    const auto has = [](std::string_view all, std::string_view part) { return all.find(part) != all.npos; };
    if (!options_.verdicts.empty() && !std::ranges::contains(options_.verdicts, name_of(result.verdict))) return false;
    if (!options_.kind.empty() && !std::ranges::contains(diagnostic_kinds_of(result), options_.kind)) return false;
    if (!has(result.device.name, options_.device) && !has(result.device.driver, options_.device)) return false;
    return options_.text.empty() || has(result.file, options_.text) || has(result.text, options_.text);
  }

  void write_page() {
    std::optional<LabResults> before;
    if (!options_.baseline.empty() && !(before = baseline())) return;
    write(write_results_page(results_, before ? &*before : nullptr));
  }

  int compare() {
    const std::optional<LabResults> before = baseline();
    if (!before) return end();
    bool is_worse = false;
    ResultCompareOptions compare;
    if (least_) compare.least = *least_;
    for (const CaseChange& change : changes_of(results_, *before, compare)) {
      is_worse |= change.change == ResultChange::Worse || change.change == ResultChange::Missing ||
                  (least_ && change.change == ResultChange::Slower);
      print(formatted("{}: {}: {}{}{}{}\n", name_of(change.change), change.key, change.before,
                      change.before.empty() || change.now.empty() ? "" : " -> ", change.now, statistics(change)));
    }
    const Lacks lacks = lacks_samples(results_, *before);
    if (lacks.samples) {
      print_status(
          formatted("some cases have fewer than {} times on a side: of these, only differences of a half and of "
                    "20 ms are reported\n",
                    kMinSamples));
    }
    if (lacks.rounds) {
      print_status(
          formatted("some cases have fewer than {} rounds on a side: of these, only differences larger than those "
                    "between their rounds are reported\n",
                    kMinSamples));
    }
    const int status = end();
    return status == 0 && is_worse ? static_cast<int>(ExitClass::CheckFailed) : status;
  }

  static std::string statistics(const CaseChange& change) {
    if (!change.time) return {};
    const std::string percent = formatted(", {:+.3g} %", (change.time->factor - 1) * 100);
    return change.time->chance ? percent + formatted(", p {:.2g}", *change.time->chance) : percent;
  }

  // `time` or `time+N%`: N / 100.
  static std::optional<double> parse_fail_on(std::string_view text) {
    if (text == "time") return ResultCompareOptions().least;
    if (!text.starts_with("time+") || !text.ends_with('%')) return std::nullopt;
    text = text.substr(5, text.size() - 6);
    double percent = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), percent);
    if (error != std::errc() || end != text.data() + text.size() || !(percent >= 0 && percent < 1e6))
      return std::nullopt;
    return percent / 100;
  }

  void update() {
    if (!file_exists(options_.expect)) {
      if (Result<> written = write_file(options_.expect, std::string_view()); !written)
        return diagnostics_.add(std::move(written.error()));
    }
    const auto expectations = Expectations::read(options_.expect, diagnostics_);
    if (!expectations) return;
    std::vector<std::string> changes;
    const std::string text = update_expectations(*expectations, results_.cases, options_.for_device, changes);
    if (Result<> written = write_file(options_.expect, text); !written)
      return diagnostics_.add(std::move(written.error()));
    for (const std::string& change : changes) print_status(change + "\n");
    if (changes.empty()) print_status("nothing changed\n");
  }

  inline static const std::string kStandardOutput = "-";

  const ResultsOptions& options_;
  std::vector<std::string> baseline_ = options_.baseline;
  std::optional<double> least_;  // of --fail-on
  Diagnostics diagnostics_;
  LabResults results_;
};

}  // namespace

int results_verb(const Arguments& arguments) {
  ResultsOptions options;
  CommandLine line("slipway results",
                   "Merges, shows and converts the files that `slipway run` and `slipway bench` write with --results.",
                   "slipway results html shard1.jsonl shard2.jsonl --output report.html");
  line.add_option("action", options.action,
                  "summary: counts, and what is not ok; merge: one file; html: one page; junit: JUnit XML; sarif: the "
                  "diagnostics; compare: changes from OLD to NEW, or since --baseline; find: the names of cases; "
                  "update: adapt the "
                  "expectations of --expect")
      .required()
      .choices({"summary", "merge", "html", "junit", "sarif", "compare", "find", "update"});
  line.add_option("files", options.files, "results files; of several lines for a case the last one counts")
      .required()
      .values(1, -1);
  line.add_report_options(options.style);
  line.add_option("-o,--output", options.output, "the file to write; `-` is standard output");
  line.add_option(
      "--baseline", options.baseline,
      "an earlier results file, to compare with; may be repeated, for several times of each case; `compare OLD NEW` "
      "needs none");
  line.add_option("--fail-on", options.fail_on,
                  "compare: time or time+N% fails if a case is slower, by more than N percent");
  line.add_option("--verdict", options.verdicts, "find: cases with this verdict; may be repeated")
      .choices({"passed", "ran", "failed", "partly-compared", "skipped", "error", "timed-out", "crashed", "not-run"});
  line.add_option("--kind", options.kind, "find: cases with a diagnostic of this kind");
  line.add_option("--text", options.text, "find: cases whose name or output contains this");
  line.add_option("--device", options.device, "find: cases whose device or driver contains this");
  line.add_option("--expect", options.expect, "the expectations file to update; created if missing");
  line.add_flag("--for-device", options.for_device, "add new expectations for the device of the run only");
  if (const std::optional<int> status = line.parse(arguments)) return *status;
  return ResultsVerb(options).run();
}

}  // namespace slipway::cli
