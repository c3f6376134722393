// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The graphs that the benchmark of graphs runs, and running one.
#pragma once

#include <cstdint>

#include "gpu/device/device.hpp"
#include "launch/plan/plan.hpp"
#include "launch/report/profile.hpp"
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

// In milliseconds. `device`: a run by the device's own clock, from the beginning of its commands to their end. `host`:
// what the same run takes on the host beyond that, from submitting it to seeing its end.
struct Times {
  double best = 0, median = 0;
};
struct RunTimes {
  Times device, host;
};
RunTimes times_of(const launch::Profile& profile);  // of its iterations

// Of a graph that is run so often...
RunTimes time_of(const tosa::Graph& graph, const gpu::Device& device, std::uint32_t repeat);
// ...or for about as long, in milliseconds: GPUs get up to speed only under load.
inline constexpr double kDuration = 300;
RunTimes time_for(const tosa::Graph& graph, const gpu::Device& device, double duration = kDuration);
// The best time of a graph of one kernel between the timestamps around it alone.
double kernel_time_for(const tosa::Graph& graph, const gpu::Device& device, double duration = kDuration);

// Of any plan, after a few runs that tell how long it takes. `of_commands`: with the times of all commands, which slow
// each other down then.
launch::Profile profile_for(const launch::Plan& plan, const gpu::Device& device, double duration,
                            bool of_commands = false);

}  // namespace slipway::bench
