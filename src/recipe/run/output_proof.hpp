// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the bytes of outputs that no run of a recipe writes (docs/spec/recipe.md#outputs).
//
// Before an execution the memory of an output is filled with a pattern. What holds it afterwards was not written; it is
// then set to zeros, which is what a recipe sees in memory that nothing wrote. Used by the runner only.
#pragma once

#include <cstdint>
#include <vector>

#include "recipe/plan.hpp"
#include "recipe/run/coherence.hpp"
#include "tensor/unwritten.hpp"

namespace slipway::recipe {

class OutputProof {
 public:
  // `blank` by buffer: whether it holds zeros, which neither a caller nor a profile put there. `memory` by buffer: that
  // of the first copy of the runs.
  OutputProof(const Plan& plan, const std::vector<bool>& blank, const std::vector<BufferRange>& memory);

  bool is_decided() const;
  // Before and after an execution.
  Result<> fill(Coherence& coherence) const;
  Result<> check(Coherence& coherence);
  // After the last `check`: forgets what may be chance, and sets what was not written to zeros.
  Result<> settle(Coherence& coherence);
  // What was not written, by output: output-not-written.
  Failure unwritten(const Plan& plan) const;

 private:
  struct Output {
    std::size_t buffer = 0;  // of the plan
    BufferRange memory;
    tensor::UnwrittenElements elements;
  };
  static MutableBytes bytes_of(const Output& output);
  // Makes what the host wrote to an output visible to the device.
  static Result<> publish(const Output& output, Coherence& coherence);

  std::vector<Output> outputs_;
  std::vector<std::size_t> only_read_;  // outputs that no run writes, by buffer
};

}  // namespace slipway::recipe
