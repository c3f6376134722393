// Reductions and ARGMAX as folds: what they have in common, whether an invocation goes along a whole axis or many share
// it.
#pragma once

#include <functional>
#include <vector>

#include "lower/operators/operation.hpp"

namespace slipway::lower {

// What is known of some elements of an axis: one number, or of ARGMAX the best one and its place. The last number is
// the result.
using FoldState = std::vector<Value>;

struct Fold {
  FoldState start;  // of no elements: changes nothing that it is joined with
  // Of two parts of an axis. `in_order`: all of the first stand before those of the second, which saves comparing
  // places.
  std::function<FoldState(const FoldState& some, const FoldState& more, bool in_order)> join;
  // Of one element, from its place along the axis.
  FoldState of(Value place, Value element) const {
    return start.size() == 1 ? FoldState{element} : FoldState{element, place};
  }
};

bool is_reduction(tosa::Op op);
Fold fold_of(Kernel& kernel, const tosa::Graph& graph, const tosa::Node& node);

}  // namespace slipway::lower
