// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The graphs of the benchmarks, and functions that measure how long they take.
#pragma once

#include <cstdint>

#include "gpu/device/device.hpp"
#include "launch/plan/plan.hpp"
#include "launch/report/profile.hpp"
#include "lower/lower.hpp"
#include "tosa/graph.hpp"

namespace slipway::bench {

// The matrix product [1, m, k] x [1, k, n] of two inputs. The second one is stored transposed if its elements are 8-bit
// integers: PyTorch multiplies them in this form only.
tosa::Graph matmul(std::int64_t m, std::int64_t n, std::int64_t k, tosa::DataType factors, tosa::DataType sum);

struct Image {
  std::int64_t size = 64, channels = 32, out_channels = 32, kernel = 3;
};
// A padded convolution with constant weights and bias, followed by a rescale if `type` is an 8-bit integer.
tosa::Graph convolution(const Image& image, tosa::DataType type);

// `count` pointwise operators in sequence on `elements` 32-bit floats.
tosa::Graph pointwise(std::int64_t elements, int count);

// Attention of random operands: Q [batches, rows, depth], K and V [batches, keys, depth].
struct AttentionSize {
  std::int64_t batches = 16, rows = 128, keys = 128, depth = 64;
};
tosa::Graph attention(const AttentionSize& size, tosa::DataType type);

// `count` equal 3x3 convolutions with clamps between them.
tosa::Graph chain(const Image& image, int count);

// Blocks of two convolutions whose result is added to their input, at decreasing sizes: tensors with overlapping
// lifetimes, for memory planning.
tosa::Graph residual(int blocks);

// Times of runs in milliseconds. `device`: from the first to the last command of a run, by the clock of the device.
// `host`: from submitting the run until the host sees its end, without the time on the device.
struct Times {
  double best = 0, median = 0;
};
struct RunTimes {
  Times device, host;
};
RunTimes times_of(const launch::Profile& profile);  // over its iterations

// Runs a graph `repeat` times.
RunTimes time_of(const tosa::Graph& graph, const gpu::Device& device, std::uint32_t repeat);
// Runs a graph for about `duration` milliseconds, and then again, which counts; on a GPU four times as long, because
// GPUs reach their full clock rate only under load.
inline constexpr double kDuration = 300;
RunTimes time_for(const tosa::Graph& graph, const gpu::Device& device, double duration = kDuration);
// The same with other options than those of the device.
RunTimes time_for(const tosa::Graph& graph, const lower::LowerOptions& options, const gpu::Device& device,
                  double duration = kDuration);
// The minimum time of the only kernel of a graph in milliseconds, by timestamps around it.
double kernel_time_for(const tosa::Graph& graph, const gpu::Device& device, double duration = kDuration);

lower::LowerOptions options_of(const vk::Snapshot& snapshot);
// A plan with the kernels of a graph.
launch::Plan plan_of(const tosa::Graph& graph, const lower::LowerOptions& options);

// Runs a plan for about `duration` milliseconds, after a few runs that determine the count. `of_commands`: also
// measures each command, which makes runs slower.
launch::Profile profile_for(const launch::Plan& plan, const gpu::Device& device, double duration,
                            bool of_commands = false);

}  // namespace slipway::bench
