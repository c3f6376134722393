// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway results`: what can be done with results files.
#include <algorithm>

#include "base/files.hpp"
#include "base/format.hpp"
#include "cli/lab/expectations.hpp"
#include "cli/lab/page.hpp"
#include "cli/lab/result.hpp"
#include "cli/lab/summary.hpp"
#include "cli/program.hpp"

namespace slipway::cli {
namespace {

struct ResultsOptions {
  ReportStyle style;
  std::string action, output, baseline, expect;
  std::vector<std::string> files;
  bool for_device = false;
};

class ResultsVerb {
 public:
  explicit ResultsVerb(const ResultsOptions& options) : options_(options) {}

  int run() {
    check_usage();
    if (diagnostics_.has_errors()) return end();
    for (const std::string& file : options_.files) {
      auto read = read_results(file, diagnostics_);
      if (!read) return end();
      merge_results(results_, std::move(*read));
    }
    if (options_.action == "summary") print(print_summary(results_.cases, true));
    if (options_.action == "merge") write(merged());
    if (options_.action == "junit") write(write_lab_junit(results_));
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
    only_for(!options_.output.empty(), "--output", {"merge", "html", "junit"});
    only_for(!options_.baseline.empty(), "--baseline", {"html", "compare"});
    only_for(!options_.expect.empty(), "--expect", {"update"});
    only_for(options_.for_device, "--for-device", {"update"});
    if (action == "update" && options_.expect.empty()) usage("`slipway results update` needs --expect FILE");
    if (action == "compare" && options_.baseline.empty()) usage("`slipway results compare` needs --baseline FILE");
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

  std::optional<Results> baseline() { return read_results(options_.baseline, diagnostics_); }

  void write_page() {
    std::optional<Results> before;
    if (!options_.baseline.empty() && !(before = baseline())) return;
    write(write_results_page(results_, before ? &*before : nullptr));
  }

  int compare() {
    const std::optional<Results> before = baseline();
    if (!before) return end();
    bool is_worse = false;
    for (const CaseChange& change : changes_of(results_, *before)) {
      is_worse |= change.change == Change::Worse || change.change == Change::Missing;
      print(formatted("{}: {}: {}{}{}\n", name_of(change.change), change.key, change.before,
                      change.before.empty() || change.now.empty() ? "" : " -> ", change.now));
    }
    const int status = end();
    return status == 0 && is_worse ? static_cast<int>(ExitClass::CheckFailed) : status;
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
  Diagnostics diagnostics_;
  Results results_;
};

}  // namespace

int results_verb(const Arguments& arguments) {
  ResultsOptions options;
  CommandLine line("slipway results", "Merges, shows and converts the files that `slipway run --results` writes.",
                   "slipway results html shard1.jsonl shard2.jsonl --output report.html");
  line.add_option("action", options.action,
                  "summary: counts, and what is not ok; merge: one file; html: one page; junit: JUnit XML; compare: "
                  "changes since --baseline; update: adapt the expectations of --expect")
      .required()
      .choices({"summary", "merge", "html", "junit", "compare", "update"});
  line.add_option("files", options.files, "results files; of several lines for a case the last one counts")
      .required()
      .values(1, -1);
  line.add_report_options(options.style);
  line.add_option("-o,--output", options.output, "the file to write; `-` is standard output");
  line.add_option("--baseline", options.baseline, "an earlier results file, to compare with");
  line.add_option("--expect", options.expect, "the expectations file to update; created if missing");
  line.add_flag("--for-device", options.for_device, "add new expectations for the device of the run only");
  if (const std::optional<int> status = line.parse(arguments)) return *status;
  return ResultsVerb(options).run();
}

}  // namespace slipway::cli
