// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/pool.hpp"

#include <algorithm>
#include <map>

#include "platform/cpu.hpp"

namespace slipway::cpu {
namespace {

constexpr unsigned kRoundsAwake = 4000;  // of a pause each: about 50 us

}  // namespace

Pool::Pool(unsigned threads, bool pin) {
  for (unsigned i = 1; i < std::max(threads, 1U); ++i) {
    workers_.emplace_back([this, i] { serve(i); });
    if (pin) platform::stay_on_core(workers_.back(), i);
  }
}

Pool::~Pool() {
  stop_.store(true);
  generation_.fetch_add(1);
  generation_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void Pool::run(const Work& work) {
  {
    std::unique_lock lock(turn_);
    const std::uint64_t ticket = last_ticket_++;
    next_turn_.wait(lock, [&] { return serving_ == ticket; });
  }
  work_.store(&work);
  generation_.fetch_add(1);
  generation_.notify_all();
  work(0);
  // Threads that come after this see that there is nothing to join; the others are waited for.
  work_.store(nullptr);
  for (Backoff backoff; active_.load() != 0;) backoff.pause();
  {
    const std::scoped_lock lock(turn_);
    ++serving_;
  }
  next_turn_.notify_all();
}

void Pool::serve(unsigned worker) {
  std::uint32_t seen = 0;
  while (!stop_.load()) {
    std::uint32_t now = generation_.load();
    for (unsigned round = 0; now == seen && round < kRoundsAwake; ++round) {
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
      now = generation_.load();
    }
    if (now == seen) {
      generation_.wait(seen);
      continue;
    }
    seen = now;
    active_.fetch_add(1);
    if (const Work* work = work_.load()) (*work)(worker);
    active_.fetch_sub(1);
  }
}

std::shared_ptr<Pool> Pool::shared(unsigned threads, bool pin) {
  static std::mutex mutex;
  static std::map<std::pair<unsigned, bool>, std::shared_ptr<Pool>> pools;
  const std::scoped_lock lock(mutex);
  std::shared_ptr<Pool>& pool = pools[{std::max(threads, 1U), pin}];
  if (!pool) pool = std::make_shared<Pool>(threads, pin);
  return pool;
}

}  // namespace slipway::cpu
