// Which values of a graph are stored.
//
// Results that only rename or rearrange elements (reshape, slice, transpose...) are never stored unless they are
// outputs: whoever reads them reads their source. A pointwise operator joins the operator before it, when that one's
// result is read element by element, and by nothing but what this kernel computes: the chain, or x and sigmoid(x) and
// their product, is one kernel. On processors so does a depthwise convolution join the convolution of points before it.
// Reductions along an axis and the pointwise operators around them join each other, however often they read a value,
// where there are kernels for that (families/rows.hpp).
#pragma once

#include <vector>

#include "lower/device_facts.hpp"
#include "tosa/graph.hpp"

namespace slipway::lower {

// How much a kernel that stores a value computes on the way, and how many buffers it has: both are kept small.
// Addresses stand in push constants, of which every device has 128 bytes; descriptors are fewer.
inline constexpr std::uint32_t kMaxNodes = 48, kMaxAddresses = 14, kMaxDescriptors = 7;

// By value: whether it has storage. Inputs, constants and outputs always do.
std::vector<bool> plan_fusion(const tosa::Graph& graph, bool fuse, const DeviceFacts& device);

bool is_pointwise(tosa::Op op);  // one element of each input, at the same or a broadcast place
// How many inputs of a pointwise operator are read at the result's place; the others are tables and factors.
std::size_t elementwise_inputs(const tosa::Node& node);
bool is_view(tosa::Op op);  // an element of the result is an element of the input, at a place that the shape tells

}  // namespace slipway::lower
