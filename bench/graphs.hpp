// The graphs that the benchmark of graphs runs, and running one.
#pragma once

#include <cstdint>

#include "gpu/device.hpp"
#include "lower/lower.hpp"
#include "tosa/graph.hpp"

namespace slipway::bench {

// [1, m, k] x [1, k, n] of inputs.
tosa::Graph matmul(std::int64_t m, std::int64_t n, std::int64_t k, tosa::DataType factors, tosa::DataType sum);

struct Image {
  std::int64_t size = 64, channels = 32, out_channels = 32, kernel = 3;
};
// A padded convolution with constant weights and bias; of 8-bit integers with a rescale behind it.
tosa::Graph convolution(const Image& image, tosa::DataType type);

// `count` pointwise operators one behind the other on so many 32-bit floats.
tosa::Graph pointwise(std::int64_t elements, int count);

// `count` equal 3x3 convolutions with clamps between them.
tosa::Graph chain(const Image& image, int count);

// Blocks of two convolutions and an addition that goes around them, at falling sizes: lifetimes that overlap.
tosa::Graph residual(int blocks);

// The time from submitting a graph to its end, over `repeat` runs, in milliseconds; with `on_device` that of its
// commands by the device's own clock.
struct Times {
  double best = 0, median = 0;
};
Times time_of(const tosa::Graph& graph, const gpu::Device& device, std::uint32_t repeat, bool on_device = false);

// Opens a device, lowers a graph and runs it once, as a process that was started for it does.
void run_alone(const tosa::Graph& graph);

}  // namespace slipway::bench
