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
  std::vector<std::uint64_t> begun(steps + 1), ended(steps + 1);  // bytes by step
  for (const Lifetime& lifetime : lifetimes) {
    begun[lifetime.first] += round_up(lifetime.size, alignment);
    ended[lifetime.last + 1] += round_up(lifetime.size, alignment);
  }
  std::uint64_t alive = 0;
  for (std::uint32_t step = 0; step < steps; ++step) {
    alive += begun[step] - ended[step];
    plan.lower_bound = std::max(plan.lower_bound, alive);
  }

  std::vector<std::size_t> order(lifetimes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return lifetimes[i].size; });
  const auto offset_of = [&](std::size_t i) { return plan.offsets[i]; };
  std::vector<std::size_t> placed;  // by offset
  for (const std::size_t i : order) {
    // The first gap that is large enough is taken, between placed lifetimes that overlap this one.
    std::uint64_t offset = 0;
    for (const std::size_t other : placed) {
      if (plan.offsets[other] >= offset + lifetimes[i].size) break;
      if (lifetimes[other].first > lifetimes[i].last || lifetimes[i].first > lifetimes[other].last) continue;
      offset = std::max(offset, round_up(plan.offsets[other] + lifetimes[other].size, alignment));
    }
    plan.offsets[i] = offset;
    plan.size = std::max(plan.size, round_up(offset + lifetimes[i].size, alignment));
    placed.insert(std::ranges::upper_bound(placed, offset, {}, offset_of), i);
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
