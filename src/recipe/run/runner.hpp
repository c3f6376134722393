// Runs a planned recipe: buffers, run lists, copies for depth (recipe page 3.4).
//
//   std::unique_ptr<Runner> runner = make_runner(plan, {.open_backend = ...}, diagnostics);
//   runner->bind("ifm", {storage, 0, size});
//   runner->execute(); runner->wait();
//
// A recipe with one kernel list is submitted by `execute` itself; else a worker thread runs the lists one after the
// other. What fails in a run is told by `wait`. A runner is used by one thread at a time; different ones may be used
// at once.
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/diagnostic.hpp"
#include "base/files.hpp"
#include "recipe/backend.hpp"
#include "recipe/cpu/paths.hpp"
#include "recipe/plan.hpp"

namespace slipway::recipe {

struct RunnerOptions {
  // Opens the back end when a kernel or a library needs it. Errors: no-device, device-lacks, no-backend.
  std::function<Result<BackendPtr>(BackendKind)> open_backend;
  cpu::LibraryRoots libraries;
  bool cpu_libraries = true;  // false: a recipe with CPU functions is refused (--no-cpu-libraries)
  bool timings = false;       // measure every run
  std::map<std::string, std::string> trace_scripts;  // by run id, for XRT
};

// What is bound to a buffer: all of a storage, or a part.
struct Bound {
  BufferPtr storage;
  std::uint64_t offset = 0, size = 0;  // bytes
};

enum class RunStatus : std::uint8_t { Ok, Failed, Skipped };

// What one run of the recipe did so far, in all copies.
struct RunRecord {
  RunStatus status = RunStatus::Skipped;  // of the last execution
  std::uint64_t count = 0;                // completed
  std::optional<double> total_ns;         // none where nothing is measured
};

// Why an execution failed. `thrown` is what a CPU function threw.
struct RunFailure {
  Failure diagnostics;
  std::exception_ptr thrown;
};

// How lists are run; from the profile.
struct ExecutionOptions {
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

  // Errors: unknown-reference; buffer-size, when it is not what the recipe says; runner-state, while an execution is in
  // progress.
  Result<> bind(std::string_view buffer, Bound bound);
  // What is bound, or what the runner made; nothing for unknown and unbound buffers. Never while in progress.
  std::optional<Bound> bound(std::string_view buffer) const;

  // Prepares copies 0 to copies - 1 (each with buffers of its own for all that the runner makes) and checks that every
  // buffer that a run uses is there. Errors: state (in progress; unbound buffers, all of them), size.
  Result<> prepare(const ExecutionOptions& options);
  // Starts one copy. Errors: those of `prepare`, which it calls when something changed.
  Result<> start(std::size_t copy = 0);
  // Until a copy has ended; false when the time is over. Its failure is told once.
  std::expected<bool, RunFailure> finish(std::size_t copy = 0,
                                         std::optional<std::chrono::nanoseconds> time_out = std::nullopt);
  bool in_progress() const;

  // start and finish of copy 0, as the public class has them.
  Result<> execute() { return start(0); }
  std::expected<bool, RunFailure> wait(std::optional<std::chrono::nanoseconds> time_out = std::nullopt) {
    return finish(0, time_out);
  }

  // The bytes of a buffer, synced from the device; empty for unknown and unbound ones. Errors: state.
  Result<Bytes> map_buffer(std::string_view buffer);
  // Memory as the kernels of this recipe like it best.
  Result<BufferPtr> create_buffer(const BufferRequest& request);

  std::vector<RunRecord> records() const;  // by run
  std::uint64_t created_bytes() const;     // of buffers that the runner made
  std::vector<std::pair<BackendKind, BackendInfo>> backends() const;
  // Whether list i was given to its device as one object, once it has been made.
  bool chained(std::size_t list) const;

  struct State;

 private:
  friend std::unique_ptr<Runner> make_runner(Plan plan, RunnerOptions options, Diagnostics& diagnostics);
  explicit Runner(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Opens back ends, loads kernels and CPU libraries, makes buffers: all problems together. Null when there is an error.
std::unique_ptr<Runner> make_runner(Plan plan, RunnerOptions options, Diagnostics& diagnostics);

}  // namespace slipway::recipe
