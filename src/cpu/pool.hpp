// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that work together on a graph. They stay awake while there is work and for a short time after it, and then
// sleep.
//
//   Pool pool(4);
//   pool.run([&](unsigned worker) { ... });  // on this thread and on up to three others
//
// Several threads may call `run` at the same time; they take turns in the order of their calls.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace slipway::cpu {

// Waits a moment in a loop that expects a change soon. After many rounds other threads get the CPU.
class Backoff {
 public:
  // Pauses so far, modulo the count after which other threads get the CPU.
  unsigned rounds() const { return rounds_; }
  void pause() {
    if (++rounds_ < kRounds) {
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
      return;
    }
    rounds_ = 0;
    std::this_thread::yield();
  }

 private:
  static constexpr unsigned kRounds = 256;
  unsigned rounds_ = 0;
};

class Pool {
 public:
  using Work = std::function<void(unsigned worker)>;

  // `threads`: with the caller of `run`; at least 1. `pin`: each thread but the caller stays on one CPU.
  explicit Pool(unsigned threads, bool pin = false);
  Pool(const Pool&) = delete;
  ~Pool();

  unsigned threads() const { return static_cast<unsigned>(workers_.size()) + 1; }
  // Calls `work` on this thread as worker 0, and on each other thread of the pool that is in time; returns when all of
  // these calls have returned. Work must therefore be complete even if no other thread takes part.
  void run(const Work& work);

  // The pool of the process with this many threads, which is made on first use and kept.
  static std::shared_ptr<Pool> shared(unsigned threads, bool pin = false);

 private:
  void serve(unsigned worker);

  std::vector<std::thread> workers_;
  std::mutex turn_;
  std::condition_variable next_turn_;
  std::uint64_t last_ticket_ = 0, serving_ = 0;  // guarded by turn_

  alignas(64) std::atomic<std::uint32_t> generation_ = 0;  // of work; changes wake threads
  std::atomic<bool> stop_ = false;
  alignas(64) std::atomic<const Work*> work_ = nullptr;  // null: no thread may join
  alignas(64) std::atomic<std::uint32_t> active_ = 0;    // threads other than the caller that use work_
};

}  // namespace slipway::cpu
