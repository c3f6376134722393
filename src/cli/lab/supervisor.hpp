// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs cases in worker processes. A case that hangs, crashes or loses its device costs its worker, which is replaced,
// and every case gets a verdict.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/lab/lab_case.hpp"
#include "cli/lab/results/result.hpp"
#include "cli/lab/worker.hpp"

namespace slipway::cli {

struct SupervisorOptions {
  // The arguments of each worker process. At least one.
  std::vector<std::vector<std::string>> workers;
  std::optional<std::chrono::duration<double>> case_timeout;
  // How often a case that did not succeed runs again; by case, on a device.
  std::function<std::uint32_t(const LabCase&, const DeviceIdentity&)> retries;
  // Why a case is not run on a device.
  std::function<std::optional<CaseResult>(const LabCase&, const DeviceIdentity&)> skip;
  // The files of a case, before it runs; the answer refuses it.
  std::function<std::optional<TakenOutput>(const LabCase&, const CaseFiles&)> claim;
  bool identify_devices = true;
  std::optional<std::uint32_t> warmup = std::nullopt;  // of a benchmark (WorkerRequest)
};

// A case that ended.
struct CaseOutcome {
  std::size_t index = 0;          // among the cases
  CaseResult result;              // without what expectations add
  std::string output, errors;     // what it printed
  std::optional<Diagnostic> why;  // of a case whose worker has not printed it
};

// What happened to a run of cases.
struct SupervisorEnd {
  std::optional<int> usage;  // the options of a format are not valid; what was printed is in `text`
  std::string text;
  bool is_interrupted = false;
  std::size_t restarts = 0;  // workers that were replaced
};

// Calls `ended` for each case as it ends, in any order. After an interrupt, the cases in flight have no result.
SupervisorEnd supervise(const std::vector<LabCase>& cases, const SupervisorOptions& options,
                        const std::function<void(CaseOutcome)>& ended);

}  // namespace slipway::cli
