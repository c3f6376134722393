// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The shapes of the tensors that an application or a file binds to a graph, against those that its module declares.
//
// Open dimensions take the extents of the tensor. Implementations of VK_ARM_data_graph go by the description of the
// tensor, so that a shape that differs is taken too, with a warning that is an error in `check` (Diagnostics::rule):
// a tensor of the same rank decides, and the results are inferred again; one of another rank with as many elements is
// seen in the shape of the module.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "base/diagnostic.hpp"
#include "tosa/graph.hpp"

namespace slipway::tosa {

// Sets the shape of an input or a constant, which a diagnostic calls `what` ("input 0 of graph `main`"). `bound` may
// have open dimensions; a tensor of rank 0 is one element. Returns false after an error: shape-mismatch.
bool bind_shape(Graph& graph, ValueId value, tensor::Shape bound, std::string_view what, const SourceLocation& location,
                Diagnostics& diagnostics);

// Binds the shape of each input, and infers every other shape (with_input_shapes of verify.hpp).
std::optional<Graph> with_bound_shapes(Graph graph, std::span<const tensor::Shape> inputs, Diagnostics& diagnostics);

// Whether a tensor can take an output whose shape is known: its elements are as many. Another shape is a warning as
// above.
bool takes_output(const Graph& graph, std::size_t output, tensor::Shape bound, Diagnostics& diagnostics);

}  // namespace slipway::tosa
