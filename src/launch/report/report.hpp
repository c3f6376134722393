// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What came out of runs: as a value, and as JSON (report_json.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/system/files.hpp"
#include "launch/report/perf_counters.hpp"
#include "launch/report/profile.hpp"
#include "tensor/compare.hpp"

namespace slipway::launch {

struct DifferenceView;  // difference_view.hpp

struct ExpectationOutcome {
  std::string resource;
  tensor::Comparison comparison;
  std::shared_ptr<const DifferenceView> view = nullptr;  // of one that failed, unless the array is very large
};

// Of one plan that ran to its end. Failed expectations and outputs that were not written are errors among the
// diagnostics.
struct Report {
  std::string device;
  std::string driver;  // with its version; empty: none
  std::uint32_t iterations = 1;
  bool is_interrupted = false;  // before all iterations ended: nothing was compared, and no output was written
  std::uint32_t warmup = 0;     // of these, the first ones, which statistics of times leave out
  std::vector<ExpectationOutcome> expectations;
  // Of the outputs, if something was to be compared.
  std::optional<tensor::ComparedOutputs> compared = std::nullopt;
  std::vector<Path> outputs;         // in the order of the plan
  std::vector<std::string> printed;  // by shaders (debugPrintfEXT), a line for each call
  std::vector<Diagnostic> diagnostics;
  PerfCounters counters;
  Profile profile;
};

// Removes from a report what is not the outcome of an expectation: outputs that were not written.
std::vector<Diagnostic> take_unwritten(Report& report);

// The outcomes of all expectations (docs/spec/scenario.md#expectations), a line each and one for each mismatch shown.
std::string print_expectations(std::span<const ExpectationOutcome> expectations);

// What shaders printed, for people: the first lines, and how many more there are.
std::string print_shader_output(std::span<const std::string> printed);

// Of one input file: what was wrong with it or went wrong, and the report if it ran.
struct FileReport {
  std::string file;
  std::vector<Diagnostic> diagnostics;
  std::optional<Report> report;
  bool is_checked = true;  // false: nothing was to be compared, so that success is `ran` and not `passed`
  std::optional<std::uint64_t> seed = std::nullopt;  // of random data that have no seed of their own in the file
  std::vector<std::string> printed = {};             // by shaders; empty if `report` has it

  // All diagnostics, those of the report included.
  std::vector<Diagnostic> all_diagnostics() const;
  int status() const;  // exit status
};

}  // namespace slipway::launch
