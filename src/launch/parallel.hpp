// Independent work on all cores.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace slipway::launch {

// Calls `work(i)` for each i below `count`, in any order and on several threads; returns when all have returned.
template <class Work>
void parallel_for(std::size_t count, Work work) {
  std::atomic<std::size_t> next = 0;
  const auto worker = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  const std::size_t threads = std::min<std::size_t>(count, std::max(1u, std::thread::hardware_concurrency()));
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < threads; ++i) others.emplace_back(worker);
  worker();
}

}  // namespace slipway::launch
