// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One driver for everything that `slipway run` runs. It decides what is printed where, when reports are written, and
// the exit status; a Job is a scenario, a model, a recipe or a jobs script.
//
//   std::vector<std::unique_ptr<Job>> jobs = ...;
//   return run_all(jobs, options);
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/item_progress.hpp"
#include "base/system/files.hpp"
#include "cli/option_groups.hpp"

namespace slipway::launch {
struct Plan;
struct Report;
}  // namespace slipway::launch

namespace slipway::tensor {
struct ComparedOutputs;
}  // namespace slipway::tensor

namespace slipway::cli {

class Progress;         // of progress.hpp
struct RunReportEntry;  // of run_report.hpp

// One input of a run, with the diagnostics found so far.
class Job {
 public:
  Job() = default;
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;
  virtual ~Job() = default;

  // The input, as messages and reports name it.
  virtual const std::string& file() const = 0;
  // Reads, checks and plans. Returns whether there is a plan; it is not run if there are errors.
  virtual bool load() = 0;
  // Prints the plan, for people. Only after a successful load.
  virtual void explain() = 0;
  // Runs the plan and compares results. Only after a successful load.
  virtual void run() = 0;
  // Called last, even if nothing ran: adds messages of layers and releases what reports do not need.
  virtual void close() {}
  // The files that the run writes besides those of options such as --report. Only after a successful load.
  virtual std::vector<Path> outputs() const { return {}; }
  // Lines for people: verdicts, and how the job ended.
  virtual std::string outcome(int status) = 0;
  // All diagnostics of the job, including those that `outcome` shows in another form.
  virtual std::vector<Diagnostic> all_diagnostics() const { return diagnostics_.all(); }
  // What --report has of the job.
  virtual std::vector<RunReportEntry> report() const = 0;

  virtual int status() const { return exit_status(all_diagnostics()); }

  Diagnostics& diagnostics() { return diagnostics_; }

  // Where the job reports what it does at the moment; null: nowhere.
  void set_progress(Progress* progress) { progress_ = progress; }

 protected:
  void stage(std::string what);
  // Shows how many items of a stage are done, such as `compiling kernels: 3 of 12`, and then what comes after it.
  ItemProgress counted(std::string what, std::string after);

  Diagnostics diagnostics_;

 private:
  Progress* progress_ = nullptr;
};

// A job with the options that it refers to. Without a job, the arguments end the verb with a status, and what is not
// valid in them is reported.
struct MadeJob {
  std::shared_ptr<const PlannedRunGroup> options = nullptr;
  std::unique_ptr<Job> job = nullptr;
  int status = 0;
};
// `OneJob` is made of its options, which `parse` reads as CommandLine::parse does.
template <class OneJob, class Options>
MadeJob job_of(const Arguments& arguments, std::optional<int> (*parse)(const Arguments&, Options&)) {
  auto options = std::make_shared<Options>();
  if (const std::optional<int> status = parse(arguments, *options)) return {.status = *status};
  auto job = std::make_unique<OneJob>(*options);
  if (job->diagnostics().has_errors()) return {.status = report(job->diagnostics(), options->style)};
  return {.options = std::move(options), .job = std::move(job)};
}

// Makes the jobs of one kind of file. It keeps what they share, such as an open device, and outlives them.
class JobSource {
 public:
  virtual ~JobSource() = default;
  // `arguments`: those of `slipway run`, with one file. One job exists at a time.
  virtual MadeJob make(const Arguments& arguments) = 0;
};

// A source of jobs that share nothing.
template <MadeJob (*make_job)(const Arguments& arguments)>
std::unique_ptr<JobSource> separate_jobs() {
  class Separate : public JobSource {
    MadeJob make(const Arguments& arguments) override { return make_job(arguments); }
  };
  return std::make_unique<Separate>();
}

// The files that a plan writes.
std::vector<Path> outputs_of(const launch::Plan& plan);

// The name of a file in lines for people, as diagnostics show it.
std::string shown_name(const std::string& file);

// "ok", "FAILED", "skipped"..., for an exit status.
std::string_view outcome_word(int status);
// The same of a run, with how many outputs were compared: "ok, 3 of 3 outputs", "partly compared, 1 of 3 outputs".
// `compared`: null if nothing was to be compared.
std::string outcome_text(int status, const Job& job, const tensor::ComparedOutputs* compared);

// Of a run that was interrupted (launch::Report::is_interrupted). `wanted`: how many times it was to run.
Diagnostic interrupted_run(const std::string& file, const launch::Report& report, std::uint64_t wanted);

// Loads and runs a job, or explains it. Returns true if it was explained. Afterwards its diagnostics are complete and
// sorted, and --strict is applied.
// `claim`: asked before the job runs whether it may write these files.
bool run_one(Job& job, const PlannedRunGroup& options,
             const std::function<Result<>(std::span<const Path> outputs)>& claim = {});

// Prints the diagnostics of a job that was run, and its outcome unless it was explained.
void print_result(Job& job, const PlannedRunGroup& options, bool explained);

// Runs the jobs one after another and writes the reports: that of --report, which --json prints. Returns the exit
// status. After an interrupt (interrupts.hpp) the rest of the jobs do not run, and the reports say so. Ends the process
// if something timed out, because what still runs cannot be stopped.
int run_all(std::span<const std::unique_ptr<Job>> jobs, const PlannedRunGroup& options);
// The same of one job.
int run_made(MadeJob made);

// Prints a line while a job runs; standard output may be reserved for the report.
void print_line(const RunGroup& options, std::string_view text);

}  // namespace slipway::cli
