// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Independent work on several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace slipway {

// Calls `work(worker, i)` for each i below `count`, in any order, on at most `threads` threads (0 counts as 1), each
// with a `Worker` of its own. Returns when all calls have returned.
template <class Worker, class Work>
void parallel_for_workers(std::size_t count, std::size_t threads, Work work) {
  std::atomic<std::size_t> next = 0;
  const auto run = [&] {
    Worker worker;
    for (std::size_t i = next++; i < count; i = next++) work(worker, i);
  };
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < std::min(count, threads); ++i) others.emplace_back(run);
  run();
}

// Calls `work(i)` for each i below `count`, in any order, on all cores.
template <class Work>
void parallel_for(std::size_t count, Work work) {
  struct NoState {};
  parallel_for_workers<NoState>(count, std::thread::hardware_concurrency(), [&](NoState&, std::size_t i) { work(i); });
}

}  // namespace slipway
