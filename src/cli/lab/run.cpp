// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/lab/run.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <ranges>

#include "base/format.hpp"
#include "base/interrupt.hpp"
#include "base/print_diagnostic.hpp"
#include "base/system/files.hpp"
#include "base/system/process_usage.hpp"
#include "base/system/protected_inputs.hpp"
#include "base/system/utc_time.hpp"
#include "cli/lab/bench.hpp"
#include "cli/lab/case_list.hpp"
#include "cli/lab/expectations.hpp"
#include "cli/lab/options.hpp"
#include "cli/lab/results/page.hpp"
#include "cli/lab/results/summary.hpp"
#include "cli/lab/supervisor.hpp"
#include "cli/run/interrupts.hpp"
#include "cli/run/progress.hpp"
#include "cli/run/run_report.hpp"
#include "cli/sarif_file.hpp"
#include "executors/open.hpp"
#include "generated_version.hpp"
#include "json/document.hpp"
#include "platform/text.hpp"

namespace slipway::cli {
namespace {

constexpr std::size_t kMaxCasesWithoutList = 20;  // the summary of more cases lists those that are not ok
constexpr std::size_t kMaxText = 64 * 1024;       // of what a case printed, in its result
constexpr std::uint32_t kAllRounds = 0xffffffff;

// --device: the selectors of devices.
std::optional<std::vector<std::string>> device_selectors(const std::string& option, Diagnostics& diagnostics) {
  if (option != "all") {
    std::vector<std::string> selectors;
    for (const auto part : std::views::split(option, ',')) selectors.emplace_back(std::string_view(part));
    if (selectors.empty()) selectors.emplace_back();
    return selectors;
  }
  const auto devices = diagnostics.take(executors::vulkan_devices());
  if (!devices) return std::nullopt;
  std::vector<std::string> selectors;
  for (const vk::Snapshot& device : *devices) {
    if (device.api.major > 1 || device.api.minor >= 3) selectors.push_back(std::to_string(device.index));
  }
  if (selectors.empty()) diagnostics.error(DiagnosticKind::NoDevice, {}, "there is no device with Vulkan 1.3");
  return selectors;
}

std::string new_run_id() {
  std::random_device random;
  return formatted("{:08x}{:08x}", random(), random());
}

RunInfo run_info(const std::string& verb, const Arguments& arguments, const std::optional<std::string>& shard) {
  std::error_code ignored;
  RunInfo info{.id = new_run_id(),
               .version = std::string(kVersion),
               .started = utc_now(),
               .host = platform::host_name(),
               .directory = std::filesystem::current_path(ignored).string(),
               .command = {"slipway", verb},
               .shard = shard};
  info.command.append_range(arguments.words);
  return info;
}

// Without the escape sequences of colours.
std::string plain_text(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 2) == "\x1b[")
      i = std::min(text.find('m', i), text.size());
    else
      plain += text[i];
  }
  return plain;
}

// Of a results file whose last line break is missing.
bool is_whole_line(std::string_view line) { return json::parse(make_source("line", std::string(line))).has_value(); }

// Results are written before the cases say what they read, so that they replace nothing but results.
Result<> check_replaces_results(const Path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return {};
  SLIPWAY_TRY(const MappedFile file, map_file(path));
  const std::string_view text{reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
  if (text.empty() || text.starts_with("{\"run\":")) return {};  // run_line
  return fail(DiagnosticKind::OutputConflict, SourceLocation::in_file(path.string()),
              "the file exists and has other contents than results; remove it, or give the results another name");
}

class LabRun {
 public:
  LabRun(const Arguments& arguments, LabOptions options, std::vector<std::string> worker_words)
      : arguments_(arguments), options_(std::move(options)), worker_words_(std::move(worker_words)) {}

  int run() {
    if (!prepare()) return end_early();
    const auto selectors = device_selectors(options_.device, diagnostics_);
    if (!selectors || !open_results()) return end_early();
    SupervisorEnd end;
    const std::uint32_t rounds = options_.bench ? options_.bench->rounds : 1;
    for (round_ = 1; round_ <= rounds && !end.is_interrupted; ++round_) {
      choose_cases_of_round();
      end = supervise(missing_, supervisor_options(*selectors),
                      [this](CaseOutcome outcome) { take(std::move(outcome)); });
      if (end.usage) {
        progress_.reset();
        print_error(end.text);
        return *end.usage;
      }
      print_waiting(true);
    }
    progress_.reset();
    begin_results();
    add_interrupted(end.is_interrupted);
    write_reports();
    const int status = finish();
    if (end.is_interrupted) {
      print_error(formatted(
          "slipway {}: interrupted; {} of {} cases ran{}\n", options_.verb(), results_.cases.size() - interrupted_,
          all_.size(), results_path().empty() ? "" : formatted("; `--resume {}` runs the others", results_path())));
      std::fflush(nullptr);
      end_by_interrupt();
    }
    return status;
  }

 private:
  bool ok() const { return !diagnostics_.has_errors(); }
  int end_early() { return report(diagnostics_, options_.style); }
  void usage(std::string message) { diagnostics_.error(DiagnosticKind::Usage, {}, std::move(message)); }
  const std::string& results_path() const {
    return options_.resume_path.empty() ? options_.results_path : options_.resume_path;
  }

  // --- before the run ---

  bool prepare() {
    for (const std::string_view one : {"--pause-on-exit", "--wait-for-key-stroke-before-run", "--explain"}) {
      if (std::ranges::contains(arguments_.words, one)) usage(formatted("`{}` applies to one file at a time", one));
    }
    if (options_.files.empty() && !options_.rows) usage("no file, directory or list is given");
    if (results_path() == "-") usage("--results and --resume need a file, because they continue it");
    if (!options_.baseline_path.empty() && options_.html_path.empty()) usage("--baseline needs --html");
    if (!ok()) return false;
    if (!options_.baseline_path.empty()) {
      auto read = read_results(options_.baseline_path, diagnostics_);
      if (!read) return false;
      baseline_ = std::move(*read);
    }
    all_ = options_.rows ? options_.rows->cases : list_cases(options_.files, diagnostics_);
    if (!ok() || !choose_shard() || !read_earlier()) return false;
    for (const std::string& input : {options_.expect_path, options_.baseline_path, options_.shard_times_path})
      if (!input.empty()) protect_input(input);
    if (!options_.expect_path.empty() && !(expectations_ = Expectations::read(options_.expect_path, diagnostics_)))
      return false;
    for (const LabCase& one : all_) {
      if (auto file = options_.rows ? std::nullopt : key_of_name(one.file))
        files_.cases.emplace(*std::move(file), one.file);
    }
    std::vector<std::string> formats;
    for (LabCase& one : wanted_) {
      detect_format(one);
      if (!one.format.empty()) formats.push_back(one.format);
    }
    if (!options_.rows) {
      check_worker_options(worker_words_, formats, diagnostics_);
      std::vector<NamedCase> named;
      for (const LabCase& one : wanted_) named.push_back({one.file, one.format});
      check_output_names(worker_words_, named, diagnostics_);
    }
    return ok() && check_outputs();
  }

  bool check_outputs() {
    std::vector<Path> outputs = {options_.report_path, options_.junit_path, options_.html_path,
                                 options_.style.sarif_path, results_path()};
    if (options_.bench) outputs.emplace_back(options_.bench->csv_path);
    for (const Path& output : outputs) {
      if (auto file = output.empty() ? std::nullopt : replaced_file(output))
        files_.owners.emplace(*std::move(file), "");
    }
    if (!options_.rows) outputs.append_range(output_files(worker_words_));
    if (Result<> checked = slipway::check_outputs(outputs); !checked) diagnostics_.add(std::move(checked.error()));
    return ok();
  }

  bool choose_shard() {
    if (options_.bench) return true;
    std::string text = options_.shard;
    const char* const variable = std::getenv("SLIPWAY_SHARD");
    if (text.empty() && variable) text = variable;
    if (text.empty()) {
      if (!options_.shard_times_path.empty()) usage("--shard-times needs --shard");
      return ok();
    }
    const std::optional<Shard> shard = shard_from_text(text);
    if (!shard) {
      usage(formatted("a shard is I/N with I from 1 to N, such as 2/8, but `{}` is given", text));
      return false;
    }
    LabResults times;
    if (!options_.shard_times_path.empty()) {
      auto read = read_results(options_.shard_times_path, diagnostics_);
      if (!read) return false;
      times = std::move(*read);
    }
    all_ = cases_of_shard(std::move(all_), *shard, times.cases);
    shard_ = text;
    return true;
  }

  // --resume: the cases that have results, in all rounds, and those that are missing.
  bool read_earlier() {
    if (!options_.resume_path.empty() && file_exists(options_.resume_path)) {
      const auto text = diagnostics_.take(read_text(options_.resume_path));
      auto read = text ? parse_results(*text, options_.resume_path, diagnostics_) : std::nullopt;
      if (!read) return false;
      // The first line of a run may be incomplete.
      if (read->runs.empty() && read->cases.empty() && !text->empty() && !text->starts_with(R"({"run":)")) {
        diagnostics_.error(DiagnosticKind::FileFormat, SourceLocation::in_file(options_.resume_path),
                           "this is not a results file, and is not continued");
        return false;
      }
      earlier_ = std::move(*read);
      results_.times = earlier_.times;
      results_.samples = earlier_.samples;
      for (const CaseResult& result : earlier_.cases) {
        std::uint32_t& done = rounds_done_[result.key()];
        done = options_.bench && is_success(result.verdict)
                   ? static_cast<std::uint32_t>(earlier_.times.at(result.key()).size())
                   : kAllRounds;
      }
    }
    const std::uint32_t rounds = options_.bench ? options_.bench->rounds : 1;
    for (const LabCase& one : all_) {
      const auto done = rounds_done_.find(key_of(one));
      if (done == rounds_done_.end() || done->second < rounds) wanted_.push_back(one);
    }
    return true;
  }

  // A case that failed in a round is not measured in later ones.
  void choose_cases_of_round() {
    missing_.clear();
    for (const LabCase& one : wanted_) {
      const auto done = rounds_done_.find(key_of(one));
      if (done == rounds_done_.end() || done->second < round_) missing_.push_back(one);
    }
    printed_.assign(missing_.size(), std::nullopt);
    next_printed_ = 0;
    ended_in_round_ = 0;
  }

  bool open_results() {
    info_ = run_info(std::string(options_.verb()), arguments_, shard_);
    if (results_path().empty()) return true;
    if (Result<> checked = check_replaces_results(results_path()); !checked) {
      diagnostics_.add(std::move(checked.error()));
      return false;
    }
    auto file = diagnostics_.take(LineFile::open(results_path(), options_.resume_path.empty(), is_whole_line));
    if (!file) return false;
    results_file_.emplace(std::move(*file));
    write_line(run_line(info_));
    return ok();
  }

  SupervisorOptions supervisor_options(const std::vector<std::string>& selectors) {
    SupervisorOptions options;
    if (options_.bench) options.warmup = options_.bench->warmup;
    // The first worker of each device comes first, so that few cases are spread over the devices.
    for (std::uint32_t job = 0; job < options_.jobs; ++job) {
      for (const std::string& selector : selectors) {
        std::vector<std::string> words = worker_words_;
        if (!selector.empty()) words.insert(words.end(), {"--device", selector});
        if (options_.bench) words.append_range(words_of_bench(*options_.bench));  // the last ones
        options.workers.push_back(std::move(words));
      }
    }
    constexpr double kTimeOuts = 4, kSeconds = 10;  // docs/lab.md
    if (options_.case_timeout)
      options.case_timeout = std::chrono::duration<double>(*options_.case_timeout);
    else if (options_.timeout)
      options.case_timeout = std::chrono::duration<double>(kTimeOuts * *options_.timeout + kSeconds);
    options.claim = [this](const LabCase& one, const CaseFiles& uses) { return claim(one, uses); };
    if (expectations_) {
      options.retries = [this](const LabCase& one, const DeviceIdentity& device) -> std::uint32_t {
        const CaseExpectation* const line = expectations_->find(one.file, device);
        return line && line->expected == Expected::Flaky ? kFlakyRetries : 0;
      };
      options.skip = [this](const LabCase& one, const DeviceIdentity& device) { return skipped(one, device); };
    }
    return options;
  }

  // Outputs of the run do not replace inputs of its cases, two cases do not replace one file, and none replaces another
  // one. A case may read what another one writes.
  std::optional<TakenOutput> claim(const LabCase& one, const CaseFiles& uses) {
    for (const FileKey& input : uses.inputs) protect_input(input);
    for (const FileKey& output : uses.outputs) {
      const auto owner = files_.owners.find(output);
      const auto other = files_.cases.find(output);
      if (owner != files_.owners.end() && owner->second != one.file)
        return TakenOutput{output,
                           owner->second.empty() ? "the run itself writes" : formatted("`{}` writes", owner->second)};
      if (owner == files_.owners.end() && other != files_.cases.end() && other->second != one.file)
        return TakenOutput{output, formatted("`{}` is read from", other->second)};
      files_.owners.try_emplace(output, one.file);
    }
    return std::nullopt;
  }

  std::optional<CaseResult> skipped(const LabCase& one, const DeviceIdentity& device) const {
    const CaseExpectation* const line = expectations_->find(one.file, device);
    if (!line || line->expected != Expected::Skip) return std::nullopt;
    CaseResult result{.file = one.file, .copy = one.copy, .format = one.format, .verdict = CaseVerdict::Skipped};
    const Diagnostic note{.severity = Severity::Note,
                          .kind = DiagnosticKind::DeviceLacks,
                          .message = formatted("skipped, as line {} of `{}` expects", line->line, options_.expect_path),
                          .location = SourceLocation::in_file(one.file)};
    result.files = entry_of(one.file, note);
    return result;
  }

  // --- during the run ---

  void take(CaseOutcome outcome) {
    CaseResult& result = outcome.result;
    result.run = info_.id;
    result.round = round_;
    result.is_ok = result.exit_status == 0 || result.verdict == CaseVerdict::Skipped;
    Diagnostics added;
    if (outcome.why)
      added.add(std::move(*outcome.why));
    else if (missing_[outcome.index].why_not_run)
      added.add(*missing_[outcome.index].why_not_run);
    std::string after;
    if (expectations_) {
      if (std::optional<Diagnostic> unlisted = expectations_->unlisted(result)) added.add(std::move(*unlisted));
    }
    if (const CaseExpectation* const line = expectations_ ? expectations_->find(result.file, result.device) : nullptr) {
      if (std::optional<Diagnostic> unexpected = apply_expectation(*line, result))
        added.add(std::move(*unexpected));
      else if (!is_success(result.verdict) && result.is_ok)
        after = formatted("{}: as expected ({}{}{})\n", result.key(), *result.expected, result.reason ? ": " : "",
                          result.reason.value_or(""));
    }
    outcome.errors +=
        format_diagnostics(shown(added.all()), {.colour = use_colour(stderr), .max_errors = options_.style.max_errors});
    if (output_level() != OutputLevel::Quiet) outcome.output += after;
    const bool is_shown = options_.verb() == "run" || !result.is_ok;  // the others show a table
    result.text = valid_utf8(std::string_view(plain_text(outcome.errors + outcome.output)).substr(0, kMaxText));
    write_line(case_line(result));
    if (!result.is_ok) ++not_ok_;
    // Later rounds would print the same warnings.
    const bool has_errors_shown = round_ == 1 || !result.is_ok;
    printed_[outcome.index] =
        Printed{is_shown ? std::move(outcome.output) : "", has_errors_shown ? std::move(outcome.errors) : ""};
    results_.add_times(result);
    std::uint32_t& done = rounds_done_[result.key()];
    done = is_success(result.verdict) ? std::max(done, round_) : kAllRounds;
    new_results_.insert_or_assign(result.key(), std::move(result));
    ++ended_in_round_;
    print_waiting(false);
    show_progress();
  }

  void write_line(const std::string& line) {
    if (!results_file_) return;
    if (Result<> written = results_file_->write(line); !written) {
      diagnostics_.add(std::move(written.error()));
      results_file_.reset();  // reported once, at the end
    }
  }

  // Prints in the order of the cases what those that ended printed; with `all`, also after cases without a result.
  void print_waiting(bool all) {
    for (; next_printed_ < printed_.size() && (all || printed_[next_printed_]); ++next_printed_) {
      std::optional<Printed> text = std::exchange(printed_[next_printed_], std::nullopt);
      if (!text || options_.style.json) continue;
      if (!text->errors.empty()) print_error(text->errors);
      if (!text->output.empty()) (options_.report_path == "-" ? print_error : print)(text->output);
    }
  }

  void show_progress() {
    const std::string round = options_.bench && options_.bench->rounds > 1
                                  ? formatted("round {} of {}: ", round_, options_.bench->rounds)
                                  : "";
    progress_->stage(formatted("{}{} of {} cases{}", round, all_.size() - missing_.size() + ended_in_round_,
                               all_.size(), not_ok_ == 0 ? "" : formatted(", {} not ok", not_ok_)));
  }

  // --- after the run ---

  // Collects all results in the order of the cases; those that did not run have entries in the reports.
  void add_interrupted(bool is_interrupted) {
    std::map<std::string, CaseResult*, std::less<>> known;
    for (CaseResult& result : earlier_.cases) known.emplace(result.key(), &result);
    results_.runs = std::move(earlier_.runs);
    results_.runs.push_back(info_);
    for (const LabCase& one : all_) {
      const std::string key = key_of(one);
      if (const auto now = new_results_.find(key); now != new_results_.end()) {
        results_.cases.push_back(std::move(now->second));
      } else if (const auto before = known.find(key); before != known.end()) {
        results_.cases.push_back(std::move(*before->second));
      } else if (is_interrupted) {
        ++interrupted_;
        const Diagnostic why{.kind = DiagnosticKind::Interrupted,
                             .message = "the case did not run, because the run was interrupted",
                             .location = SourceLocation::in_file(one.file)};
        CaseResult result{
            .run = info_.id, .file = one.file, .copy = one.copy, .format = one.format, .verdict = CaseVerdict::NotRun};
        result.exit_status = static_cast<int>(exit_class_of(why.kind));
        result.is_ok = false;
        result.files = entry_of(one.file, why);
        results_.cases.push_back(std::move(result));
      }
    }
  }

  int cases_status() const {
    int status = 0;
    for (const CaseResult& result : results_.cases) status = worst_status(status, result.final_status());
    return status;
  }

  std::string report_text() const {
    std::vector<std::string> entries;
    for (const CaseResult& result : results_.cases) entries.push_back(result.files);
    return write_run_report(entries, cases_status(), process_usage(start_));
  }

  void write(const std::string& path, const std::string& text) {
    if (path.empty()) return;
    if (Result<> written = write_file(path, text); !written) diagnostics_.add(std::move(written.error()));
  }

  void write_reports() {
    if (!options_.report_path.empty()) write(options_.report_path, report_text());
    if (!options_.junit_path.empty()) write(options_.junit_path, write_lab_junit(results_));
    write(options_.style.sarif_path, write_lab_sarif(results_, kVersion));
    set_sarif_path("");
    if (options_.bench && !options_.bench->csv_path.empty()) write(options_.bench->csv_path, bench_csv(results_));
    if (!options_.html_path.empty())
      write(options_.html_path, write_results_page(results_, baseline_ ? &*baseline_ : nullptr));
  }

  int finish() {
    const int status = worst_status(cases_status(), exit_status(diagnostics_.all()));
    if (options_.style.json) {
      if (options_.report_path != "-") print(report_text());
    } else if (output_level() != OutputLevel::Quiet) {
      const bool with_list = results_.cases.size() > kMaxCasesWithoutList;
      const bool all_ok =
          std::ranges::all_of(results_.cases, [](const CaseResult& r) { return is_success(r.verdict); });
      std::string text = options_.bench ? bench_table(results_) : options_.rows ? options_.rows->table(results_) : "";
      if (!options_.bench || !all_ok) text += print_summary(results_.cases, with_list);
      (options_.report_path == "-" ? print_error : print)(text);
    }
    report(diagnostics_, options_.style);
    return status;
  }

  struct Printed {
    std::string output, errors;
  };

  const Arguments& arguments_;
  LabOptions options_;
  std::vector<std::string> worker_words_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  Diagnostics diagnostics_;
  struct {
    std::map<FileKey, std::string> owners;  // the case that writes a file; empty: the run
    std::map<FileKey, std::string> cases;   // the case that is this file
  } files_;
  std::vector<LabCase> all_, wanted_;  // and those that have no results in an earlier file
  std::vector<LabCase> missing_;       // in this round
  LabResults earlier_, results_;
  std::optional<LabResults> baseline_;
  std::optional<Expectations> expectations_;
  std::optional<std::string> shard_;
  RunInfo info_;
  std::optional<LineFile> results_file_;
  std::map<std::string, CaseResult> new_results_;
  std::vector<std::optional<Printed>> printed_;
  std::size_t next_printed_ = 0, interrupted_ = 0, not_ok_ = 0, ended_in_round_ = 0;
  std::uint32_t round_ = 1;
  std::map<std::string, std::uint32_t> rounds_done_;  // of a case; kAllRounds if it failed
  std::optional<Progress> progress_{std::in_place, "starting workers"};
};

}  // namespace

int run_rows(const Arguments& arguments, LabOptions options, std::vector<std::string> worker_words) {
  return LabRun(arguments, std::move(options), std::move(worker_words)).run();
}

int run_lab(const Arguments& arguments) {
  Arguments own = arguments;
  if (!own.words.empty() && own.words.front() == "lab") own.words.erase(own.words.begin());
  DividedArguments divided = divide_arguments(own.words);
  LabOptions options;
  if (const std::optional<int> status = parse_lab_options({.words = divided.own, .format = "lab"}, options))
    return *status;
  return LabRun(own, std::move(options), std::move(divided.workers)).run();
}

int bench_verb(const Arguments& arguments) {
  const DividedArguments divided = divide_arguments(arguments.words, true);
  LabOptions options;
  options.bench.emplace();
  Arguments own = arguments;
  own.words = divided.own;
  if (const std::optional<int> status = parse_lab_options(own, options)) return *status;
  for (const std::string_view set : {"--iterations", "--dry-run"}) {
    if (std::ranges::any_of(divided.workers,
                            [&](const std::string& w) { return w == set || w.starts_with(formatted("{}=", set)); })) {
      Diagnostics diagnostics;
      diagnostics.error(DiagnosticKind::Usage, {}, formatted("`{}` does not apply to `slipway bench`", set))
          .hint("--warmup and --repeat set how often each case runs");
      return report(diagnostics, options.style);
    }
  }
  return LabRun(arguments, std::move(options), divided.workers).run();
}

}  // namespace slipway::cli
