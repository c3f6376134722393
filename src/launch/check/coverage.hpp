// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether the barriers between two accesses order them (docs/spec/scenario.md#hazard-check).
#pragma once

#include <span>
#include <string>

#include "launch/plan/accesses.hpp"
#include "launch/plan/plan.hpp"

namespace slipway::launch {

// Two accesses of which at least one writes, and that share bytes: `zone` is what they share, as mip levels when both
// are of one image, else as bytes of the memory of `ranges[first.resource].domain`.
struct Conflict {
  const Access& first;
  const Access& second;
  std::uint64_t zone_begin = 0, zone_end = 0;
};

// Whether they conflict; fills the zone.
bool find_conflict(const Plan& plan, std::span<const MemoryRange> ranges, Conflict& conflict);

struct Coverage {
  bool covered = false;
  const Barrier* nearest = nullptr;  // not covered: the last barrier that tries
  std::string gap;                   // what it lacks, "its source stages leave out the compute shader"
};

Coverage find_coverage(const Plan& plan, std::span<const MemoryRange> ranges, const Conflict& conflict,
                       std::span<const Barrier* const> between);

}  // namespace slipway::launch
