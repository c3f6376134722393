// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An image classifier like the MobileNets, in 8-bit integers: convolutions that are divided into a pointwise and a
// depthwise one, blocks that expand the channels, filter and project them, and residual additions.
//
// Its weights are random, so its results have no meaning. The work of the device is that of a trained network.
#pragma once

#include <cstdint>

#include "tosa/graph.hpp"

namespace classifier {

struct Settings {
  std::uint64_t seed = 0;
  std::int64_t size = 32;      // of the image, which is a square with three channels
  std::int64_t channels = 16;  // after the first convolution
  std::int64_t classes = 10;
};

// Input `image` i8[1, size, size, 3]; outputs `scores` i8[1, classes] and `class` i32[1], the index of the highest
// score.
slipway::tosa::Graph network(const Settings& settings);

}  // namespace classifier
