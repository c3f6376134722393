// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a planned recipe: buffers, run lists, copies for depth (docs/spec/recipe.md#execution).
//
//   std::unique_ptr<Runner> runner = make_runner(plan, {.open_backend = ...}, diagnostics);
//   runner->bind("ifm", {storage, 0, size});
//   runner->execute(); runner->wait();
//
// `execute` itself submits a recipe with one kernel list; otherwise a worker thread runs the lists in order. `wait`
// reports failures of runs. A runner is used by one thread at a time; different runners may be used at the same time.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/diagnostic.hpp"
#include "base/system/files.hpp"
#include "recipe/backend.hpp"
#include "recipe/cpu/paths.hpp"
#include "recipe/plan.hpp"
#include "recipe/run/outcome.hpp"

namespace slipway::recipe {

struct RunnerOptions {
  // Called when a kernel or a library needs a back end. Errors: no-device, device-lacks, no-backend.
  std::function<Result<BackendPtr>(BackendKind)> open_backend;
  cpu::LibraryRoots libraries;
  std::string_view why_no_cpu_libraries = {};        // a clause; then a recipe with CPU functions is refused
  bool timings = false;                              // measure every run
  std::map<std::string, std::string> trace_scripts;  // by run id, for XRT
};

// What a buffer that is bound holds. The bytes of Unsynced are made visible to the device before the next execution.
// Blank: zeros, which only the recipe can replace.
enum class BoundContents : std::uint8_t { Unsynced, Synced, Blank };

// Statistics of one run of the recipe, over all copies.
struct RunRecord {
  RunStatus status = RunStatus::Skipped;  // of the last execution
  std::uint64_t count = 0;                // completed executions
  std::optional<double> total_ns;         // nothing if not measured
};

// How to run lists, from the profile.
struct ListRunOptions {
  std::uint32_t copies = 1;  // of the whole sequence, for `start` and `finish`
  std::uint32_t runlist_threshold = 6;
  bool poll = false;
  std::optional<std::chrono::nanoseconds> time_out;  // of one list
};

class Runner {
 public:
  Runner(Runner&&) = delete;
  ~Runner();  // waits

  const Plan& plan() const;

  // Later changes by the caller need `buffer_storage::sync`. Errors: unknown-reference; buffer-size, if it is not that
  // of the recipe; runner-state, while an execution is in progress.
  Result<> bind(std::string_view buffer, BufferRange bound, BoundContents contents = BoundContents::Unsynced);
  // Creates the buffers with a size that nothing is bound to; `prepare` and `map_buffer` do it too. Errors:
  // device-lacks.
  Result<> create_buffers();
  // Lets executions start without buffers that nothing is bound to and only kernels on XRT use: their arguments stay
  // unset. Returns the indices of these buffers.
  std::vector<std::size_t> leave_unset();
  // The bound buffer, or the one that the runner created; nothing for unknown and unbound buffers, and for those that
  // are not created yet. Must not be called while an execution is in progress.
  std::optional<BufferRange> bound(std::string_view buffer) const;

  // Prepares copies 0 to copies - 1, each with its own buffers for those that the runner creates, and checks that every
  // buffer that a run uses exists. Errors: runner-state (in progress; unbound buffers, all of them), buffer-size.
  Result<> prepare(const ListRunOptions& options);
  // Starts one copy. Errors: those of `prepare`, which it calls if something has changed.
  Result<> start(std::size_t copy = 0);
  // Waits until a copy has ended; returns false if the time-out has passed. A failure is returned once.
  std::expected<bool, RunFailure> finish(std::size_t copy = 0,
                                         std::optional<std::chrono::nanoseconds> time_out = std::nullopt);
  bool in_progress() const;

  // `start` and `finish` of copy 0, for the public class.
  Result<> execute() { return start(0); }
  std::expected<bool, RunFailure> wait(std::optional<std::chrono::nanoseconds> time_out = std::nullopt) {
    return finish(0, time_out);
  }

  // Whether every output is written, for the first execution (output_proof.hpp): `fill_outputs` before it and after
  // `prepare`, `prove_outputs` after it, when nothing is in progress. Both do nothing later. `prove_outputs` executes
  // the recipe again if one execution cannot decide and there are no CPU functions; buffers then keep their contents,
  // and the execution is not counted.
  Result<> fill_outputs();
  Result<> prove_outputs();
  // The outputs, or bytes of them, that were not written: output-not-written.
  Failure unwritten_outputs() const;

  // Makes what kernels wrote to a buffer visible to the host.
  Result<> make_visible(const BufferRange& range);
  // The bytes of a buffer, synced from the device; empty for unknown and unbound buffers. Errors: runner-state.
  Result<Bytes> map_buffer(std::string_view buffer);
  // Memory that the kernels of this recipe can use without a staging copy, if possible.
  Result<BufferPtr> create_buffer(const BufferOptions& request);

  std::vector<RunRecord> records() const;  // by run
  std::uint64_t created_bytes() const;     // of buffers that the runner created
  std::vector<std::pair<BackendKind, BackendInfo>> backends() const;
  // Whether the device got the list as one object; false before the list is made.
  bool chained(std::size_t list) const;

  struct State;

 private:
  friend std::unique_ptr<Runner> make_runner(Plan plan, RunnerOptions options, Diagnostics& diagnostics);
  explicit Runner(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Opens back ends, loads kernels and CPU libraries, creates buffers; reports all problems together. Null after an
// error.
std::unique_ptr<Runner> make_runner(Plan plan, RunnerOptions options, Diagnostics& diagnostics);

}  // namespace slipway::recipe
