// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An image classifier in the manner of the MobileNets, in 8-bit integers: convolutions that are split into one over
// channels and one over pixels, blocks that widen, filter and narrow again, and sums with what a block began from.
//
// Its weights are drawn from a seed: it has learned nothing, and what it says of a picture is as good as any. It is
// here for what it makes a device do, which is the same as for a network that has learned.
#pragma once

#include <cstdint>

#include "tosa/graph.hpp"

namespace classifier {

struct Settings {
  std::uint64_t seed = 0;
  std::int64_t size = 32;      // of the picture, which is a square of three colours
  std::int64_t channels = 16;  // behind the first convolution
  std::int64_t classes = 10;
};

// Input `image` i8[1, size, size, 3]; outputs `scores` i8[1, classes] and `class` i32[1], the place of the highest
// score.
slipway::tosa::Graph network(const Settings& settings);

}  // namespace classifier
