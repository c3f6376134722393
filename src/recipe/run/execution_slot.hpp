// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An execution slot: one copy of a recipe's run sequence, ready to run, with its lists, its buffers, and the thread
// that runs the lists. Used by the runner only.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "recipe/cpu/call.hpp"
#include "recipe/run/coherence.hpp"

namespace slipway::recipe {

// Kernels of one back end cannot use a buffer of another one: they get a copy. The data are copied before the list, and
// back after it.
struct StagingCopy {
  BufferRange original;
  BufferPtr copy;
  bool writes = false;  // copy the data back
};

// Bytes that a list uses. A CPU list may write all bytes that it uses.
struct BufferUse {
  BufferRange part;
  bool writes = false;
  bool bound = false;  // the application or the profile has a handle of the buffer
};

struct PreparedList {
  std::size_t begin = 0, end = 0;  // range of run indices
  std::vector<std::string> names;  // of the runs, for messages
  std::string note = {};           // what is done, if it does not end (base/system/crash_note.hpp)
  ListPtr kernels;                 // null for a CPU list
  std::vector<cpu::FunctionCall> calls;
  std::vector<StagingCopy> staging;
  std::vector<BufferUse> uses;
};

// The result of one execution.
struct SlotResult {
  std::optional<RunFailure> failure;
  std::vector<RunStatus> runs;            // with a failure: by run
  std::optional<std::size_t> failed_run;  // the run that failed, if the device reports it
};

// CPU functions of one runner run one at a time.
struct CpuTurn {
  std::mutex mutex;
  // A function did not end in its time. Its thread keeps the mutex, and nothing that it may still use is destroyed.
  std::atomic<bool> is_stuck = false;
  // The run whose function is called, and since when; null: none.
  std::atomic<const std::string*> run = nullptr;
  std::atomic<std::chrono::steady_clock::time_point> called_at = {};
};

class ExecutionSlot {
 public:
  ExecutionSlot(CpuTurn& cpu, Coherence& coherence, std::size_t runs)
      : cpu_(cpu), coherence_(coherence), total_ns_(runs) {}
  ~ExecutionSlot();

  std::vector<BufferPtr> created;  // by buffer of the plan; null if another buffer is bound
  std::vector<PreparedList> lists;
  bool timings = false, poll = false;
  std::optional<std::chrono::nanoseconds> time_out;

  // A single kernel list needs no thread, if a device runs it.
  bool is_direct() const {
    return lists.size() == 1 && lists.front().kernels && !lists.front().kernels->runs_in_wait();
  }
  bool in_progress() const { return !given_up_ && state_.load(std::memory_order_relaxed) != kIdle; }

  Result<> start();
  // Waits for the end of the execution. Returns nothing if the time limit has passed.
  std::optional<SlotResult> finish(std::optional<std::chrono::nanoseconds> limit);

  std::span<const double> total_ns() const { return total_ns_; }

 private:
  enum : std::uint32_t { kIdle, kRequested, kDone, kQuit };

  void work();
  void run_lists();
  bool run_cpu_list(PreparedList& list);
  bool run_kernel_list(PreparedList& list);
  Result<> before_calls(PreparedList& list);
  Result<> after_calls(PreparedList& list);
  Result<> before(PreparedList& list);
  Result<> after(PreparedList& list);
  Result<bool> finish_direct(std::optional<std::chrono::nanoseconds> limit);
  void take_timings(PreparedList& list);
  void failed(const PreparedList& list, Failure failure);
  // The failure of a list that did not end in `time_out`.
  Failure timed_out(const PreparedList& list) const;
  bool wait_until_done(std::optional<std::chrono::nanoseconds> limit);
  // Whether the CPU function that runs, perhaps of another slot, has had more than `time_out`.
  bool is_overdue() const;
  SlotResult give_up();

  CpuTurn& cpu_;
  Coherence& coherence_;
  std::vector<double> total_ns_;  // by run
  SlotResult result_;
  std::atomic<std::uint32_t> state_ = kIdle;
  std::atomic<std::uint32_t> timed_waiters_ = 0;
  std::mutex mutex_;
  std::condition_variable done_;
  bool given_up_ = false;  // its thread does not come back
  std::jthread thread_;
};

}  // namespace slipway::recipe
