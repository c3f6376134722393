// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/pool.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <span>

namespace slipway::cpu {
namespace {

// Adds each number below `count` once, whichever threads take part.
std::uint64_t sum_of(Pool& pool, std::uint32_t count) {
  std::atomic<std::uint32_t> next = 0;
  std::atomic<std::uint64_t> sum = 0;
  pool.run([&](unsigned) {
    for (std::uint32_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) sum.fetch_add(i);
  });
  return sum.load();
}

TEST(Pool, WorkIsCompleteForEveryCountOfThreads) {
  for (const unsigned threads : {1U, 2U, 3U, 8U}) {
    Pool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    for (int round = 0; round < 200; ++round) EXPECT_EQ(sum_of(pool, 100), 4950U);
  }
}

TEST(Pool, WorkersHaveDifferentNumbers) {
  Pool pool(4);
  std::array<std::atomic<int>, 4> inside{};
  std::atomic<bool> twice = false;
  for (int round = 0; round < 200; ++round) {
    pool.run([&](unsigned worker) {
      if (inside[worker].fetch_add(1) != 0) twice.store(true);
      for (Backoff backoff; backoff.rounds() < 50;) backoff.pause();
      inside[worker].fetch_sub(1);
    });
  }
  EXPECT_FALSE(twice.load());
}

// What one run writes without atomics, the next one reads.
TEST(Pool, RunsSeeWhatRunsBeforeWrote) {
  Pool pool(4);
  std::vector<std::uint64_t> numbers(64, 1);
  for (int round = 0; round < 100; ++round) {
    std::atomic<std::size_t> next = 0;
    std::vector<std::uint64_t> sums(numbers.size());
    pool.run([&](unsigned) {
      for (std::size_t i = next.fetch_add(1); i < sums.size(); i = next.fetch_add(1))
        sums[i] = numbers[i] + numbers[(i + 1) % numbers.size()];
    });
    numbers = sums;
    for (std::uint64_t& number : numbers) number %= 1'000'003;
  }
  const std::vector<std::uint64_t> all_equal(numbers.size(), numbers[0]);
  EXPECT_EQ(numbers, all_equal);
}

TEST(Pool, CallersOfSeveralThreadsTakeTurns) {
  Pool pool(3);
  std::atomic<int> running = 0;
  std::atomic<bool> overlapped = false;
  std::atomic<std::uint64_t> sum = 0;
  {
    std::vector<std::jthread> callers;
    for (int caller = 0; caller < 4; ++caller) {
      callers.emplace_back([&] {
        for (int round = 0; round < 50; ++round) {
          std::atomic<bool> first = true;
          pool.run([&](unsigned worker) {
            if (worker == 0 && running.fetch_add(1) != 0) overlapped.store(true);
            if (first.exchange(false)) sum.fetch_add(1);
            if (worker == 0) running.fetch_sub(1);
          });
        }
      });
    }
  }
  EXPECT_FALSE(overlapped.load());
  EXPECT_EQ(sum.load(), 200U);
}

TEST(Pool, PinnedThreadsStayOnOneCpu) {
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  constexpr unsigned threads = 4;  // may be more than there are CPUs
  for (const bool pin : {false, true}) {
    Pool pool(threads, pin);
    std::array<std::atomic<int>, 4> counts{};
    // Until all threads have been in time for a run.
    for (int round = 0;
         round < 100'000 && std::ranges::any_of(
                                std::span(counts).first(threads), [](const auto& count) { return count.load() == 0; });
         ++round) {
      pool.run([&](unsigned worker) {
        cpu_set_t own;
        sched_getaffinity(0, sizeof own, &own);
        counts[worker].store(CPU_COUNT(&own));
        for (Backoff backoff; backoff.rounds() < 100;) backoff.pause();
      });
    }
    EXPECT_EQ(counts[0].load(), CPU_COUNT(&allowed));
    for (unsigned worker = 1; worker < threads; ++worker)
      EXPECT_EQ(counts[worker].load(), pin ? 1 : CPU_COUNT(&allowed)) << worker;
  }
}

TEST(Pool, SharedPoolsAreOnesOfTheProcess) {
  EXPECT_EQ(Pool::shared(2), Pool::shared(2));
  EXPECT_NE(Pool::shared(2), Pool::shared(3));
  EXPECT_NE(Pool::shared(2), Pool::shared(2, true));
  EXPECT_EQ(Pool::shared(0)->threads(), 1U);
}

}  // namespace
}  // namespace slipway::cpu
