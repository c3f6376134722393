// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions and ARGMAX as folds: what is common to kernels where one invocation processes a whole axis and those where
// many share it.
#pragma once

#include <functional>
#include <vector>

#include "lower/operators/operation.hpp"

namespace slipway::lower {

// The state after some elements of an axis: one value, or for ARGMAX the best value and its index. The last value of
// the state is the result.
using FoldState = std::vector<Value>;

struct Fold {
  FoldState start;  // of no elements: the neutral element of `join`
  // Of two parts of an axis. `in_order`: all elements of the first part come before those of the second, so that
  // indices need not be compared.
  std::function<FoldState(const FoldState& some, const FoldState& more, bool in_order)> join;
  // Of one element at an index along the axis.
  FoldState of(Value index, Value element) const {
    return start.size() == 1 ? FoldState{element} : FoldState{element, index};
  }
};

bool is_reduction(tosa::Op op);
Fold fold_of(Kernel& kernel, const tosa::Graph& graph, const tosa::Node& node);

}  // namespace slipway::lower
