// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Networks to measure with, made from a seed: what they compute means nothing, what they make a device do is what
// networks that have learned make it do.
//
// Each exists in three precisions. Weights are the same 8-bit numbers with a scale for each channel in all of them; the
// other runtimes get them, and the list of layers, in files (`layers` is JSON), and build the same network.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tosa/graph.hpp"

namespace slipway::bench {

// Of activations: 32-bit and 16-bit floats, or 8-bit signed integers with a scale and a zero point each. The
// transformer keeps floats between its matrix products, as networks of 8 bits do.
enum class Precision : std::uint8_t { F32, F16, I8 };
std::string_view name_of(Precision precision);

struct Network {
  tosa::Graph graph;
  std::string layers;              // JSON
  std::vector<std::byte> weights;  // what `layers` refers to by byte: 8-bit numbers, 32-bit floats
};

Network mobilenet_v2(Precision precision, std::int64_t batch = 1);
Network resnet_50(Precision precision, std::int64_t batch = 1);
Network transformer_block(Precision precision, std::int64_t batch = 1);

}  // namespace slipway::bench
