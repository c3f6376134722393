// Which values of a graph are stored.
//
// Results that only rename or rearrange elements (reshape, slice, transpose...) are never stored unless they are
// outputs: whoever reads them reads their source. A pointwise operator joins the operator before it, when that one's
// result has no other use and is read element by element: the chain is one kernel. On processors so does a depthwise
// convolution join the convolution of points before it.
#pragma once

#include <vector>

#include "lower/device_facts.hpp"
#include "tosa/graph.hpp"

namespace slipway::lower {

// By value: whether it has storage. Inputs, constants and outputs always do.
std::vector<bool> plan_fusion(const tosa::Graph& graph, bool fuse, const DeviceFacts& device);

bool is_pointwise(tosa::Op op);  // one element of each input, at the same or a broadcast place
bool is_view(tosa::Op op);       // an element of the result is an element of the input, at a place that the shape tells

}  // namespace slipway::lower
