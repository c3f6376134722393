// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a plan on an executor (docs/spec/scenario.md#lifecycle): resources, uploads, pipelines, then for each iteration
// record, submit and wait, then expectations and outputs.
//
//   const Result<Report> report = run(plan, executor, {.repeat = 3}, log);
//
// Outputs get their names only when all of them are written: a run that fails leaves no half result. A failure names
// the command that was being executed. An output that was not written is an error of the report: what is stored is
// zeros there.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

#include "base/diagnostic.hpp"
#include "base/format.hpp"
#include "base/item_progress.hpp"
#include "base/log.hpp"
#include "base/system/cache.hpp"
#include "base/system/files.hpp"
#include "launch/executor.hpp"
#include "launch/report/report.hpp"

namespace slipway::launch {

// A time-out in seconds as nanoseconds. Times that the clock cannot represent become the maximum.
inline std::chrono::nanoseconds time_out_of(double seconds) {
  constexpr double kMaxSeconds = 9e9;  // about 285 years
  return std::chrono::nanoseconds(static_cast<std::int64_t>(std::min(seconds, kMaxSeconds) * 1e9));
}

// Errors: usage, for seconds that are not a number or not more than 0.
inline Result<std::chrono::nanoseconds> checked_time_out(double seconds) {
  if (seconds > 0) return time_out_of(seconds);
  return fail({.kind = DiagnosticKind::Usage,
               .message = formatted("the timeout is {} s; it must be more than 0, or absent", seconds)});
}

struct RunOptions {
  std::uint32_t repeat = 1;
  bool dry_run = false;     // everything but submitting and storing results
  bool timestamps = false;  // for Report::profile
  // For Profile::iterations: two timestamps for each, which do not slow commands down as those around commands do.
  bool iteration_times = false;
  std::optional<std::chrono::nanoseconds> time_out;  // for each wait
  bool prove_outputs = true;                         // find outputs that are not written (output_proof.hpp)
  Severity unwritten = Severity::Error;              // of these, in Report::diagnostics

  std::optional<PipelineCacheFile> pipeline_cache;
  Cache cache;                           // the program's own; used for pipelines when there is no pipeline_cache
  SharedPipelines* pipelines = nullptr;  // of runs before on the same device; gets those of this run

  Path profile_path;              // empty: none; needs timestamps
  Path perf_counters_path;        // empty: none
  Path session_memory_directory;  // where the intermediates of graphs go; empty: none
  Path graph_profile_directory;   // where the times of graphs' operators go; empty: none; needs timestamps
  Path failure_dump;              // directory for all resources as .npy when an expectation fails; empty: none
  PerfCounters counters;          // what was measured before the run; the run's own are added after them
  ItemProgress progress = {};     // of pipelines
};

// The plan must have passed Executor::check. Errors: no-device, device-lacks (what only the driver
// knows), device-failed, file-unwritable, what Contents and Outputs report, and timed-out. After a time-out a device is
// lost (gpu::Device::is_lost): the work cannot be stopped, and everything made from the device is leaked. A call on the
// CPU ends at its next part.
Result<Report> run(const Plan& plan, Executor& executor, RunOptions options, const Log& log);
inline Result<Report> run(const Plan& plan, Executor&& executor, RunOptions options, const Log& log) {
  return run(plan, executor, std::move(options), log);
}

}  // namespace slipway::launch
