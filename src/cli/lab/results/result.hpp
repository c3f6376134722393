// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results files: JSON lines (schema/results.schema.json). A run adds a line about itself, then a line for each case as
// it ends:
//
//   {"run":{"id":"5f0c...","slipway":"0.9.0","command":["slipway","run","cases"],...}}
//   {"case":{"run":"5f0c...","file":"cases/a.json","verdict":"passed",...}}
//
// A file may hold the lines of several runs. The last line of a case is its result.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/text/utf8.hpp"
#include "cli/lab/device_state.hpp"

namespace slipway::cli {

struct RunReportEntry;  // of run_report.hpp

enum class CaseVerdict : std::uint8_t {
  Passed,
  Ran,
  Failed,
  PartlyCompared,
  Skipped,
  Error,
  TimedOut,
  Crashed,
  NotRun
};
std::string_view name_of(CaseVerdict verdict);
// Whether the case did what was asked for.
bool is_success(CaseVerdict verdict);

// A device as results name it.
struct DeviceIdentity {
  std::string name, driver;
  bool operator==(const DeviceIdentity&) const = default;
};

// The times of single runs of a case in one process, without those that warm up.
struct CaseSamples {
  std::string name;  // of the execution of a recipe, or of a job; empty: the case has one list
  std::vector<double> seconds;
  bool operator==(const CaseSamples&) const = default;
};
// At most this many of a list, evenly spread.
inline constexpr std::size_t kMaxCaseSamples = 10'000;

// The samples of a case in one or several rounds: in a round, one process measures all cases one after another.
using Rounds = std::vector<std::vector<double>>;

struct RunInfo {
  std::string id;
  std::string version;  // of Slipway
  std::string started;  // UTC
  std::string host;
  std::string directory;
  std::vector<std::string> command;
  std::optional<std::string> shard;  // I/N
};

struct CaseResult {
  std::string run;          // the id of the run
  std::string file;         // as the command line or the list names it
  std::uint32_t copy = 1;   // counts cases with the same file in one run
  std::uint32_t round = 1;  // of a benchmark with several
  std::string format;       // empty if the file has none that runs
  CaseVerdict verdict = CaseVerdict::Error;
  int exit_status = 0;  // of this case alone, before expectations are applied
  std::string started;  // UTC
  double at = 0;        // seconds since the run began
  double seconds = 0;
  std::uint32_t worker = 0;
  DeviceIdentity device;
  std::uint32_t attempts = 1;
  std::optional<std::string> expected;  // what an expectations file expects: fail, crash, hang, flaky or skip
  std::optional<std::string> reason;    // of the expectation
  bool is_ok = true;                    // whether the case has the verdict that is expected
  std::vector<CaseSamples> samples;     // of a case that ran several times
  std::optional<DeviceState> state;     // of the device after the case, if it was measured
  std::string files = "[]";             // JSON: the entries of the case in `files` of a report
  std::string text;                     // what the case printed

  // Names the case in one run.
  std::string key() const;
  // What the case adds to the exit status of the run.
  int final_status() const;
};

// The entries of a report as JSON on one line.
std::string entries_text(std::span<const RunReportEntry> entries);
// The entries of a case that has none of its own, because its process ended or it was never started.
std::string entry_of(const std::string& file, const Diagnostic& diagnostic);

// Lines of a results file, without their line breaks.
std::string run_line(const RunInfo& run);
std::string case_line(const CaseResult& result);

// The contents of results files. Runs are in the order of their lines. The result of a case is at the position of its
// first line and has the contents of its last one.
struct LabResults {
  std::vector<RunInfo> runs;
  std::vector<CaseResult> cases;
  // By the key of a case: the seconds of each of its lines whose verdict is a success, of all files.
  std::map<std::string, std::vector<double>, std::less<>> times;
  // By the key of a case and the name of a list: the samples of these lines, each of which is a round.
  std::map<std::pair<std::string, std::string>, Rounds> samples;

  // Adds the times and the samples of a line.
  void add_times(const CaseResult& result);
};
// An incomplete last line is left out, with a warning.
std::optional<LabResults> read_results(const std::string& path, Diagnostics& diagnostics);
// `name`: of the text in messages.
std::optional<LabResults> parse_results(std::string_view text, const std::string& name, Diagnostics& diagnostics);
// Adds the results of another file.
void merge_results(LabResults& into, LabResults from);

std::string results_schema();

}  // namespace slipway::cli
