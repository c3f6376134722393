// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `--rematerialize-rescale`: narrow tensors between segments instead of wide ones
// (docs/spec/converter.md#requirements).
//
//   g0: a = RESCALE(x) i8 -> i32, used by g2      becomes      g2: a' = RESCALE(x), used by g2
//
// A RESCALE whose integer result is wider than its input, and whose other operands are constants, is cheap: each graph
// partition that uses its result from another partition gets a copy. Nodes that become unused are removed.
#pragma once

#include <vector>

#include "convert/segments/partition.hpp"

namespace slipway::convert {

// Changes graph and partitioning together. Returns the new index of each previous node; kGone for removed nodes.
inline constexpr std::uint32_t kGone = 0xffffffff;
std::vector<std::uint32_t> rematerialize_rescale(tosa::Graph& graph, Partitioning& partitioning);

}  // namespace slipway::convert
