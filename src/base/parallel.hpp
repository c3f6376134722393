// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Independent work on several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace slipway {

// Calls `work(worker, i)` for each i below `count`, in any order, on at most `threads` threads (0 counts as 1), each
// with a `Worker` of its own. Returns when all calls have returned. Where the system has no more threads, fewer of them
// do the work. An exception ends the work, and is thrown again in the calling thread.
template <class Worker, class Work>
void parallel_for_workers(std::size_t count, std::size_t threads, Work work) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr failure;
  const auto run = [&] {
    try {
      Worker worker;
      for (std::size_t i = next++; i < count; i = next++) work(worker, i);
    } catch (...) {
      const std::scoped_lock lock(mutex);
      if (!failure) failure = std::current_exception();
      next = count;
    }
  };
  {
    std::vector<std::jthread> others;
    try {
      for (std::size_t i = 1; i < std::min(count, threads); ++i) others.emplace_back(run);
    } catch (const std::system_error&) {
    }
    run();
  }
  if (failure) std::rethrow_exception(failure);
}

// Calls `work(i)` for each i below `count`, in any order, on all cores.
template <class Work>
void parallel_for(std::size_t count, Work work) {
  struct NoState {};
  parallel_for_workers<NoState>(count, std::thread::hardware_concurrency(), [&](NoState&, std::size_t i) { work(i); });
}

}  // namespace slipway
