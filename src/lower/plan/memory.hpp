// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Offsets of intermediates in one arena, by liveness.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace slipway::lower {

// Bytes that are needed from one step to another, both included.
struct Lifetime {
  std::uint64_t size = 0;
  std::uint32_t first = 0, last = 0;
};

struct MemoryPlan {
  std::vector<std::uint64_t> offsets;  // by lifetime, multiples of the alignment
  std::uint64_t size = 0;              // of the arena
  std::uint64_t lower_bound = 0;       // the largest number of bytes alive at one step
};

// Largest first, each at the lowest gap that is free during its lifetime.
MemoryPlan plan_memory(std::span<const Lifetime> lifetimes, std::uint64_t alignment);

// For people: a line for the arena and one for each lifetime, `1: 256 bytes at 0x100, steps 0 to 3`.
std::string print_memory_plan(std::span<const Lifetime> lifetimes, const MemoryPlan& plan);

}  // namespace slipway::lower
