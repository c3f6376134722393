// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reduction fusion: softmax, layer norm and other groups that pass along one axis of a tensor several times, as one
// kernel.
//
// A row is all elements along the axis, with the other coordinates fixed. A fusion is a connected set of reductions
// along the axis and pointwise operators. Its values are either whole, with one element for each element of a row, or
// reduced, with one element for each row. It stores one result. Softmax:
//
//   REDUCE_MAX  [.., n] -> [.., 1]
//   SUB, EXP    [.., n]
//   REDUCE_SUM  [.., n] -> [.., 1]
//   RECIPROCAL  [.., 1]
//   MUL         [.., n]
#pragma once

#include <optional>
#include <vector>

#include "lower/device_facts.hpp"
#include "lower/strategies/reduction/reduction_grid.hpp"
#include "lower/uses.hpp"
#include "tosa/graph.hpp"

namespace slipway::lower {

struct ReductionFusion {
  ReductionAxis axis;
  std::vector<const tosa::Node*> nodes;  // in the graph's order; the last one stores
};

// The fusion whose result a node stores, if everything that is computed on the way to it is one.
std::optional<ReductionFusion> match_reduction_fusion(const tosa::Graph& graph, const std::vector<bool>& stored,
                                                      const tosa::Node& node);

// Joins operators to fusions: their inner values are not stored any more, and the values that they read are.
// `windows`: values whose kernels are built around a window operator, and which stay there.
void plan_reduction_fusion(const tosa::Graph& graph, const DeviceFacts& device, const Uses& uses,
                           const std::vector<bool>& windows, std::vector<bool>& stored);

}  // namespace slipway::lower
