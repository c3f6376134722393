// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interpreter of graphs: exact, slow and simple. Kernels are tested against it, and it is the engine `reference`.
//
//   Result<std::vector<Tensor>> outputs = run(graph, inputs);
//
// Integers follow TOSA bit for bit; where the specification leaves a result unpredictable (an overflow, an index out of
// range) the value is unspecified and memory is safe. Floats are evaluated in double, in the order of the
// specification, and rounded once, to the declared type of the result.
#pragma once

#include <functional>
#include <span>

#include "base/diagnostic.hpp"
#include "reference/tensor.hpp"
#include "tosa/graph.hpp"

namespace slipway::reference {

// The results of one node. `unrounded` has the reals before they were rounded to the type of the result.
struct NodeResults {
  std::vector<Tensor> values;
  std::vector<std::vector<double>> unrounded;
};
// Errors: unsupported, for CUSTOM operators; interrupted and timed-out (base/interrupt.hpp). The graph must be verified
// and static.
Result<NodeResults> run_node(const tosa::Graph& graph, const tosa::Node& node, std::span<const Tensor* const> inputs);

struct RunOptions {
  // Called with every result as it is computed: to compare intermediate tensors, or to show progress.
  std::function<void(tosa::ValueId, const Tensor&)> observe;
};

// The values of the graph's outputs. `inputs` have the types of the graph's inputs. Constants must have their data.
Result<std::vector<Tensor>> run(const tosa::Graph& graph, std::vector<Tensor> inputs, const RunOptions& options = {});

}  // namespace slipway::reference
