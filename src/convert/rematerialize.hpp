// `--rematerialize-rescale`: narrow tensors between segments instead of wide ones (converter page 6).
//
//   g0: a = RESCALE(x) i8 -> i32, used by g2      becomes      g2: a' = RESCALE(x), used by g2
//
// A RESCALE whose integer result is wider than its input, and whose other operands are constants, is cheap: each graph
// partition that uses its result from elsewhere gets its own. What nobody needs any more goes.
#pragma once

#include <vector>

#include "convert/partition.hpp"

namespace slipway::convert {

// Changes graph and partitioning together. Gives, for each node that there was, its new number; kGone for those that
// went.
inline constexpr std::uint32_t kGone = 0xffffffff;
std::vector<std::uint32_t> rematerialize_rescale(tosa::Graph& graph, Partitioning& partitioning);

}  // namespace slipway::convert
