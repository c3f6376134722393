// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which values of a graph are stored.
//
// Results that only rename or rearrange elements (reshape, slice, transpose...) are never stored unless they are
// outputs: their readers read the source instead. A pointwise operator joins the operator before it if that operator's
// result is read element by element, and only by what this kernel computes: the chain x, sigmoid(x), x * sigmoid(x) is
// one kernel. It also joins a contraction whose result is reshaped in between, if the channels stay. On CPUs a
// depthwise convolution also joins the pointwise (1x1) convolution before it. Reductions along an axis and the
// pointwise operators around them join each other, however often they read a value, where there are kernels for that
// (strategies/reduction/reduction_fusion.hpp). Attention is one kernel (strategies/attention/attention_match.hpp).
#pragma once

#include <string>
#include <vector>

#include "lower/device_facts.hpp"
#include "tosa/graph.hpp"

namespace slipway::lower {

// By value: whether it has storage. Inputs, constants and outputs always do.
std::vector<bool> plan_fusion(const tosa::Graph& graph, bool fuse, const DeviceFacts& device,
                              bool fuse_attention = true);

// For people, a line for each stored result: `%5 = CONV2D + CLAMP of %0, %1, %2`. Values have the names of tosa::print.
std::string print_fusion(const tosa::Graph& graph, const std::vector<bool>& stored);

}  // namespace slipway::lower
