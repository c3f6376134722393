// One copy of a recipe's run sequence, ready to run: lists with their buffers, and the thread that runs them. Used by
// the runner only.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "recipe/cpu/call.hpp"
#include "recipe/run/runner.hpp"

namespace slipway::recipe {

// Kernels of one back end cannot use a buffer of another: they get a copy, and the data go there and back.
struct Shadow {
  Bound home;
  BufferPtr copy;
  bool writes = false;
};

// Bytes to sync around a kernel list, or behind a CPU list.
struct SyncRange {
  Bound part;
  bool after = false;  // written by the list of kernels
};

struct PreparedList {
  std::size_t begin = 0, end = 0;  // runs
  ListPtr kernels;                 // null for a CPU list
  std::vector<cpu::Call> calls;
  std::vector<Shadow> shadows;
  std::vector<SyncRange> syncs;
};

// What an execution came to.
struct LaneResult {
  std::optional<RunFailure> failure;
  std::size_t failed_run = 0, first_skipped = 0;  // with a failure
};

class Lane {
 public:
  // `turn`: CPU functions of one runner run one at a time.
  Lane(std::mutex& turn, std::size_t runs) : turn_(turn), total_ns_(runs) {}
  ~Lane();

  std::vector<BufferPtr> created;  // by buffer of the plan; null where something is bound
  std::vector<PreparedList> lists;
  bool timings = false, poll = false;
  std::optional<std::chrono::nanoseconds> time_out;

  // A list of kernels alone needs no thread.
  bool is_direct() const { return lists.size() == 1 && lists.front().kernels; }
  bool in_progress() const { return state_.load(std::memory_order_relaxed) != kIdle; }

  Result<> start();
  // Nothing when the time is over.
  std::optional<LaneResult> finish(std::optional<std::chrono::nanoseconds> limit);

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

  std::mutex& turn_;
  std::vector<double> total_ns_;  // by run
  LaneResult result_;
  std::atomic<std::uint32_t> state_ = kIdle;
  std::atomic<std::uint32_t> timed_waiters_ = 0;
  std::mutex mutex_;
  std::condition_variable done_;
  std::jthread thread_;
};

}  // namespace slipway::recipe
