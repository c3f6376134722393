// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Half of the hazard check: pairs of steps that touch the same memory without anything that orders them.
#pragma once

#include <span>
#include <vector>

#include "launch/check/coverage.hpp"
#include "launch/plan/accesses.hpp"

namespace slipway::launch {

// Sees the steps of a plan in order. Accesses since the last full barrier are kept by memory domain.
class OrderHazards {
 public:
  OrderHazards(const Plan& plan, std::span<const MemoryRange> ranges, Diagnostics& diagnostics)
      : plan_(plan), ranges_(ranges), diagnostics_(diagnostics), open_(plan.resources.size()) {}

  void see(const Step& step, std::span<const Access> accesses);
  void see(const Barrier& barrier) { barriers_.push_back(&barrier); }
  void see_full_barrier();

 private:
  struct Open {
    Access access;
    const Step* step = nullptr;
    std::size_t barriers_before = 0;  // how many of barriers_ came before it
    std::size_t position = 0;         // among all of the plan
  };
  // Apart, because reads do not conflict with each other, and may be many. An access that does both is a write.
  struct Domain {
    std::vector<Open> reads, writes;
  };

  void check(const Step& step, const Access& access);
  // Whether the two were reported.
  bool check(const Open& open, const Step& step, const Access& access);
  void report(const Open& open, const Step& step, const Access& access, const Coverage& coverage);
  void remember(const Step& step, const Access& access);
  bool covers(const Access& later, const Access& earlier) const;

  const Plan& plan_;
  std::span<const MemoryRange> ranges_;
  Diagnostics& diagnostics_;
  std::vector<Domain> open_;
  std::vector<std::size_t> used_;  // the domains with open accesses, perhaps several times
  std::size_t accesses_ = 0;
  std::vector<const Barrier*> barriers_;  // since the last full barrier
};

}  // namespace slipway::launch
