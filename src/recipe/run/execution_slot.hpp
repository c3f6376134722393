// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An execution slot: one copy of a recipe's run sequence, ready to run, with its lists, its buffers, and the thread
// that runs the lists. Used by the runner only.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "recipe/cpu/call.hpp"
#include "recipe/run/runner.hpp"

namespace slipway::recipe {

// Kernels of one back end cannot use a buffer of another one: they get a copy. The data are copied before the list, and
// back after it.
struct StagingCopy {
  BufferRange original;
  BufferPtr copy;
  bool writes = false;  // copy the data back
};

// Bytes to sync before and after a kernel list, or after a CPU list.
struct SyncRange {
  BufferRange part;
  bool after = false;  // the kernel list writes them
};

struct PreparedList {
  std::size_t begin = 0, end = 0;  // range of run indices
  ListPtr kernels;                 // null for a CPU list
  std::vector<cpu::Call> calls;
  std::vector<StagingCopy> staging;
  std::vector<SyncRange> syncs;
};

// The result of one execution.
struct SlotResult {
  std::optional<RunFailure> failure;
  std::size_t failed_run = 0, first_skipped = 0;  // with a failure
};

class ExecutionSlot {
 public:
  // `cpu_mutex` is locked while CPU functions run: those of one runner run one at a time.
  ExecutionSlot(std::mutex& cpu_mutex, std::size_t runs) : cpu_mutex_(cpu_mutex), total_ns_(runs) {}
  ~ExecutionSlot();

  std::vector<BufferPtr> created;  // by buffer of the plan; null if another buffer is bound
  std::vector<PreparedList> lists;
  bool timings = false, poll = false;
  std::optional<std::chrono::nanoseconds> time_out;

  // A single kernel list needs no thread, if a device runs it.
  bool is_direct() const {
    return lists.size() == 1 && lists.front().kernels && !lists.front().kernels->runs_in_wait();
  }
  bool in_progress() const { return state_.load(std::memory_order_relaxed) != kIdle; }

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
  Result<> before(PreparedList& list);
  Result<> after(PreparedList& list);
  Result<bool> finish_direct(std::optional<std::chrono::nanoseconds> limit);
  void take_timings(PreparedList& list);
  void failed(const PreparedList& list, Failure failure);
  bool wait_until_done(std::optional<std::chrono::nanoseconds> limit);

  std::mutex& cpu_mutex_;
  std::vector<double> total_ns_;  // by run
  SlotResult result_;
  std::atomic<std::uint32_t> state_ = kIdle;
  std::atomic<std::uint32_t> timed_waiters_ = 0;
  std::mutex mutex_;
  std::condition_variable done_;
  std::jthread thread_;
};

}  // namespace slipway::recipe
