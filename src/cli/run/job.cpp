// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/run/job.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
#include <mutex>

#include "base/format.hpp"
#include "base/interrupt.hpp"
#include "base/print_diagnostic.hpp"
#include "base/system/files.hpp"
#include "base/system/process_usage.hpp"
#include "base/system/protected_inputs.hpp"
#include "base/text/control_characters.hpp"
#include "cli/run/interrupts.hpp"
#include "cli/run/progress.hpp"
#include "cli/run/run_report.hpp"
#include "cli/sarif_file.hpp"
#include "launch/plan/plan.hpp"
#include "launch/report/report.hpp"

namespace slipway::cli {
namespace {

void write(const std::string& path, const std::string& text, Diagnostics& diagnostics) {
  if (path.empty() || text.empty()) return;
  if (Result<> written = write_file(path, text); !written) diagnostics.add(std::move(written.error()));
}

Diagnostic not_run(const std::string& file) {
  return {.kind = DiagnosticKind::Interrupted,
          .message = "not run, because the run was interrupted",
          .location = SourceLocation::in_file(file)};
}

// The entries of jobs that ended, and what an interrupt left.
class RunEntries {
 public:
  explicit RunEntries(std::span<const std::unique_ptr<Job>> jobs) : jobs_(jobs) {}

  void add(std::vector<RunReportEntry> entries) {
    const std::scoped_lock lock(mutex_);
    std::ranges::move(entries, std::back_inserter(entries_));
    ++ended_;
  }

  // Adds entries for the jobs without one. `stuck`: the first of them began and has not ended; what it was doing.
  Diagnostics add_rest(const std::optional<std::string>& stuck) {
    const std::scoped_lock lock(mutex_);
    Diagnostics problems;
    for (bool runs = stuck.has_value(); ended_ < jobs_.size(); ++ended_, runs = false) {
      Diagnostic problem = not_run(jobs_[ended_]->file());
      if (runs) problem.message = "interrupted, and given up because it did not end";
      if (runs && !stuck->empty()) problem.note(*stuck);
      entries_.push_back({.outcome = {.file = jobs_[ended_]->file(), .diagnostics = {problem}, .report = {}},
                          .job = {},
                          .recipe = {}});
      problems.add(std::move(problem));
    }
    return problems;
  }

  std::span<const RunReportEntry> all() const { return entries_; }

 private:
  std::span<const std::unique_ptr<Job>> jobs_;
  std::mutex mutex_;  // the emergency report is made on another thread
  std::vector<RunReportEntry> entries_;
  std::size_t ended_ = 0;
};

// Whether a diagnostic is about this output, which has the name of another one.
bool are_same_file(const Diagnostic& diagnostic, const Path& output) {
  return diagnostic.kind == DiagnosticKind::OutputConflict && !output.empty() &&
         key_of_name(diagnostic.location.file) == key_of_name(output);
}

}  // namespace

std::vector<Path> outputs_of(const launch::Plan& plan) {
  std::vector<Path> files;
  for (const launch::Resource& resource : plan.resources) {
    for (const launch::Output& output : resource.outputs) files.push_back(output.path);
  }
  return files;
}

std::string shown_name(const std::string& file) {
  return file == "-" ? "<stdin>" : show_control_characters(file, {.newlines = false});
}

std::string_view outcome_word(int status) {
  constexpr std::array<std::string_view, 6> kWords = {"ok", "FAILED", "usage error", "bad input", "skipped", "failed"};
  return kWords.at(static_cast<std::size_t>(status));
}

Diagnostic interrupted_run(const std::string& file, const launch::Report& report, std::uint64_t wanted) {
  return {.kind = DiagnosticKind::Interrupted,
          .message = formatted("interrupted after {} of {} runs; nothing was compared, and no output was written",
                               report.iterations, wanted),
          .location = SourceLocation::in_file(file)};
}

std::string outcome_text(int status, const Job& job, const tensor::ComparedOutputs* compared) {
  const bool is_partial = tensor::is_only_partly_compared(job.all_diagnostics());
  if (has_kind(job.all_diagnostics(), DiagnosticKind::Interrupted)) return "interrupted";
  std::string text(is_partial ? "partly compared" : outcome_word(status));
  if (compared && status <= static_cast<int>(ExitClass::CheckFailed)) text += ", " + tensor::compared_text(*compared);
  return text;
}

void print_line(const RunGroup& options, std::string_view text) {
  if (output_level() == OutputLevel::Quiet) return;
  (options.report_path == "-" || options.style.json ? print_error : print)(text);
}

bool run_one(Job& job, const PlannedRunGroup& options,
             const std::function<Result<>(std::span<const Path> outputs)>& claim) {
  Diagnostics& diagnostics = job.diagnostics();
  Progress progress("loading");
  job.set_progress(&progress);
  bool loaded = job.load();
  // Before a run whose results would be lost.
  std::vector<Path> outputs;
  if (loaded) outputs = job.outputs();
  outputs.append_range(options.outputs());
  outputs.emplace_back(options.style.sarif_path);
  Result<> checked = check_outputs(outputs);
  if (checked && claim && !diagnostics.has_errors()) checked = claim(outputs);
  if (!checked) {
    // Nor do the diagnostics replace it.
    if (are_same_file(checked.error().front(), options.style.sarif_path)) set_sarif_path("");
    diagnostics.add(std::move(checked.error()));
  }
  if (options.style.strict) diagnostics.make_strict();
  loaded &= !diagnostics.has_errors();
  if (loaded && options.explain)
    job.explain();
  else if (loaded && is_interrupted())
    diagnostics.add(not_run(job.file()));
  else if (loaded) {
    progress.stage("running");
    job.run();
  }
  progress.stage("closing");
  job.close();
  job.set_progress(nullptr);
  if (options.style.strict) diagnostics.make_strict();
  diagnostics.sort();
  return loaded && options.explain;
}

void print_result(Job& job, const PlannedRunGroup& options, bool explained) {
  if (options.style.json) return;
  const int status = job.status();
  print_error(format_diagnostics(shown(job.diagnostics().all()),
                                 {.colour = use_colour(stderr), .max_errors = options.style.max_errors}));
  if (explained || has_timed_out(job.diagnostics().all())) return;  // docs/spec/scenario.md#lifecycle
  if (status != 0 || output_level() != OutputLevel::Quiet)
    (status > 1 || options.report_path == "-" ? print_error : print)(job.outcome(status));
}

int run_all(std::span<const std::unique_ptr<Job>> jobs, const PlannedRunGroup& options) {
  const auto start = std::chrono::steady_clock::now();
  const ReportStyle& style = options.style;
  Diagnostics all, unwritten;
  int status = 0;
  bool explained = false, timed_out = false;
  RunEntries entries(jobs);
  const auto report_text = [&] { return write_run_report(entries.all(), process_usage(start)); };
  const EmergencyReport emergency([&](const std::string& what) {
    Diagnostics rest = entries.add_rest(what);
    if (!options.report_path.empty()) write(options.report_path, report_text(), rest);
    if (style.json && options.report_path != "-") print(report_text());
    report(rest, style);
  });
  for (const std::unique_ptr<Job>& job : jobs) {
    explained = run_one(*job, options);
    timed_out = has_timed_out(job->diagnostics().all());
    status = worst_status(status, job->status());
    all.add(job->all_diagnostics());
    note_for_sarif(job->all_diagnostics());
    entries.add(job->report());
    const bool is_last = timed_out || job == jobs.back() || is_interrupted();
    if (is_last) begin_results();
    if (is_interrupted()) unwritten.add(entries.add_rest(std::nullopt).release());
    if (is_last && !explained) {
      const bool refused = std::ranges::any_of(
          all.all(), [&](const Diagnostic& one) { return are_same_file(one, options.report_path); });
      if (!options.report_path.empty() && !refused) write(options.report_path, report_text(), unwritten);
    }
    print_result(*job, options, explained);
    if (is_last) break;
  }
  status = worst_status(status, exit_status(unwritten.all()));
  if (style.json) {
    if (!explained && options.report_path != "-") print(report_text());
    unwritten.add(all.release());
  }
  report(unwritten, style);
  if (timed_out) end_process(status);
  return status;
}

int run_made(MadeJob made) {
  if (!made.job) return made.status;
  const std::unique_ptr<Job> jobs[] = {std::move(made.job)};
  return run_all(jobs, *made.options);
}

void Job::stage(std::string what) {
  print_verbose("slipway: " + what + "\n");
  if (progress_) progress_->stage(std::move(what));
}

ItemProgress Job::counted(std::string what, std::string after) {
  return [this, what = std::move(what), after = std::move(after)](std::size_t done, std::size_t total) {
    if (progress_) progress_->stage(done == total ? after : counted_text(what, done, total));
  };
}

}  // namespace slipway::cli
