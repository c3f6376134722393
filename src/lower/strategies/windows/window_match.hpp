// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators that move a window over an image channel by channel (depthwise convolutions and pooling): which of them
// kernels for CPUs compute. This file reads the graph only.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "lower/device_facts.hpp"
#include "lower/strategies/contraction/contraction.hpp"
#include "tosa/graph.hpp"

namespace slipway::lower {

// One dimension of a window.
struct Taps {
  // Taps of the window, extent of the image, padding before and after it, and results.
  std::int64_t count = 1, extent = 1, before = 0, after = 0, stride = 1, dilation = 1, results = 1;
  bool is_padded() const { return before > 0 || after > 0; }
};
std::array<Taps, 2> taps_of(const tosa::Graph& graph, const tosa::Node& window);

inline constexpr std::int64_t kMaxTaps = 25;  // of a window whose taps become straight code

bool is_channelwise_window(tosa::Op op);
// Bits that are enough for the sums of a window of 8-bit integers.
std::uint32_t bits_of_sum(const tosa::Node& window, const std::array<Taps, 2>& taps);
// Whether vectors of channels compute it: without a channel multiplier, and with sums of integers that floats hold.
bool is_vector_window(const tosa::Graph& graph, const std::vector<bool>& stored, const tosa::Node& window,
                      const DeviceFacts& device);

// Whether the kernel of a depthwise convolution may compute the image that it moves over, the result of a pointwise
// (1x1) convolution, which is then not stored. `image` is what the window of `reader` moves over.
bool may_compute_image(const tosa::Graph& graph, const std::vector<bool>& stored, tosa::ValueId image,
                       const tosa::Node& reader, const DeviceFacts& device);
// That pointwise convolution.
std::optional<Contraction> match_pointwise(const tosa::Graph& graph, const std::vector<bool>& stored,
                                           tosa::ValueId image);
// Results of a workgroup along the image: the strip of the image that they need has a limited width.
std::int64_t results_of_strip(const Taps& across);

}  // namespace slipway::lower
