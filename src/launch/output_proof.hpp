// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether a run of a plan writes every byte of its outputs (docs/running.md#outputs-that-are-not-written).
//
//   PlanProof proof(plan, 1);
//   proof.fill(prepared);      // before the run
//   run();
//   Readback results = read_results();
//   proof.check(results, prepared);
//   for (const Diagnostic& problem : proof.unwritten()) ...
//
// Outputs are what the plan stores or compares, results and captured outputs. Those that no step writes and that have
// no initial contents are found without a run. The others are filled with a pattern if nothing can see the pattern in
// an output that is complete in the end: there are no initial contents, and no step reads an output before its last
// write. Images with several samples, depth images, compressed ones and those that share memory are not filled.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "base/diagnostic.hpp"
#include "launch/executor.hpp"
#include "tensor/unwritten.hpp"

namespace slipway::launch {

class PlanProof {
 public:
  // `iterations` of the run: later ones start from what the ones before left.
  PlanProof(const Plan& plan, std::uint32_t iterations);

  // Whether outputs are filled, so that `check` is needed.
  bool has_patterns() const { return !patterns_.empty(); }
  // Before the first iteration.
  Result<> fill(PreparedPlan& prepared);
  // After an iteration and before the next one: results that every iteration must write get another pattern.
  Result<> fill_again(PreparedPlan& prepared);
  // After the last iteration. Runs again where a result may be equal to its pattern by chance; `results` stay those of
  // the last iteration.
  Result<> check(Readback& results, PreparedPlan& prepared);

  // An output-not-written error for each output, in the order of the plan; empty if all are written.
  std::vector<Diagnostic> unwritten() const;
  // Puts zeros where an output is not written.
  void zero(ResourceIndex output, MutableBytes bytes) const;

 private:
  void add(ResourceIndex output, std::uint32_t iterations);
  std::set<ResourceIndex> open() const;
  Result<> fill(ResourceIndex output, PreparedPlan& prepared, Bytes before) const;
  void check_pattern(ResourceIndex output, Bytes bytes);

  const Plan* plan_;
  std::set<ResourceIndex> never_written_;
  std::map<ResourceIndex, tensor::UnwrittenElements> patterns_;
};

// The resources whose contents are wanted after a run: outputs, and what is compared or captured.
std::set<ResourceIndex> wanted_results(const Plan& plan);

}  // namespace slipway::launch
