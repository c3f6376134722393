// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/plan/memory.hpp"

#include <algorithm>
#include <numeric>

#include "base/checked.hpp"
#include "base/format.hpp"

namespace slipway::lower {

MemoryPlan plan_memory(std::span<const Lifetime> lifetimes, std::uint64_t alignment) {
  MemoryPlan plan{std::vector<std::uint64_t>(lifetimes.size()), 0, 0};
  std::uint32_t steps = 0;
  for (const Lifetime& lifetime : lifetimes) steps = std::max(steps, lifetime.last + 1);
  std::vector<std::uint64_t> alive(steps);
  for (const Lifetime& lifetime : lifetimes) {
    for (std::uint32_t step = lifetime.first; step <= lifetime.last; ++step)
      alive[step] += round_up(lifetime.size, alignment);
  }
  if (!alive.empty()) plan.lower_bound = std::ranges::max(alive);

  std::vector<std::size_t> order(lifetimes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return lifetimes[i].size; });
  std::vector<std::size_t> placed;
  for (const std::size_t i : order) {
    // Placed lifetimes that overlap this one, by offset. The first gap that is large enough is taken.
    std::vector<std::size_t> neighbours;
    std::ranges::copy_if(placed, std::back_inserter(neighbours), [&](std::size_t other) {
      return lifetimes[other].first <= lifetimes[i].last && lifetimes[i].first <= lifetimes[other].last;
    });
    std::ranges::sort(neighbours, {}, [&](std::size_t other) { return plan.offsets[other]; });
    std::uint64_t offset = 0;
    for (const std::size_t other : neighbours) {
      if (plan.offsets[other] >= offset + lifetimes[i].size) break;
      offset = std::max(offset, round_up(plan.offsets[other] + lifetimes[other].size, alignment));
    }
    plan.offsets[i] = offset;
    plan.size = std::max(plan.size, round_up(offset + lifetimes[i].size, alignment));
    placed.push_back(i);
  }
  return plan;
}

std::string print_memory_plan(std::span<const Lifetime> lifetimes, const MemoryPlan& plan) {
  std::string text = formatted("arena {} bytes (at least {})\n", plan.size, plan.lower_bound);
  for (std::size_t i = 0; i < lifetimes.size(); ++i)
    text += formatted("{}: {} bytes at {:#x}, steps {} to {}\n", i, lifetimes[i].size, plan.offsets[i],
                      lifetimes[i].first, lifetimes[i].last);
  return text;
}

}  // namespace slipway::lower
