// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/plan/memory.hpp"

#include <gtest/gtest.h>

#include <random>
#include <sstream>

namespace slipway::lower {
namespace {

// `256@0-1 512@1-3`: bytes, first step, last step.
std::vector<Lifetime> lifetimes_of(const std::string& text) {
  std::vector<Lifetime> lifetimes;
  std::istringstream in(text);
  Lifetime lifetime;
  char at = 0, to = 0;
  while (in >> lifetime.size >> at >> lifetime.first >> to >> lifetime.last) lifetimes.push_back(lifetime);
  return lifetimes;
}

std::string planned(const std::string& text, std::uint64_t alignment = 256) {
  const std::vector<Lifetime> lifetimes = lifetimes_of(text);
  return print_memory_plan(lifetimes, plan_memory(lifetimes, alignment));
}

TEST(PlanMemory, LifetimesThatDoNotOverlapShareMemory) {
  EXPECT_EQ(planned("256@0-1 256@2-3"),
            "arena 256 bytes (at least 256)\n"
            "0: 256 bytes at 0x0, steps 0 to 1\n"
            "1: 256 bytes at 0x0, steps 2 to 3\n");
}

TEST(PlanMemory, LastAndFirstStepAreBothIncluded) {
  EXPECT_EQ(planned("256@0-1 256@1-2"),
            "arena 512 bytes (at least 512)\n"
            "0: 256 bytes at 0x0, steps 0 to 1\n"
            "1: 256 bytes at 0x100, steps 1 to 2\n");
}

TEST(PlanMemory, LargerOnesArePlacedFirst) {
  EXPECT_EQ(planned("256@0-1 1024@0-1 512@0-1"),
            "arena 1792 bytes (at least 1792)\n"
            "0: 256 bytes at 0x600, steps 0 to 1\n"
            "1: 1024 bytes at 0x0, steps 0 to 1\n"
            "2: 512 bytes at 0x400, steps 0 to 1\n");
}

TEST(PlanMemory, AChainNeedsTwoBuffers) {
  EXPECT_EQ(planned("512@0-1 512@1-2 512@2-3 512@3-4"),
            "arena 1024 bytes (at least 1024)\n"
            "0: 512 bytes at 0x0, steps 0 to 1\n"
            "1: 512 bytes at 0x200, steps 1 to 2\n"
            "2: 512 bytes at 0x0, steps 2 to 3\n"
            "3: 512 bytes at 0x200, steps 3 to 4\n");
}

TEST(PlanMemory, TheLowestGapThatIsLargeEnoughIsUsed) {
  EXPECT_EQ(planned("1024@0-0 768@0-3 512@2-3 256@2-3"),
            "arena 1792 bytes (at least 1792)\n"
            "0: 1024 bytes at 0x0, steps 0 to 0\n"
            "1: 768 bytes at 0x400, steps 0 to 3\n"
            "2: 512 bytes at 0x0, steps 2 to 3\n"
            "3: 256 bytes at 0x200, steps 2 to 3\n");
}

TEST(PlanMemory, OffsetsAreMultiplesOfTheAlignment) {
  EXPECT_EQ(planned("100@0-1 90@0-1 10@0-1", 64),
            "arena 320 bytes (at least 320)\n"
            "0: 100 bytes at 0x0, steps 0 to 1\n"
            "1: 90 bytes at 0x80, steps 0 to 1\n"
            "2: 10 bytes at 0x100, steps 0 to 1\n");
}

TEST(PlanMemory, LargeLifetimesShareMemoryBelowASmallOne) {
  EXPECT_EQ(planned("512@0-1 256@1-2 512@2-3"),
            "arena 768 bytes (at least 768)\n"
            "0: 512 bytes at 0x0, steps 0 to 1\n"
            "1: 256 bytes at 0x200, steps 1 to 2\n"
            "2: 512 bytes at 0x0, steps 2 to 3\n");
}

TEST(PlanMemory, NothingNeedsNothing) { EXPECT_EQ(planned(""), "arena 0 bytes (at least 0)\n"); }

// No two lifetimes share a byte at one step, and the arena is never smaller than its lower bound.
TEST(PlanMemory, RandomLifetimesNeverOverlap) {
  std::minstd_rand random(7);
  std::uniform_int_distribution<std::uint32_t> step(0, 20), length(0, 6), size(1, 5000);
  for (int round = 0; round < 200; ++round) {
    std::vector<Lifetime> lifetimes(16);
    for (Lifetime& lifetime : lifetimes) {
      lifetime = {size(random), step(random), 0};
      lifetime.last = lifetime.first + length(random);
    }
    const MemoryPlan plan = plan_memory(lifetimes, 128);
    SCOPED_TRACE(print_memory_plan(lifetimes, plan));
    EXPECT_GE(plan.size, plan.lower_bound);
    for (std::size_t i = 0; i < lifetimes.size(); ++i) {
      EXPECT_EQ(plan.offsets[i] % 128, 0U);
      EXPECT_LE(plan.offsets[i] + lifetimes[i].size, plan.size);
      for (std::size_t j = 0; j < i; ++j) {
        const bool together = lifetimes[i].first <= lifetimes[j].last && lifetimes[j].first <= lifetimes[i].last;
        const bool apart = plan.offsets[i] + lifetimes[i].size <= plan.offsets[j] ||
                           plan.offsets[j] + lifetimes[j].size <= plan.offsets[i];
        EXPECT_TRUE(!together || apart) << i << " and " << j;
      }
    }
  }
}

}  // namespace
}  // namespace slipway::lower
